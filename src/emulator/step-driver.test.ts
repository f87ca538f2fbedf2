import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { serveOnEngine, type Arrival } from '../../test/support/serve-on-engine.ts';
import { VirtualClock, type Clock } from '../base/index.ts';
import { createEngine, type Engine, type EngineLimits } from '../engine/index.ts';
import { LatenessMeter } from './lateness-meter.ts';
import { StepDriver, type StepDriverOptions, type TokenSink } from './step-driver.ts';

const LIMITS: EngineLimits = {
  tokenBudget: 8,
  maxSequences: 4,
  maxWaiting: null,
  maxModelTokens: null,
  longPrefillTokenThreshold: null,
};

/** Steps of 100 ns plus 10 ns per token computed. */
function engineWith(limits: Partial<EngineLimits> = {}): Engine {
  const costModel = {
    name: 'test',
    stepSeconds: ({ computedTokens }: { computedTokens: number }) => 1e-7 + computedTokens * 1e-8,
  };
  return createEngine({
    limits: { ...LIMITS, ...limits },
    policy: 'fcfs',
    memory: null,
    costModel,
    speedScale: 1,
  });
}

/** Fires every alarm late by the next of `lateNs`, over and over. */
function lateClock(inner: Clock, lateNs: readonly number[]): Clock {
  let alarms = 0;
  return {
    nowNs: () => inner.nowNs(),
    at: (atNs, action) => {
      alarms += 1;
      return inner.at(atNs + (lateNs[alarms % lateNs.length] ?? 0), action);
    },
  };
}

const PLAIN: StepDriverOptions = {
  queueTimeoutNs: null,
  stepFactorAt: () => 1,
  onStep: () => {},
  lateness: new LatenessMeter(),
  spreadClock: null,
};

interface Heard extends TokenSink {
  readonly words: string[];
  readonly tokensNs: number[];
}

function listener(): Heard {
  const words: string[] = [];
  const tokensNs: number[] = [];
  return {
    words,
    tokensNs,
    rejected: (reason) => words.push(`rejected ${reason}`),
    admitted: () => words.push('admitted'),
    started: (atNs) => words.push(`started ${atNs}`),
    token: (dueNs, last) => {
      words.push(last ? `last ${dueNs}` : `token ${dueNs}`);
      tokensNs.push(dueNs);
    },
  };
}

test('an idle engine begins at the arrival and each step where the one before ended', async () => {
  const clock = new VirtualClock();
  const driver = new StepDriver(engineWith(), clock, PLAIN);
  const sink = listener();
  await clock.advanceTo(1_000);
  driver.submit({ id: 'a', promptTokens: 10, outputTokens: 2 }, sink);
  expect(sink.words).toEqual([]);
  await clock.runAll();
  expect(sink.words.slice(0, 2)).toEqual(['admitted', 'started 1000']);
  // 8 prompt tokens in 180 ns, 2 in 120 ns, one decode in 110 ns.
  expect(sink.words.slice(2)).toEqual(['token 1300', 'last 1410']);
  expect(driver.behindNs()).toBe(0);
});

test('a request that arrives during a step joins the next one', async () => {
  const clock = new VirtualClock();
  const driver = new StepDriver(engineWith(), clock, PLAIN);
  driver.submit({ id: 'a', promptTokens: 1, outputTokens: 3 }, listener());
  await clock.advanceTo(50);
  const sink = listener();
  driver.submit({ id: 'b', promptTokens: 1, outputTokens: 1 }, sink);
  expect(sink.words).toEqual([]);
  expect(driver.arrived).toBe(1);
  await clock.runAll();
  expect(sink.words).toEqual(['admitted', 'started 110', 'last 230']);
});

test('a full queue rejects, and a cancelled request hears nothing more', async () => {
  const clock = new VirtualClock();
  const driver = new StepDriver(engineWith({ maxSequences: 1, maxWaiting: 1 }), clock, PLAIN);
  const submit = (id: string): Heard => {
    const sink = listener();
    driver.submit({ id, promptTokens: 1, outputTokens: 3 }, sink);
    return sink;
  };
  const first = submit('a');
  await clock.advanceTo(50);
  const [cancelled, second, tooMany] = [submit('b'), submit('c'), submit('d')];
  driver.cancel('b');
  await clock.advanceTo(150);
  expect(cancelled.words).toEqual([]);
  expect(second.words).toEqual(['admitted']);
  expect(tooMany.words).toEqual(['rejected queueFull']);
  driver.cancel('a');
  await clock.runAll();
  expect(first.words).toEqual(['admitted', 'started 0', 'token 110']);
  expect(second.words).toEqual(['admitted', 'started 220', 'token 330', 'token 440', 'last 550']);
});

test('who waited too long is turned away when a step begins, before anyone enters', async () => {
  const clock = new VirtualClock();
  const driver = new StepDriver(engineWith({ maxSequences: 1 }), clock, {
    ...PLAIN,
    queueTimeoutNs: 200,
  });
  const submit = (id: string): Heard => {
    const sink = listener();
    driver.submit({ id, promptTokens: 1, outputTokens: 2 }, sink);
    return sink;
  };
  const first = submit('a');
  await clock.advanceTo(20);
  const overdue = submit('b');
  await clock.advanceTo(21);
  const inTime = submit('c');
  await clock.runAll();
  expect(first.words.at(-1)).toBe('last 220');
  expect(overdue.words).toEqual(['admitted', 'rejected queueTimeout']);
  expect(inTime.words).toEqual(['admitted', 'started 220', 'token 330', 'last 440']);
});

test('a stopped driver does nothing more', async () => {
  const clock = new VirtualClock();
  const driver = new StepDriver(engineWith(), clock, PLAIN);
  const sink = listener();
  driver.submit({ id: 'a', promptTokens: 1, outputTokens: 2 }, sink);
  await clock.advanceTo(50);
  driver.stop();
  await clock.runAll();
  expect(sink.words).toEqual(['admitted', 'started 0']);
});

test('steps that begin in a slow stretch take longer, and only those', async () => {
  const clock = new VirtualClock();
  const stepFactorAt = (atNs: number): number => (atNs >= 110 && atNs < 400 ? 2.5 : 1);
  const driver = new StepDriver(engineWith(), clock, { ...PLAIN, stepFactorAt });
  const sink = listener();
  driver.submit({ id: 'a', promptTokens: 1, outputTokens: 4 }, sink);
  await clock.runAll();
  expect(sink.tokensNs).toEqual([110, 385, 660, 770]);
});

test('lateness is measured and does not move the plan', async () => {
  const clock = new VirtualClock();
  const lateness = new LatenessMeter();
  const options = { ...PLAIN, lateness };
  const driver = new StepDriver(engineWith(), lateClock(clock, [30]), options);
  const sink = listener();
  driver.submit({ id: 'a', promptTokens: 1, outputTokens: 3 }, sink);
  await clock.advanceTo(130);
  expect(driver.behindNs()).toBe(20);
  await clock.runAll();
  expect(sink.tokensNs).toEqual([110, 220, 330]);
  expect(lateness.read()).toMatchObject({ count: 3, meanNs: 30, maxNs: 30 });
});

test('however late the process is, the plan is a simulation of the same arrivals', async () => {
  const anyArrivals = fc.array(
    fc.record({
      gapNs: fc.integer({ min: 0, max: 600 }),
      promptTokens: fc.integer({ min: 1, max: 20 }),
      outputTokens: fc.integer({ min: 1, max: 6 }),
    }),
    { minLength: 1, maxLength: 12 },
  );
  const anyLateness = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 5 });
  const anyMaxWaiting = fc.option(fc.integer({ min: 1, max: 4 }));
  await fc.assert(
    fc.asyncProperty(anyArrivals, anyLateness, anyMaxWaiting, async (gaps, lateNs, maxWaiting) => {
      let atNs = 0;
      const arrivals: Arrival[] = gaps.map(({ gapNs, ...request }) => {
        atNs += gapNs;
        return { ...request, atNs };
      });
      const clock = new VirtualClock();
      const driver = new StepDriver(engineWith({ maxWaiting }), lateClock(clock, lateNs), PLAIN);
      const sinks = arrivals.map(() => listener());
      for (const [id, arrival] of arrivals.entries()) {
        clock.at(arrival.atNs, () => {
          driver.submit({ ...arrival, id: String(id) }, sinks[id] as Heard);
        });
      }
      await clock.runAll();
      const simulated = serveOnEngine(engineWith({ maxWaiting }), arrivals);
      expect(sinks.map((sink) => sink.tokensNs)).toEqual(simulated);
    }),
    { numRuns: 60 },
  );
});
