/** The driver against what queueing theory and plain sums say. */
import { describe, expect, test } from 'vitest';
import { NS_PER_SECOND, randomStream, secondsFromNs } from '../base/index.ts';
import { type CostModel, createEngine, type Engine, type EngineLimits } from '../engine/index.ts';
import { littleInFlightMean, md1MeanQueueDelayNs } from '../stats/index.ts';
import { type Arrival, type Served, serveInLockstep, serveRequests } from './serve-requests.ts';

const LIMITS: EngineLimits = {
  tokenBudget: 100,
  maxSequences: 1,
  maxWaiting: null,
  maxModelTokens: null,
  longPrefillTokenThreshold: null,
};

function engineWith(stepSeconds: CostModel['stepSeconds'], limits: Partial<EngineLimits> = {}) {
  const costModel = { name: 'test', stepSeconds };
  return createEngine({
    limits: { ...LIMITS, ...limits },
    policy: 'fcfs',
    memory: null,
    costModel,
    speedScale: 1,
  });
}

/** Poisson arrivals of equal requests. */
function poisson(rps: number, count: number, request: Omit<Arrival, 'atNs'>): Arrival[] {
  const random = randomStream(7, 'arrivals');
  let atNs = 0;
  return Array.from({ length: count }, () => {
    atNs += Math.round((-Math.log(1 - random()) / rps) * NS_PER_SECOND);
    return { atNs, ...request };
  });
}

function allServed(results: readonly Served[]): Extract<Served, { kind: 'served' }>[] {
  return results.map((result) => {
    if (result.kind === 'rejected') throw new Error(`rejected: ${result.reason}`);
    return result;
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe('one place and equal requests are M/D/1', () => {
  // Five steps of 20 ms each: 10 requests a second.
  const request = { promptTokens: 50, outputTokens: 5 };

  test.each([
    [3, 0.03],
    [6, 0.03],
    [8, 0.05],
  ])('%d/s of 10/s: the mean wait is ρ/(2(μ − λ)) within %d', (arrivalRps, bound) => {
    const arrivals = poisson(arrivalRps, 50_000, request);
    const served = allServed(
      serveRequests(
        engineWith(() => 0.02),
        arrivals,
      ),
    );
    const expected = md1MeanQueueDelayNs({ arrivalRps, serviceRps: 10 }) as number;
    expect(Math.abs(mean(served.map(({ queuedNs }) => queuedNs)) / expected - 1)).toBeLessThan(
      bound,
    );
  });
});

test('Little: requests seen in the engine are rate times time in system, within 1 %', () => {
  const arrivals = poisson(9, 5_000, { promptTokens: 60, outputTokens: 100 });
  let heldNs = 0;
  const engine: Engine = engineWith(
    ({ computedTokens }) => {
      const seconds = 0.008 + computedTokens * 1e-5;
      const { waiting, running } = engine.state();
      heldNs += (waiting + running) * seconds * NS_PER_SECOND;
      return seconds;
    },
    { maxSequences: 40 },
  );
  const served = allServed(serveRequests(engine, arrivals));
  const endNs = Math.max(...served.map(({ doneNs }) => doneNs));
  const sojournMeanNs = mean(served.map(({ doneNs }, i) => doneNs - (arrivals[i]?.atNs ?? 0)));
  const expected = littleInFlightMean({
    admittedRps: arrivals.length / secondsFromNs(endNs),
    sojournMeanNs,
  });
  expect(expected).toBeGreaterThan(5);
  expect(Math.abs(heldNs / endNs / expected - 1)).toBeLessThan(0.01);
});

describe('alone in the engine', () => {
  const stepSeconds: CostModel['stepSeconds'] = ({ computedTokens }) =>
    0.001 + computedTokens * 0.0001;

  test('TTFT is the chunks of the prompt, and the pace is one step', () => {
    const arrivals = [{ atNs: 5_000, promptTokens: 250, outputTokens: 4 }];
    const [only] = allServed(serveRequests(engineWith(stepSeconds), arrivals));
    // Chunks of 100, 100 and 50 tokens, then three decodes of one.
    const ttftNs = 3 * 1_000_000 + 250 * 100_000;
    expect(only).toEqual({
      kind: 'served',
      queuedNs: 0,
      firstNs: 5_000 + ttftNs,
      doneNs: 5_000 + ttftNs + 3 * 1_100_000,
    });
  });

  test('who arrives during a step waits for its end', () => {
    const arrivals = [0, 5_000_000].map((atNs) => ({ atNs, promptTokens: 90, outputTokens: 1 }));
    const [first, second] = allServed(serveRequests(engineWith(stepSeconds), arrivals));
    expect(first?.doneNs).toBe(10_000_000);
    expect(second).toEqual({
      kind: 'served',
      queuedNs: 5_000_000,
      firstNs: 20_000_000,
      doneNs: 20_000_000,
    });
  });

  test('who is turned away is told apart', () => {
    const arrivals = [{ atNs: 0, promptTokens: 250, outputTokens: 4 }];
    const engine = engineWith(stepSeconds, { maxModelTokens: 253 });
    expect(serveRequests(engine, arrivals)).toEqual([
      { kind: 'rejected', reason: 'contextLength' },
    ]);
  });
});

describe('in lockstep', () => {
  test('the longest step of any engine is everybody’s', () => {
    const stepSeconds: CostModel['stepSeconds'] = ({ computedTokens }) => computedTokens / 1_000;
    const engines = [engineWith(stepSeconds), engineWith(stepSeconds)];
    const arrivals = [80, 10].map((promptTokens) => ({ atNs: 0, promptTokens, outputTokens: 1 }));
    const served = allServed(serveInLockstep(engines, arrivals));
    expect(served.map(({ firstNs }) => firstNs)).toEqual([80_000_000, 80_000_000]);
  });

  test('arrivals go where the load is least', () => {
    const engines = [engineWith(() => 1), engineWith(() => 1)];
    const arrivals = [0, 1, 2, 3].map((atNs) => ({ atNs, promptTokens: 1, outputTokens: 1 }));
    const served = allServed(serveInLockstep(engines, arrivals));
    expect(served.map(({ firstNs }) => firstNs / NS_PER_SECOND)).toEqual([1, 2, 2, 3]);
  });

  test('one that waits counts as four that are served', () => {
    const engines = [0, 1].map(() => engineWith(() => 1, { maxSequences: 2 }));
    const arrival = (atNs: number, outputTokens: number): Arrival => {
      return { atNs, promptTokens: 1, outputTokens };
    };
    // The long ones fill the first engine. Of the last two, one waits in the empty second engine;
    // two served weigh less than it, so the other waits behind them.
    const first = [arrival(0, 5), arrival(0, 1), arrival(0, 5), arrival(0, 1)];
    const served = allServed(serveInLockstep(engines, [...first, arrival(1, 1), arrival(1, 1)]));
    const seconds = served.map(({ firstNs }) => firstNs / NS_PER_SECOND);
    expect(seconds).toEqual([1, 1, 1, 1, 2, 6]);
  });
});
