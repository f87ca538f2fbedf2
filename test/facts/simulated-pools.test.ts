/** Prefill and decode apart, autoscaling and priorities, against what can be worked out by hand. */
import { describe, expect, it, test } from 'vitest';
import { NS_PER_MS, NS_PER_SECOND, nsFromMs, randomStream } from '../../src/base/index.ts';
import type { EngineOptions } from '../../src/engine/index.ts';
import type {
  AutoscalingOptions,
  DisaggregationOptions,
  ServiceOptions,
} from '../../src/simulator/index.ts';
import { md1MeanQueueDelayNs } from '../../src/stats/index.ts';
import type { Schedule, ScheduledRequest } from '../../src/workload/index.ts';
import { scheduleOf } from '../support/point-run.ts';
import { inPlace, ROOMY_ENGINE, ROOMY_SERVICE, simulatePoint } from '../support/simulated-point.ts';

/** Each step takes 10 ms, whatever it does. */
const STEADY: EngineOptions = {
  ...ROOMY_ENGINE,
  costModel: { name: 'steady', stepSeconds: () => 0.01 },
};

type Asked = Partial<Pick<ScheduledRequest, 'promptTokens' | 'outputTokensMax' | 'priority'>>;

/** Arrivals at these milliseconds; what each asks, where it is not 10 tokens and an answer of 4. */
function asking(
  atMs: readonly number[],
  asked: (index: number) => Asked = () => ({}),
  stopNs = 60 * NS_PER_SECOND,
): Schedule {
  const releases = atMs.map((ms) => ({ kind: 'at' as const, atNs: nsFromMs(ms) }));
  const schedule = scheduleOf(releases, { outputTokensMax: 4, stopNs });
  return {
    ...schedule,
    requests: schedule.requests.map((request) => ({ ...request, ...asked(request.index) })),
  };
}

async function tokensMs(schedule: Schedule, service: ServiceOptions): Promise<number[][]> {
  const { records } = await simulatePoint(schedule, service);
  return inPlace(records).map(({ timeline }) =>
    (timeline?.output.atNs ?? []).map((atNs) => atNs / NS_PER_MS),
  );
}

/** 100 bytes a token at 1 MB/s: 1 ms for 10 tokens, and 3 ms for every transfer. */
const APART: DisaggregationOptions = {
  firstToken: 'prefill',
  decodeEngine: STEADY,
  decodeReplicas: 1,
  transfer: { latencyNs: nsFromMs(3), bytesPerSecond: 1e6, kvBytesOf: (tokens) => 100 * tokens },
};

function apart(more: Partial<DisaggregationOptions> = {}, engine = STEADY): ServiceOptions {
  return { ...ROOMY_SERVICE, engine, disaggregation: { ...APART, ...more } };
}

const NO_TRANSFER = { latencyNs: 0, bytesPerSecond: null, kvBytesOf: () => 0 };

describe('prefill and decode apart: one request', () => {
  it('has its first token from the prefill, and the second after transfer and one step', async () => {
    expect(await tokensMs(asking([0]), apart())).toEqual([[10, 24, 34, 44]]);
  });

  it('has all its tokens from the decode side where that gives the first', async () => {
    expect(await tokensMs(asking([0]), apart({ firstToken: 'decode' }))).toEqual([
      [24, 34, 44, 54],
    ]);
  });

  it('needs no transfer for an answer of one token, unless the decode side gives it', async () => {
    const schedule = asking([0], () => ({ outputTokensMax: 1 }));
    expect(await tokensMs(schedule, apart())).toEqual([[10]]);
    expect(await tokensMs(schedule, apart({ firstToken: 'decode' }))).toEqual([[24]]);
  });

  it('without transfer time is served as by one replica, which with it is faster', async () => {
    const together = await tokensMs(asking([0]), { ...ROOMY_SERVICE, engine: STEADY });
    expect(together).toEqual([[10, 20, 30, 40]]);
    expect(await tokensMs(asking([0]), apart({ transfer: NO_TRANSFER }))).toEqual(together);
  });
});

test('a link sends one prompt after another: from 10 ms on, one every 15 ms', async () => {
  const transfer = { latencyNs: 0, bytesPerSecond: 1e6, kvBytesOf: () => 15_000 };
  const schedule = asking([0, 10, 20, 30], () => ({ outputTokensMax: 2 }));
  const { records, outcome } = await simulatePoint(schedule, apart({ transfer }));
  const firstMs = inPlace(records).map(({ timeline }) => (timeline?.output.atNs[0] ?? 0) / 1e6);
  const lastMs = inPlace(records).map(({ timeline }) => (timeline?.doneNs ?? 0) / 1e6);
  expect(firstMs).toEqual([10, 20, 30, 40]);
  // Sent at 25, 40, 55 and 70; each then takes a step of its own.
  expect(lastMs).toEqual([35, 50, 65, 80]);
  expect(outcome.service.transfers).toEqual({
    transfers: 4,
    bytes: 60_000,
    heldNs: nsFromMs(15 + 20 + 25 + 30),
    // The third gets its place at the end of a step, at 35 ms.
    linkWaitNs: nsFromMs(0 + 5 + 5 + 15),
  });
});

test('a decode side short of memory holds up the prefill side', async () => {
  const memory = { blocks: 2, blockTokens: 10, prefixCaching: false, reserveFullPrompt: true };
  const small = { ...STEADY, memory };
  const schedule = asking([0, 0, 0, 0], () => ({ outputTokensMax: 3 }));
  // A prompt is one block to the prefill side, which begins with two of them, and two blocks to
  // the decode side with its first token: one request at a time, 20 ms each.
  expect(
    await tokensMs(schedule, apart({ decodeEngine: small, transfer: NO_TRANSFER }, small)),
  ).toEqual([
    [10, 20, 30],
    [10, 40, 50],
    // Takes the block that the first request left at 10 ms.
    [20, 60, 70],
    // And this one that of the second, left at 30 ms.
    [40, 80, 90],
  ]);
});

test('with decode replicas without end, TTFT is that of M/D/1', async () => {
  const random = randomStream(7, 'arrivals');
  let atMs = 0;
  const arrivals = Array.from({ length: 20_000 }, () => {
    atMs += (-Math.log(1 - random()) / 60) * 1_000;
    return atMs;
  });
  const oneByOne = { ...STEADY, limits: { ...STEADY.limits, maxSequences: 1 } };
  const schedule = asking(arrivals, () => ({ outputTokensMax: 2 }), 400 * NS_PER_SECOND);
  const { records } = await simulatePoint(schedule, apart({}, oneByOne));
  const waits = records.map(({ queueNs }) => queueNs ?? Number.NaN);
  const meanNs = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
  const expectedNs = md1MeanQueueDelayNs({ arrivalRps: 60, serviceRps: 100 }) as number;
  expect(Math.abs(meanNs / expectedNs - 1)).toBeLessThan(0.04);
  // And nobody waits anywhere else: prefill 10, transfer 4, decode 10 ms.
  const elsewhere = records.filter(({ timeline, queueNs, dispatch }) => {
    const sentNs = dispatch.kind === 'sent' ? dispatch.dispatchedNs : Number.NaN;
    const firstNs = timeline?.output.atNs[0] ?? Number.NaN;
    const decodeNs = (timeline?.doneNs ?? Number.NaN) - firstNs;
    // The step that a request just missed, for its place and for its first decode, may delay it.
    return firstNs - sentNs - (queueNs ?? 0) !== nsFromMs(10) || decodeNs >= nsFromMs(24 + 10);
  });
  expect(elsewhere).toEqual([]);
});

describe('a prompt of 100 tokens arrives while another request decodes', () => {
  /** 10 ms and 1 ms for each token of a prompt. */
  const engine: EngineOptions = {
    ...ROOMY_ENGINE,
    costModel: {
      name: 'interfering',
      stepSeconds: ({ prefillTokens }) => 0.01 + 0.001 * prefillTokens,
    },
  };
  const schedule = asking([0, 45], (index) => ({
    promptTokens: index === 0 ? 10 : 100,
    outputTokensMax: 8,
  }));
  const gapMaxMs = (tokens: readonly number[]): number =>
    Math.max(...tokens.slice(1).map((at, index) => at - (tokens[index] as number)));

  it('stops the decode for 110 ms on the same replica', async () => {
    const [decoding] = await tokensMs(schedule, { ...ROOMY_SERVICE, engine });
    expect(gapMaxMs(decoding ?? [])).toBeCloseTo(110, 9);
  });

  it('does not delay it on another', async () => {
    const service = apart({ decodeEngine: engine }, engine);
    const [decoding, arriving] = await tokensMs(schedule, service);
    // The gap of the transfer, 4 ms and a step.
    expect(gapMaxMs(decoding ?? [])).toBeCloseTo(14, 9);
    expect(arriving?.[0]).toBeCloseTo(45 + 110, 9);
  });
});

const SCALING: AutoscalingOptions = {
  metric: 'arrivals',
  target: 1,
  minReplicas: 1,
  maxReplicas: 3,
  intervalNs: 5 * NS_PER_SECOND,
  scaleDownWindowNs: 10 * NS_PER_SECOND,
  provisionNs: 12 * NS_PER_SECOND,
  toleranceShare: 0,
};

/** Evenly spaced arrivals from `fromSeconds` up to `toSeconds`, none at either end. */
function spaced(fromSeconds: number, toSeconds: number, rps: number): number[] {
  const count = (toSeconds - fromSeconds) * rps;
  return Array.from({ length: count }, (_, at) => fromSeconds * 1e3 + ((at + 0.5) / rps) * 1e3);
}

describe('autoscaling', () => {
  it('follows a step in the load, late by the evaluation and the cold start', async () => {
    const arrivals = [...spaced(0, 10, 1), ...spaced(10, 40, 3), ...spaced(40, 80, 1)];
    const { records, outcome } = await simulatePoint(
      asking(arrivals, () => ({ outputTokensMax: 1 }), 80 * NS_PER_SECOND),
      { ...ROOMY_SERVICE, engine: STEADY, autoscaling: SCALING },
    );
    const [pool] = outcome.service.pools;
    const seen = pool?.events.map(({ atNs, kind, replica, ready }) => {
      return [atNs / NS_PER_SECOND, kind, replica, ready];
    });
    expect(seen).toEqual([
      // Three a second were seen from 10 to 15 s.
      [15, 'ordered', 1, 1],
      [15, 'ordered', 2, 1],
      [27, 'ready', 1, 2],
      [27, 'ready', 2, 3],
      // The last evaluation that wanted three was at 40 s, in the window until 50 s.
      [55, 'draining', 2, 2],
      [55, 'gone', 2, 2],
      [55, 'draining', 1, 1],
      [55, 'gone', 1, 1],
    ]);
    // The last request, of 79.5 s, takes 10 ms.
    expect(pool?.replicaNs).toBe(nsFromMs(79_510 + 2 * (55_000 - 15_000)));
    expect(records.filter(({ end }) => end?.kind === 'completed')).toHaveLength(arrivals.length);
  });

  it('drains: who is in the replica is served to the end, and nobody comes any more', async () => {
    // Round robin: the second request, of 10 s, goes to the replica that is drained at 5 s.
    const schedule = asking(
      [100, 200, 6_000, 7_000],
      (index) => ({ outputTokensMax: index === 1 ? 1_000 : 1 }),
      20 * NS_PER_SECOND,
    );
    const autoscaling = {
      ...SCALING,
      metric: 'inFlight' as const,
      target: 4,
      scaleDownWindowNs: 0,
    };
    const { records, outcome } = await simulatePoint(schedule, {
      ...ROOMY_SERVICE,
      engine: STEADY,
      replicas: 2,
      autoscaling,
    });
    const [pool] = outcome.service.pools;
    expect(pool?.events).toEqual([
      { atNs: 5 * NS_PER_SECOND, kind: 'draining', replica: 1, ready: 1 },
      { atNs: nsFromMs(10_200), kind: 'gone', replica: 1, ready: 1 },
    ]);
    expect(pool?.replicaNs).toBe(nsFromMs(10_200 + 10_200));
    for (const { end, queueNs } of records) {
      expect(end?.kind).toBe('completed');
      expect(queueNs).toBe(0);
    }
  });

  it('takes back at once what is not ready yet', async () => {
    const arrivals = [...spaced(0, 5, 3), ...spaced(5, 20, 1)];
    const { outcome } = await simulatePoint(
      asking(arrivals, () => ({ outputTokensMax: 1 }), 20 * NS_PER_SECOND),
      {
        ...ROOMY_SERVICE,
        engine: STEADY,
        autoscaling: { ...SCALING, scaleDownWindowNs: 0 },
      },
    );
    const kinds = outcome.service.pools[0]?.events.map(({ atNs, kind }) => [atNs / 1e9, kind]);
    expect(kinds).toEqual([
      [5, 'ordered'],
      [5, 'ordered'],
      [10, 'gone'],
      [10, 'gone'],
    ]);
  });
});

test('with priorities the urgent request overtakes who waits, not who is served', async () => {
  const oneByOne = { ...STEADY, limits: { ...STEADY.limits, maxSequences: 1 } };
  const schedule = asking([0, 1, 2, 3], (index) => ({
    outputTokensMax: 2,
    priority: index === 3 ? 0 : 10,
  }));
  const service = { ...ROOMY_SERVICE, engine: { ...oneByOne, policy: 'priority' as const } };
  const ends = (await tokensMs(schedule, service)).map((tokens) => tokens.at(-1));
  expect(ends).toEqual([20, 60, 80, 40]);
  // With prefill and decode apart, the order is the same in both queues.
  const both = apart({ transfer: NO_TRANSFER, decodeEngine: service.engine }, service.engine);
  expect((await tokensMs(schedule, both)).map((tokens) => tokens[0])).toEqual([10, 30, 40, 20]);
});
