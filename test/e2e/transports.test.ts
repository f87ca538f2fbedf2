/** Both transports against the same servers: the conformance suite, and any bytes at all. */
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { NS_PER_SECOND } from '../../src/base/index.ts';
import { TRANSPORT_NAMES, type TransportName } from '../../src/client/index.ts';
import { TRANSPORT_CASES } from '../conformance/transport.ts';
import { startHostileServer, type HostileServer } from '../support/hostile-server.ts';
import { failureOf, sendOnce } from '../support/http-client-harness.ts';
import { hostileResponse, writeResponse } from '../support/hostile-response.ts';

const servers: HostileServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.close();
});

describe.each(TRANSPORT_NAMES)('%s', (transport) => {
  test.each(TRANSPORT_CASES)('$what: $outcome', async ({ answer, outcome, events = 0 }) => {
    const server = await startHostileServer(answer);
    servers.push(server);
    const result = await sendOnce(server.url, { transport });
    expect(failureOf(result)).toBe(outcome);
    expect(result.timeline.output.atNs).toHaveLength(events);
  });
});

/** Set to the number of responses to try; the usual test tries few. */
const FUZZ_RUNS = Number(process.env['GOODPUT_FUZZ_RUNS'] ?? 150);

test(`any response means the same to both (${FUZZ_RUNS} responses)`, async () => {
  let response = { parts: [] as readonly Buffer[], end: 'end' as 'end' | 'reset' };
  const server = await startHostileServer((socket) => writeResponse(socket, response));
  servers.push(server);
  const outcomes = new Map<string, number>();
  const read = async (transport: TransportName): Promise<unknown> => {
    // On a busy machine the end of a connection may be late, which is no difference.
    const limits = { terminalGraceNs: 10 * NS_PER_SECOND };
    const result = await sendOnce(server.url, { transport, limits, timeoutNs: 20 * NS_PER_SECOND });
    const { timeline, httpStatus } = result;
    const { kind, bytes, tokens } = timeline.output;
    const { usage, finishReason, notes } = timeline;
    const outcome = failureOf(result);
    if (transport === 'fast') outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    return { outcome, httpStatus, kind, bytes, tokens, usage, finishReason, notes };
  };
  await fc.assert(
    fc.asyncProperty(hostileResponse, async (made) => {
      response = made;
      expect(await read('fast')).toEqual(await read('compat'));
    }),
    { numRuns: FUZZ_RUNS },
  );
  if (FUZZ_RUNS > 1_000) console.log(`${FUZZ_RUNS} responses:`, Object.fromEntries(outcomes));
  expect(outcomes.get('completed')).toBeGreaterThan(0);
}, 3_600_000);
