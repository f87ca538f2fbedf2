import { describe, expect, test } from 'vitest';
import { InvariantError } from '../base/index.ts';
import { createEngine } from './batching-engine.ts';
import { seedCostModel } from './cost-model.ts';
import type { Engine, EngineLimits, StepPlan, TokenEvent } from './engine.ts';

const LIMITS: EngineLimits = {
  tokenBudget: 10,
  maxSequences: 3,
  maxWaiting: null,
  maxModelTokens: null,
  longPrefillTokenThreshold: null,
};

function engineWith(limits: Partial<EngineLimits> = {}, speedScale = 1): Engine {
  return createEngine({
    limits: { ...LIMITS, ...limits },
    policy: 'fcfs',
    memory: null,
    costModel: seedCostModel,
    speedScale,
  });
}

function step(engine: Engine): { plan: StepPlan; events: readonly TokenEvent[] } {
  const plan = engine.plan();
  if (plan === null) throw new Error('the engine has nothing to do');
  return { plan, events: engine.commit(plan) };
}

describe('one request', () => {
  test('its prompt is computed in chunks and the completing step gives the first token', () => {
    const engine = engineWith();
    engine.admit({ id: 'a', promptTokens: 25, outputTokens: 2 });
    const first = step(engine);
    expect(first.plan.prefills).toEqual([
      { id: 'a', fromTokens: 0, tokens: 10, completes: false, entry: 'new' },
    ]);
    expect(first.plan.load).toEqual({
      computedTokens: 10,
      contextTokens: 10,
      decodeSequences: 0,
      decodeContextTokens: 0,
      prefillSequences: 1,
      prefillTokens: 10,
      completedPrompts: 0,
      attentionPairs: 55,
    });
    expect(first.events).toEqual([]);
    expect(step(engine).plan.load).toMatchObject({ contextTokens: 20, attentionPairs: 155 });
    const third = step(engine);
    expect(third.plan.prefills).toEqual([
      { id: 'a', fromTokens: 20, tokens: 5, completes: true, entry: null },
    ]);
    expect(third.plan.load).toMatchObject({ contextTokens: 0, completedPrompts: 1 });
    expect(third.events).toEqual([{ id: 'a', index: 0, last: false }]);
    const fourth = step(engine);
    expect(fourth.plan.decodes).toEqual(['a']);
    expect(fourth.plan.load).toEqual({
      computedTokens: 1,
      contextTokens: 25,
      decodeSequences: 1,
      decodeContextTokens: 25,
      prefillSequences: 0,
      prefillTokens: 0,
      completedPrompts: 0,
      attentionPairs: 0,
    });
    expect(fourth.events).toEqual([{ id: 'a', index: 1, last: true }]);
    expect(engine.plan()).toBeNull();
  });

  test('an answer of one token ends with its prefill', () => {
    const engine = engineWith();
    engine.admit({ id: 'a', promptTokens: 3, outputTokens: 1 });
    expect(step(engine).events).toEqual([{ id: 'a', index: 0, last: true }]);
    expect(engine.state()).toMatchObject({
      waiting: 0,
      running: 0,
      heldTokens: 0,
      usedBlocks: null,
    });
  });
});

describe('sharing a step', () => {
  test('decodes go first and prompts share the rest in order', () => {
    const engine = engineWith();
    engine.admit({ id: 'a', promptTokens: 4, outputTokens: 9 });
    engine.admit({ id: 'b', promptTokens: 12, outputTokens: 9 });
    engine.admit({ id: 'c', promptTokens: 2, outputTokens: 9 });
    expect(step(engine).plan.prefills.map(({ id, tokens }) => [id, tokens])).toEqual([
      ['a', 4],
      ['b', 6],
    ]);
    const second = step(engine).plan;
    expect(second.decodes).toEqual(['a']);
    expect(second.prefills.map(({ id, tokens }) => [id, tokens])).toEqual([
      ['b', 6],
      ['c', 2],
    ]);
    expect(second.load).toMatchObject({ computedTokens: 9, contextTokens: 4 });
  });

  test('a full batch keeps the next prompt waiting', () => {
    const engine = engineWith({ maxSequences: 1 });
    engine.admit({ id: 'a', promptTokens: 1, outputTokens: 2 });
    engine.admit({ id: 'b', promptTokens: 1, outputTokens: 1 });
    step(engine);
    expect(engine.state()).toMatchObject({
      waiting: 1,
      running: 1,
      heldTokens: 1,
      usedBlocks: null,
    });
    expect(step(engine).plan.prefills).toEqual([]);
    expect(step(engine).events).toEqual([{ id: 'b', index: 0, last: true }]);
  });

  test('a batch as large as the budget leaves an incomplete prompt where it is', () => {
    const engine = engineWith({ tokenBudget: 2, maxSequences: 3 });
    engine.admit({ id: 'a', promptTokens: 1, outputTokens: 9 });
    engine.admit({ id: 'b', promptTokens: 2, outputTokens: 9 });
    engine.admit({ id: 'c', promptTokens: 9, outputTokens: 9 });
    step(engine);
    step(engine);
    const full = step(engine).plan;
    expect(full.decodes).toEqual(['a', 'b']);
    expect(full.prefills).toEqual([]);
    expect(full.load.computedTokens).toBe(2);
  });
});

describe('admission', () => {
  test('rejects what does not fit the queue or the model', () => {
    const engine = engineWith({ maxWaiting: 1, maxModelTokens: 10 });
    expect(engine.admit({ id: 'a', promptTokens: 9, outputTokens: 2 })).toEqual({
      kind: 'rejected',
      reason: 'contextLength',
    });
    expect(engine.admit({ id: 'b', promptTokens: 8, outputTokens: 2 }).kind).toBe('admitted');
    expect(engine.admit({ id: 'c', promptTokens: 1, outputTokens: 1 })).toEqual({
      kind: 'rejected',
      reason: 'queueFull',
    });
    step(engine);
    expect(engine.admit({ id: 'd', promptTokens: 1, outputTokens: 1 }).kind).toBe('admitted');
  });

  test('rejects what can never fit the memory, and serves what just fits', () => {
    const engine = createEngine({
      limits: LIMITS,
      policy: 'fcfs',
      memory: { blocks: 3, blockTokens: 4, prefixCaching: false, reserveFullPrompt: true },
      costModel: seedCostModel,
      speedScale: 1,
    });
    // The last token of an answer is never computed, so 13 tokens need room for 12.
    expect(engine.admit({ id: 'a', promptTokens: 10, outputTokens: 4 })).toEqual({
      kind: 'rejected',
      reason: 'contextLength',
    });
    engine.admit({ id: 'b', promptTokens: 10, outputTokens: 3 });
    expect([step(engine), step(engine), step(engine)].at(-1)?.events).toEqual([
      { id: 'b', index: 2, last: true },
    ]);
  });

  test('crashes on requests that make no sense', () => {
    const engine = engineWith();
    const bad = { id: 'a', promptTokens: 0, outputTokens: 1 };
    expect(() => engine.admit(bad)).toThrow(InvariantError);
    expect(() => engine.admit({ ...bad, promptTokens: 1, outputTokens: 1.5 })).toThrow(/whole/);
    engine.admit({ ...bad, promptTokens: 1 });
    expect(() => engine.admit({ ...bad, promptTokens: 1 })).toThrow(/already here/);
  });
});

describe('while a step is under way', () => {
  test('a cancelled request gives no token and holds nothing', () => {
    const engine = engineWith();
    engine.admit({ id: 'a', promptTokens: 1, outputTokens: 5 });
    engine.admit({ id: 'b', promptTokens: 1, outputTokens: 5 });
    step(engine);
    const plan = engine.plan() as StepPlan;
    expect(engine.cancel('a')).toBe(true);
    expect(engine.cancel('a')).toBe(false);
    expect(engine.commit(plan)).toEqual([{ id: 'b', index: 1, last: false }]);
    expect(engine.state()).toMatchObject({
      waiting: 0,
      running: 1,
      heldTokens: 2,
      usedBlocks: null,
    });
  });

  test('a plan is good for one commit', () => {
    const engine = engineWith();
    engine.admit({ id: 'a', promptTokens: 1, outputTokens: 5 });
    const plan = engine.plan() as StepPlan;
    engine.commit(plan);
    expect(() => engine.commit(plan)).toThrow(/not the next one/);
  });
});

describe('when memory runs out', () => {
  const scarce = (policy: 'fcfs' | 'priority', limits: Partial<EngineLimits>): Engine =>
    createEngine({
      limits: { ...LIMITS, ...limits },
      policy,
      memory: { blocks: 10, blockTokens: 1, prefixCaching: false, reserveFullPrompt: false },
      costModel: seedCostModel,
      speedScale: 1,
    });

  test('the last to arrive loses everything, waits first in line and computes it again', () => {
    const engine = scarce('fcfs', {});
    engine.admit({ id: 'a', promptTokens: 4, outputTokens: 5 });
    engine.admit({ id: 'b', promptTokens: 4, outputTokens: 3 });
    step(engine);
    step(engine);
    const { plan, events } = step(engine);
    expect(plan.preempted).toEqual(['b']);
    expect(plan.decodes).toEqual(['a']);
    expect(events).toEqual([{ id: 'a', index: 2, last: false }]);
    engine.admit({ id: 'c', promptTokens: 1, outputTokens: 1 });
    expect(engine.waitingIds()).toEqual(['b', 'c']);
    expect(engine.state()).toMatchObject({ waiting: 2, running: 1, heldTokens: 6, usedBlocks: 6 });
    step(engine);
    expect(step(engine).events.at(-1)).toEqual({ id: 'a', index: 4, last: true });
    // Its prompt and the two tokens it had: the step gives the third.
    const again = step(engine);
    expect(again.plan.prefills[0]).toEqual({
      id: 'b',
      fromTokens: 0,
      tokens: 6,
      completes: true,
      entry: 'resumed',
    });
    expect(again.events[0]).toEqual({ id: 'b', index: 2, last: true });
    expect(engine.totals()).toMatchObject({ preemptions: 1, recomputedTokens: 5 });
  });

  test('what the preempted one would have computed in the step is shared among the others', () => {
    const engine = scarce('priority', { tokenBudget: 4, longPrefillTokenThreshold: 2 });
    engine.admit({ id: 'worst', promptTokens: 1, outputTokens: 9, priority: 5 });
    step(engine);
    engine.admit({ id: 'a', promptTokens: 6, outputTokens: 1 });
    engine.admit({ id: 'b', promptTokens: 9, outputTokens: 1 });
    const shares = (plan: StepPlan) => plan.prefills.map(({ id, tokens }) => [id, tokens]);
    const second = step(engine).plan;
    expect(second.decodes).toEqual(['worst']);
    expect(shares(second)).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    step(engine);
    const { plan } = step(engine);
    expect(plan.preempted).toEqual(['worst']);
    expect(plan.decodes).toEqual([]);
    expect(shares(plan)).toEqual([
      ['a', 2],
      ['b', 2],
    ]);
  });
});

test('what a cancelled step would have computed is not in the prefix cache', () => {
  const engine = createEngine({
    limits: LIMITS,
    policy: 'fcfs',
    memory: { blocks: 10, blockTokens: 4, prefixCaching: true, reserveFullPrompt: true },
    costModel: seedCostModel,
    speedScale: 1,
  });
  const content = { salt: '', blockIds: ['one', 'two'] };
  const admit = (id: string): void => {
    engine.admit({ id, promptTokens: 9, outputTokens: 1, content });
  };
  admit('a');
  const plan = engine.plan() as StepPlan;
  engine.cancel('a');
  engine.commit(plan);
  admit('b');
  expect(step(engine).plan.prefills).toMatchObject([{ id: 'b', fromTokens: 0 }]);
  admit('c');
  expect(step(engine).plan.prefills).toMatchObject([{ id: 'c', fromTokens: 8 }]);
  expect(engine.totals()).toMatchObject({ prefixQueryTokens: 27, prefixHitTokens: 8 });
});

test('priorities are for engines that schedule by them', () => {
  const request = { id: 'a', promptTokens: 1, outputTokens: 1, priority: 1 };
  expect(() => engineWith().admit(request)).toThrow(/policy/);
});

test('the speed scale multiplies the duration of every step', () => {
  const engines = [engineWith({}, 1), engineWith({}, 0.1)];
  const durations = engines.map((engine) => {
    engine.admit({ id: 'a', promptTokens: 1, outputTokens: 1 });
    return engine.stepDurationNs(engine.plan() as StepPlan);
  });
  expect(durations).toEqual([6_061_194, 606_119]);
});

describe('planning ahead', () => {
  const engineAhead = (): Engine =>
    createEngine({
      limits: LIMITS,
      policy: 'fcfs',
      memory: null,
      plansAhead: true,
      costModel: seedCostModel,
      speedScale: 1,
    });

  test('who comes during a step is not in the next one, which was planned before', () => {
    const engine = engineAhead();
    engine.admit({ id: 'a', promptTokens: 3, outputTokens: 9 });
    // Nothing ran: the first step is planned when it begins.
    const underWay = engine.plan() as StepPlan;
    expect(underWay.prefills.map(({ id }) => id)).toEqual(['a']);
    engine.admit({ id: 'b', promptTokens: 3, outputTokens: 2 });
    expect(engine.state().waiting).toBe(1);
    engine.commit(underWay);
    const planned = engine.plan() as StepPlan;
    expect([planned.decodes, planned.prefills]).toEqual([['a'], []]);
    // The one after it is another one, so nothing may be skipped.
    expect(engine.repeats(planned)).toBe(1);
    engine.commit(planned);
    expect(step(engine).plan.prefills.map(({ id }) => id)).toEqual(['b']);
    expect(engine.repeats(engine.plan() as StepPlan)).toBe(1);
  });

  test('a newcomer can be cancelled, and starts at once when the batch has emptied', () => {
    const engine = engineAhead();
    engine.admit({ id: 'a', promptTokens: 3, outputTokens: 1 });
    const only = engine.plan() as StepPlan;
    for (const id of ['b', 'c']) engine.admit({ id, promptTokens: 3, outputTokens: 1 });
    expect([engine.cancel('b'), engine.waitingIds()]).toEqual([true, ['c']]);
    expect(engine.commit(only)).toEqual([{ id: 'a', index: 0, last: true }]);
    expect(step(engine).plan.prefills.map(({ id }) => id)).toEqual(['c']);
    expect(engine.plan()).toBeNull();
  });
});
