/**
 * Measures this machine's client against a server that tells when it really sent, at the load that
 * is planned for a run: `goodput doctor`.
 */
import { assert, secondsFromNs } from '../base/index.ts';
import type { RunSpec } from '../config/index.ts';
import {
  emittedByRequest,
  type LoadSchedule,
  loadSchedule,
  LOOP_FULL_SHARE,
  longestAnswerTokens,
  meanStreams,
  mostStreams,
  type PlannedLoad,
  type SentEvent,
  sentEvents,
  serverLatenessNs,
  spanQuantiles,
  stampAges,
  startLatenessNs,
} from '../doctor/index.ts';
import { hostFacts, loopbackCertificate, loopShareBetween } from '../host/index.ts';
import {
  CALIBRATION_SCHEMA_VERSION,
  type ClientCalibration,
  type GeneratorEvidence,
} from '../record/index.ts';
import { StallIndex } from '../summary/index.ts';
import { clientTransport } from './client-transport.ts';
import { readStreams, type StreamReading, type StreamReadingPorts } from './read-streams.ts';
import type { ExperimentPorts } from './run-experiment.ts';

export interface ClientMeasurementPorts extends StreamReadingPorts {
  readonly clock: ExperimentPorts['clock'];
  readonly toolVersion: string;
  readonly writeText: (path: string, text: string) => void;
  /** Starts `goodput emulate` with these flags in a process of its own. `stop` completes its log. */
  readonly startServer: (
    flags: readonly string[],
  ) => Promise<{ readonly url: string; readonly stop: () => Promise<void> }>;
}

export interface ClientMeasurement {
  readonly calibration: ClientCalibration;
  /** What the client saw of itself, over filling and measurement. */
  readonly generator: GeneratorEvidence;
  /** How long the client was under load, filling included. */
  readonly lastedNs: number;
  /** Answers that failed: none should. */
  readonly failureCount: number;
  /** Stamps of events that the server's log does not know: none should be. */
  readonly unknownCount: number;
  /** How well the two clocks are known to agree. */
  readonly clockErrorNs: number;
}

/** What a server adds to a prompt, with room to spare. */
const SPARE_TOKENS = 256;
const SEED = 1;

/**
 * `null` when interrupted. The target of `spec` hears nothing: only its way of talking is used.
 * Errors: as those of `runExperiment`, and whatever the server could not be started for.
 */
export async function measureClient(
  spec: RunSpec,
  load: PlannedLoad,
  measureNs: number,
  ports: ClientMeasurementPorts,
): Promise<ClientMeasurement | null> {
  const planned = loadSchedule(load, { measureNs, seed: SEED });
  const logPath = `${ports.dir}/emissions.ndjson`;
  const caFile = clientTransport(spec.target).tls ? writeCertificate(ports) : null;
  const tls = caFile === null ? [] : ['--tls-cert', caFile, '--tls-key', keyPath(ports)];
  const server = await ports.startServer([...serverFlags(load, planned, logPath, ports), ...tls]);
  let reading: StreamReading;
  try {
    reading = await readStreams(spec, load, planned, ports, { url: server.url, caFile });
  } finally {
    await server.stop();
  }
  if (ports.stopStarts.aborted) return null;
  return measurementOf(load, reading, [...sentEvents(ports.readText(logPath))], ports);
}

/** The path of a certificate that only this measurement trusts; its key is at {@link keyPath}. */
function writeCertificate(ports: Pick<ClientMeasurementPorts, 'dir' | 'writeText'>): string {
  const { cert, key } = loopbackCertificate();
  const path = `${ports.dir}/cert.pem`;
  ports.writeText(path, cert);
  ports.writeText(keyPath(ports), key);
  return path;
}

function keyPath({ dir }: Pick<ClientMeasurementPorts, 'dir'>): string {
  return `${dir}/key.pem`;
}

/** An engine whose step takes the time of one token, whatever is in it. */
function serverFlags(
  load: PlannedLoad,
  { schedule }: LoadSchedule,
  logPath: string,
  { dir, writeText }: Pick<ClientMeasurementPorts, 'dir' | 'writeText'>,
): string[] {
  const costPath = `${dir}/step-cost.yaml`;
  const stepSeconds = 1 / load.tokensPerSecond;
  const decode = `{ baseSeconds: ${stepSeconds}, secondsPerContextToken: 0, secondsPerSequence: 0 }`;
  writeText(
    costPath,
    `provenance: the pace that was asked for\n` +
      `prefill: { baseSeconds: ${stepSeconds}, secondsPerToken: 0, secondsPerSquare: 0 }\n` +
      `decode: { small: ${decode}, large: ${decode}, largeFrom: 2 }\n`,
  );
  const sequences = mostStreams(load);
  const modelTokens = 2 * load.promptTokens + longestAnswerTokens(schedule) + SPARE_TOKENS;
  return [
    ['--step-cost', `affine:${costPath}`],
    ['--max-sequences', String(sequences)],
    ['--token-budget', String(sequences * (load.promptTokens + SPARE_TOKENS))],
    ['--max-model-tokens', String(modelTokens)],
    ['--emission-log', logPath],
    load.burst ? [] : ['--spread-events'],
  ].flat();
}

/** A stretch of the client's clock, and what the process spent in it. */
interface MeasuredSpan {
  readonly fromNs: number;
  readonly toNs: number;
  readonly cpuNs: number;
  readonly loopShare: number;
}

/** From the first reading of the meters with all streams open to the last before the stop. */
function measuredSpan({ samples, measuredFromNs, stopNs }: StreamReading): MeasuredSpan {
  const first = samples.find(({ atNs }) => atNs >= measuredFromNs);
  const last = samples.findLast(({ atNs }) => atNs <= stopNs);
  assert(first !== undefined && last !== undefined && last.atNs > first.atNs, 'no time to measure');
  return {
    fromNs: first.atNs,
    toNs: last.atNs,
    cpuNs: last.usage.cpuNs - first.usage.cpuNs,
    loopShare: loopShareBetween(first.usage, last.usage),
  };
}

function measurementOf(
  load: PlannedLoad,
  reading: StreamReading,
  events: readonly SentEvent[],
  ports: Pick<ClientMeasurementPorts, 'clock' | 'toolVersion'>,
): ClientMeasurement {
  const { streams, generator, offset, target } = reading;
  const span = measuredSpan(reading);
  const stalls = new StallIndex(generator);
  const ages = stampAges({
    ...span,
    streams,
    emitted: emittedByRequest(events),
    offsetNs: offset.offsetNs,
    stallAt: (atNs) => stalls.latenessAt(atNs),
  });
  const lateNs = startLatenessNs(streams, span);
  const { node, ...host } = hostFacts();
  return {
    calibration: {
      kind: 'clientCalibration',
      schemaVersion: CALIBRATION_SCHEMA_VERSION,
      measuredAt: ports.clock.wallStartIso,
      tool: { name: 'goodput', version: ports.toolVersion, node },
      host,
      transport: clientTransport(target),
      api: target.api,
      ...loadsOf(load, reading, span, ages.stampCount),
      burst: load.burst,
      stampAge: spanQuantiles(ages.allNs),
      calmStampAge: spanQuantiles(ages.calmNs),
      lateness: spanQuantiles(lateNs),
      serverLateness: spanQuantiles(
        serverLatenessNs(
          events.filter(({ plannedNs }) => isWithin(span, plannedNs - offset.offsetNs)),
        ),
      ),
    },
    generator,
    lastedNs: reading.stopNs - reading.startNs,
    failureCount: reading.failureCount,
    unknownCount: ages.stampCount - ages.allNs.length,
    clockErrorNs: offset.errorNs,
  };
}

/** The load that was there, and what it cost. */
function loadsOf(
  { streamCount, chunksRps, startsRps }: PlannedLoad,
  reading: StreamReading,
  span: MeasuredSpan,
  chunkCount: number,
): Pick<
  ClientCalibration,
  'planned' | 'reached' | 'chunkCpuNs' | 'loopUtilisationShare' | 'roomChunksRps'
> {
  const { loopShare } = span;
  const seconds = secondsFromNs(span.toNs - span.fromNs);
  const reachedRps = chunkCount / seconds;
  return {
    planned: { streamCount, chunksRps, startsRps },
    reached: {
      streamCount: meanStreams(reading.streams, span),
      chunksRps: reachedRps,
      startsRps: startLatenessNs(reading.streams, span).length / seconds,
    },
    chunkCpuNs: chunkCount === 0 ? null : span.cpuNs / chunkCount,
    loopUtilisationShare: loopShare,
    roomChunksRps:
      chunkCount === 0 || loopShare === 0 ? null : (reachedRps * LOOP_FULL_SHARE) / loopShare,
  };
}

function isWithin({ fromNs, toNs }: MeasuredSpan, atNs: number): boolean {
  return atNs >= fromNs && atNs < toNs;
}
