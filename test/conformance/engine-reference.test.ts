/**
 * The engine on a virtual clock against a second, naive writing of the second mission document's
 * `serve` loop, without its leak of one context token per finished request.
 */
import { randomLogNormal } from 'd3-random';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { randomStream } from '../../src/base/index.ts';
import { createEngine, seedCostModel } from '../../src/engine/index.ts';
import { serveOnEngine, type Arrival } from '../support/serve-on-engine.ts';

interface Served {
  readonly firstNs: number;
  readonly doneNs: number;
}

interface Limits {
  readonly tokenBudget: number;
  readonly maxSequences: number;
}

const DOCUMENT_LIMITS: Limits = { tokenBudget: 512, maxSequences: 256 };

/** The document's loop, line by line. `toNs` rounds its float seconds of one step, or not. */
function naiveServe(
  arrivals: readonly Arrival[],
  limits: Limits,
  toNs: (seconds: number) => number,
): Served[] {
  const WEIGHT_READ = 141e9 / 8 / 3.35e12;
  const KV_READ_PER_TOKEN = (2 * 80 * 8 * 128 * 2) / 8 / 3.35e12;
  const FLOP_TIME_PER_TOKEN = (2 * 70.6e9) / 8 / 600e12;
  const reqs = arrivals.map((a) => ({ ...a, left: a.promptTokens, first: 0, done: 0, endStep: 0 }));
  type Req = (typeof reqs)[number];
  let [i, now, step, ctx] = [0, 0, 0, 0];
  let waiting: Req[] = [];
  let running: Req[] = [];
  while (i < reqs.length || waiting.length > 0 || running.length > 0) {
    if (waiting.length === 0 && running.length === 0) now = Math.max(now, (reqs[i] as Req).atNs);
    for (; i < reqs.length && (reqs[i] as Req).atNs <= now; i += 1) waiting.push(reqs[i] as Req);
    let [tokens, left] = [running.length, limits.tokenBudget - running.length];
    const finished: Req[] = [];
    for (const r of waiting) {
      if (left <= 0 || running.length + finished.length >= limits.maxSequences) break;
      const take = Math.min(left, r.left);
      r.left -= take;
      left -= take;
      tokens += take;
      if (r.left === 0) finished.push(r);
    }
    let partial = 0;
    for (const r of waiting) if (r.left > 0) partial += r.promptTokens - r.left;
    const memory = WEIGHT_READ + (ctx + partial) * KV_READ_PER_TOKEN;
    now += toNs(Math.max(memory, tokens * FLOP_TIME_PER_TOKEN) + 0.0008);
    step += 1;
    ctx += running.length;
    for (const r of running.filter((one) => one.endStep <= step)) {
      r.done = now;
      ctx -= r.promptTokens + r.outputTokens - 1;
    }
    running = running.filter((one) => one.endStep > step);
    for (const r of finished) {
      waiting = waiting.filter((one) => one !== r);
      r.first = now;
      r.endStep = step + r.outputTokens - 1;
      running.push(r);
      ctx += r.promptTokens;
    }
  }
  expect(ctx).toBe(0);
  return reqs.map(({ first, done }) => ({ firstNs: first, doneNs: done }));
}

function engineServe(arrivals: readonly Arrival[], limits: Limits): Served[] {
  const engine = createEngine({
    limits: {
      ...limits,
      maxWaiting: null,
      maxModelTokens: null,
      longPrefillTokenThreshold: null,
    },
    policy: 'fcfs',
    memory: null,
    costModel: seedCostModel,
    speedScale: 1,
  });
  return serveOnEngine(engine, arrivals).map((tokensNs) => ({
    firstNs: tokensNs[0] as number,
    doneNs: tokensNs.at(-1) as number,
  }));
}

/** Poisson arrivals with the document's length statistics, from our own generator. */
function documentWorkload(requestsPerSecond: number, seconds: number, seed: number): Arrival[] {
  const arrivalRng = randomStream(seed, 'arrivals');
  const prompt = randomLogNormal.source(randomStream(seed, 'prompts'))(Math.log(2_000), 0.8);
  const output = randomLogNormal.source(randomStream(seed, 'outputs'))(Math.log(200), 0.7);
  const arrivals: Arrival[] = [];
  let atSeconds = 0;
  while (atSeconds < seconds) {
    atSeconds += -Math.log(1 - arrivalRng()) / requestsPerSecond;
    arrivals.push({
      atNs: Math.round(atSeconds * 1e9),
      promptTokens: Math.max(1, Math.min(16_000, Math.trunc(prompt()))),
      outputTokens: Math.max(2, Math.min(1_500, Math.trunc(output()))),
    });
  }
  return arrivals;
}

const wholeNs = (seconds: number): number => Math.round(seconds * 1e9);

test('random requests under random limits: the same instants to the nanosecond', () => {
  const anyArrivals = fc.array(
    fc.record({
      gapNs: fc.integer({ min: 0, max: 60_000_000 }),
      promptTokens: fc.integer({ min: 1, max: 200 }),
      outputTokens: fc.integer({ min: 2, max: 40 }),
    }),
    { minLength: 1, maxLength: 40 },
  );
  const anyLimits = fc.integer({ min: 1, max: 64 }).chain((tokenBudget) =>
    fc.record({
      tokenBudget: fc.constant(tokenBudget),
      maxSequences: fc.integer({ min: 1, max: 20 }),
    }),
  );
  fc.assert(
    fc.property(anyArrivals, anyLimits, (gaps, limits) => {
      let atNs = 0;
      const arrivals = gaps.map(({ gapNs, ...request }) => ({ ...request, atNs: (atNs += gapNs) }));
      expect(engineServe(arrivals, limits)).toEqual(naiveServe(arrivals, limits, wholeNs));
    }),
  );
});

test.each([4, 7.5, 12])("the document's workload at %f/s: the same to the nanosecond", (rate) => {
  const arrivals = documentWorkload(rate, 60, 3);
  expect(engineServe(arrivals, DOCUMENT_LIMITS)).toEqual(
    naiveServe(arrivals, DOCUMENT_LIMITS, wholeNs),
  );
});

test('rounding steps to whole nanoseconds moves no instant by more than a microsecond', () => {
  const arrivals = documentWorkload(7.5, 60, 3);
  const exact = naiveServe(arrivals, DOCUMENT_LIMITS, (seconds) => seconds * 1e9);
  for (const [at, { firstNs, doneNs }] of engineServe(arrivals, DOCUMENT_LIMITS).entries()) {
    expect(Math.abs(firstNs - (exact[at] as Served).firstNs)).toBeLessThan(1_000);
    expect(Math.abs(doneNs - (exact[at] as Served).doneNs)).toBeLessThan(1_000);
  }
});
