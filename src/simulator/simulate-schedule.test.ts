import { describe, expect, it, test } from 'vitest';
import { atSeconds, fatesOf, scheduleOf } from '../../test/support/point-run.ts';
import {
  inPlace,
  ROOMY_ENGINE,
  ROOMY_SERVICE,
  simulatePoint,
} from '../../test/support/simulated-point.ts';
import { nsFromMs, nsFromSeconds } from '../base/index.ts';
import { createEngine } from '../engine/index.ts';
import type { PromptRecipe, Schedule } from '../workload/index.ts';

/** Each step takes 10 ms, whatever it does. */
const STEADY = {
  ...ROOMY_ENGINE,
  costModel: { name: 'steady', stepSeconds: () => 0.01 },
};

function serviceOf(engine: Partial<typeof STEADY>, more: Partial<typeof ROOMY_SERVICE> = {}) {
  return { ...ROOMY_SERVICE, ...more, engine: { ...STEADY, ...engine } };
}

function limited(limits: Partial<typeof STEADY.limits>) {
  return serviceOf({ limits: { ...STEADY.limits, ...limits } });
}

function asking(schedule: Schedule, prompt: PromptRecipe, promptTokens: number): Schedule {
  return {
    ...schedule,
    requests: schedule.requests.map((request) => ({ ...request, prompt, promptTokens })),
  };
}

describe('a lonely request', () => {
  it('gets its first token after its prefill and one more each step', async () => {
    const { records, outcome } = await simulatePoint(
      scheduleOf(atSeconds(1), { outputTokensMax: 3 }),
      serviceOf({}),
    );
    const [record] = records;
    expect(record?.dispatch).toEqual({
      kind: 'sent',
      plannedNs: nsFromSeconds(1),
      dispatchedNs: nsFromSeconds(1),
    });
    expect(record?.timeline?.output.atNs).toEqual([1.01, 1.02, 1.03].map(nsFromSeconds));
    expect(record).toMatchObject({
      source: 'simulated',
      clock: 'server',
      end: { kind: 'completed' },
      httpStatus: 200,
      queueNs: 0,
      timeline: {
        doneNs: nsFromSeconds(1.03),
        finishReason: 'length',
        usage: { promptTokens: 10, completionTokens: 3, cachedPromptTokens: null },
      },
    });
    expect(outcome.counts).toMatchObject({ scheduled: 1, ended: 1 });
  });

  it('takes what the engine says its steps cost', async () => {
    const { records } = await simulatePoint(scheduleOf(atSeconds(0), { outputTokensMax: 1 }));
    const engine = createEngine(ROOMY_ENGINE);
    engine.admit({ id: '0', promptTokens: 10, outputTokens: 1 });
    const plan = engine.plan();
    expect(records[0]?.timeline?.doneNs).toBe(plan === null ? null : engine.stepDurationNs(plan));
  });

  it('answers as long as the model would, at most as long as asked', async () => {
    const schedule = scheduleOf(atSeconds(...Array.from({ length: 60 }, (_, at) => at)), {
      outputTokensMax: 200,
      stopNs: nsFromSeconds(100),
    });
    const natural = { answers: { exact: false, seed: 5 } };
    const { records } = await simulatePoint(schedule, ROOMY_SERVICE, natural);
    const answers = inPlace(records).map(({ timeline }) => ({
      tokens: timeline?.usage?.completionTokens ?? 0,
      reason: timeline?.finishReason,
    }));
    for (const { tokens, reason } of answers) {
      expect(reason).toBe(tokens < 200 ? 'stop' : reason);
      expect(tokens).toBeLessThanOrEqual(200);
    }
    // The median of the model's own lengths is 200.
    const cut = answers.filter(({ reason }) => reason === 'length').length;
    expect(cut).toBeGreaterThan(15);
    expect(cut).toBeLessThan(45);
  });
});

describe('who is not served', () => {
  it('waits for a step, or is turned away where the queue is full', async () => {
    const { records } = await simulatePoint(
      scheduleOf(atSeconds(0, 0.001, 0.002, 0.003)),
      limited({ maxSequences: 1, maxWaiting: 2 }),
    );
    expect(fatesOf(records)).toEqual({
      0: 'completed',
      1: 'completed',
      2: 'completed',
      3: 'failed',
    });
    expect(inPlace(records)[3]).toMatchObject({
      httpStatus: 503,
      end: { failure: 'httpStatus', error: { httpStatus: 503, evidence: [] } },
      timeline: { output: { atNs: [] } },
    });
  });

  it('is refused as servers refuse a context that is too long: by what was asked', async () => {
    const { records } = await simulatePoint(
      scheduleOf(atSeconds(0), { outputTokensMax: 20 }),
      limited({ maxModelTokens: 29 }),
      { answers: { exact: false, seed: 1 } },
    );
    expect(records[0]).toMatchObject({
      httpStatus: 400,
      end: { kind: 'failed', error: { evidence: ['contextLength'] } },
    });
  });

  it('is turned away after too long in the queue, when the next step begins', async () => {
    const { records } = await simulatePoint(
      scheduleOf(atSeconds(0, 0.001), { outputTokensMax: 20 }),
      {
        ...limited({ maxSequences: 1 }),
        queueTimeoutNs: nsFromMs(50),
      },
    );
    const [first, second] = inPlace(records);
    expect(first?.end?.kind).toBe('completed');
    expect(second).toMatchObject({ httpStatus: 503, queueNs: null });
    expect(second?.timeline?.bodyEndNs).toBe(nsFromMs(60));
  });

  it('times out at its deadline with what it had, and leaves its place to others', async () => {
    const { records } = await simulatePoint(
      scheduleOf(atSeconds(0, 0.02), { outputTokensMax: 20 }),
      limited({ maxSequences: 1 }),
      { requestTimeoutNs: nsFromMs(105) },
    );
    const [first, second] = inPlace(records);
    expect(first).toMatchObject({ end: { kind: 'timedOut', deadlineNs: nsFromMs(105) } });
    expect(first?.timeline?.output.atNs).toHaveLength(10);
    // The step under way ends at 110 ms.
    expect(second).toMatchObject({ end: { kind: 'timedOut' }, queueNs: nsFromMs(90) });
    expect(second?.timeline?.output.atNs).toEqual([nsFromMs(120)]);
  });

  it('is dropped above the ceiling', async () => {
    const { records } = await simulatePoint(scheduleOf(atSeconds(0, 0, 0)), serviceOf({}), {
      maxInFlight: 2,
    });
    expect(fatesOf(records)).toEqual({ 0: 'completed', 1: 'completed', 2: 'ceiling' });
  });

  it('is cancelled at the end of a point that does not drain', async () => {
    const { records, outcome } = await simulatePoint(
      scheduleOf(atSeconds(0), { outputTokensMax: 20, stopNs: nsFromMs(35) }),
      serviceOf({}),
      { atEnd: { kind: 'cancel' } },
    );
    expect(records[0]).toMatchObject({ end: { kind: 'cancelled', atNs: nsFromMs(35) } });
    expect(records[0]?.timeline?.output.atNs).toHaveLength(3);
    expect(outcome.endNs).toBe(nsFromMs(35));
  });
});

describe('closed loops', () => {
  it('what the end of an answer sets off takes part in the very next step', async () => {
    const schedule = scheduleOf([{ kind: 'slot' }, { kind: 'slot' }, { kind: 'slot' }], {
      slots: 1,
      outputTokensMax: 2,
    });
    const { records, outcome } = await simulatePoint(schedule, serviceOf({}));
    const doneMs = inPlace(records).map(({ timeline }) => (timeline?.doneNs ?? 0) / 1e6);
    expect(doneMs).toEqual([20, 40, 60]);
    expect(outcome.stopReason).toBe('requests');
  });

  it('users think between answers', async () => {
    const schedule = scheduleOf(
      [
        { kind: 'after', index: null, thinkNs: nsFromMs(5) },
        { kind: 'after', index: 0, thinkNs: nsFromMs(100) },
      ],
      { outputTokensMax: 1 },
    );
    const { records } = await simulatePoint(schedule, serviceOf({}));
    const plannedMs = inPlace(records).map(({ dispatch }) => (dispatch.plannedNs ?? 0) / 1e6);
    expect(plannedMs).toEqual([5, 115]);
  });
});

describe('prefix caches', () => {
  const memory = { blocks: 100, blockTokens: 16, prefixCaching: true, reserveFullPrompt: true };
  const shared: PromptRecipe = {
    kind: 'synthetic',
    seed: 1,
    tokens: 50,
    sharedId: 3,
    sharedTokens: 40,
  };
  const cachedTokens = async (router: 'roundRobin' | 'prefixAffine') => {
    const { records } = await simulatePoint(
      asking(scheduleOf(atSeconds(0, 1, 2)), shared, 50),
      serviceOf({ memory }, { replicas: 2, router }),
    );
    return inPlace(records).map(({ timeline }) => timeline?.usage?.cachedPromptTokens);
  };

  it('serve the full blocks of a shared beginning, on the replica that has it', async () => {
    expect(await cachedTokens('roundRobin')).toEqual([0, 0, 32]);
    expect(await cachedTokens('prefixAffine')).toEqual([0, 32, 32]);
  });
});

test('virtual time waits for records that are being written', async () => {
  let writing = 0;
  let mostWriting = 0;
  const { outcome } = await simulatePoint(
    scheduleOf(Array.from({ length: 40 }, (_, at) => atSeconds(at)).flat(), { outputTokensMax: 2 }),
    serviceOf({}),
    {
      onRecord: async () => {
        writing += 1;
        mostWriting = Math.max(mostWriting, writing);
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
        writing -= 1;
      },
    },
  );
  expect(outcome.counts.ended).toBe(40);
  expect(mostWriting).toBe(1);
});
