import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { assert, EnvironmentError, NS_PER_MS } from '../base/index.ts';
import { assertScript, type FaultScript } from '../faults/index.ts';
import { EmulatedServer, type EmulatorLateness, type EmulatorStats } from './emulated-server.ts';
import { openEmissionLog, type Emission, type FaultMet } from './emission-log.ts';
import { DEFAULT_EMULATOR_OPTIONS, type EmulatorOptions } from './emulator-options.ts';
import { createPreciseClock } from './precise-clock.ts';
import { openSpanLog } from './span-log.ts';

/** A running emulator. */
export interface Emulator {
  /** `http://host:port`, without a path. */
  readonly url: string;
  readonly port: number;
  readonly options: EmulatorOptions;
  /** Every event streamed so far. Only with `emissionLog: 'memory'`. */
  emissions(): readonly Emission[];
  /** Every request so far that met a fault. Only with `emissionLog: 'memory'`. */
  faultsMet(): readonly FaultMet[];
  lateness(): EmulatorLateness;
  stats(): EmulatorStats;
  /** Drops every connection and frees the port; the emission log is complete afterwards. */
  close(): Promise<void>;
}

/** Connections that may wait to be accepted when a load starts all at once. */
const BACKLOG = 4_096;
/** Longer than any client keeps an idle connection, so that none is closed under its hands. */
const KEEP_ALIVE_MS = 300_000;

/**
 * Starts an OpenAI-compatible server that answers with made-up words at the pace of the batching
 * engine, in real time. What is not named takes its value from {@link DEFAULT_EMULATOR_OPTIONS}.
 *
 * Errors: EnvironmentError when the port cannot be had or the emission log cannot be written.
 */
export async function startEmulator(given: Partial<EmulatorOptions> = {}): Promise<Emulator> {
  const options: EmulatorOptions = { ...DEFAULT_EMULATOR_OPTIONS, ...given };
  const { tokensPerEvent, quota, host, kvBlocks, prefixCaching, queueTimeoutNs } = options;
  assert(Number.isSafeInteger(tokensPerEvent) && tokensPerEvent >= 1, 'tokensPerEvent is below 1');
  assert(quota === null || quota.requests > 0, 'the quota is not positive');
  assert(queueTimeoutNs === null || queueTimeoutNs > 0, 'queueTimeoutNs is not positive');
  assert(kvBlocks !== null || !prefixCaching, 'prefixCaching needs kvBlocks');
  assertScript(options.faults);
  const log = await openEmissionLog(options.emissionLog);
  const spans = await openSpanLog(options.spansPath);
  const emulated = new EmulatedServer(options, createPreciseClock(), { log, spans });
  const serve: RequestListener = (request, response) => {
    emulated.handle(request, response).catch((error: unknown) => server.emit('error', error));
  };
  const server =
    options.tls === null ? createServer(serve) : createSecureServer({ ...options.tls }, serve);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen({ host, port: options.port, backlog: BACKLOG });
  try {
    await once(server, 'listening');
  } catch (cause) {
    await Promise.all([log.close(), spans.close()]);
    throw new EnvironmentError({
      code: 'E_PORT_IN_USE',
      message: `cannot listen on ${host}:${options.port}`,
      hint:
        (cause as NodeJS.ErrnoException).code === 'EADDRINUSE'
          ? 'choose another port, or 0 for any free one'
          : 'is the address one of this machine, and may you listen on this port?',
      cause,
    });
  }
  const { port } = server.address() as AddressInfo;
  const cancelRestarts = planRestarts(options.faults, {
    down: () => {
      emulated.crash();
      server.close();
      server.closeAllConnections();
    },
    up: () => server.listen({ host, port, backlog: BACKLOG }),
  });
  let isClosed = false;
  return {
    url: `${options.tls === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    options,
    emissions: () => log.emissions(),
    faultsMet: () => log.faultsMet(),
    lateness: () => emulated.lateness(),
    stats: () => emulated.stats(),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      cancelRestarts();
      emulated.stop();
      if (server.listening) {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      }
      await Promise.all([log.close(), spans.close()]);
    },
  };
}

/** Arms the crashes of a script from now on. Returns a function that calls off what is left. */
function planRestarts(
  { restarts }: FaultScript,
  actions: { readonly down: () => void; readonly up: () => void },
): () => void {
  const timers = restarts.flatMap(({ fromNs, toNs }) => [
    setTimeout(actions.down, fromNs / NS_PER_MS),
    setTimeout(actions.up, toNs / NS_PER_MS),
  ]);
  return () => timers.forEach(clearTimeout);
}
