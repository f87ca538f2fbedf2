/** Requests that hand over what they computed, and those that receive it. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyRequest, anySetup, requestFor } from '../../test/support/engine-setup-arbitrary.ts';
import { createEngine } from './batching-engine.ts';
import { seedCostModel } from './cost-model.ts';
import type { Engine, EngineLimits, KvMemoryOptions } from './engine.ts';

const LIMITS: EngineLimits = {
  tokenBudget: 20,
  maxSequences: 3,
  maxWaiting: null,
  maxModelTokens: null,
  longPrefillTokenThreshold: null,
};

function engineWith(blocks: number): Engine {
  const memory: KvMemoryOptions = {
    blocks,
    blockTokens: 10,
    prefixCaching: false,
    reserveFullPrompt: true,
  };
  const options = { policy: 'fcfs', costModel: seedCostModel, speedScale: 1 } as const;
  return createEngine({ ...options, limits: LIMITS, memory });
}

function commitNext(engine: Engine) {
  const plan = engine.plan();
  if (plan === null) throw new Error('the engine has nothing to do');
  return engine.commit(plan);
}

test('who hands over keeps its blocks until it is cancelled', () => {
  const engine = engineWith(2);
  engine.admit({ id: 'a', promptTokens: 15, outputTokens: 1, handsOver: true });
  engine.admit({ id: 'b', promptTokens: 5, outputTokens: 1 });
  expect(commitNext(engine)).toEqual([{ id: 'a', index: 0, last: true }]);
  expect(engine.state()).toMatchObject({ running: 0, handing: 1, heldTokens: 15, usedBlocks: 2 });
  expect(engine.plan()).toBeNull();
  engine.cancel('a');
  expect(engine.state()).toMatchObject({ handing: 0, usedBlocks: 0 });
  expect(commitNext(engine)).toEqual([{ id: 'b', index: 0, last: true }]);
});

test('who receives has its place and blocks first, and then decodes', () => {
  const engine = engineWith(4);
  engine.admit({ id: 'a', promptTokens: 16, outputTokens: 2, receivedTokens: 15 });
  engine.admit({ id: 'b', promptTokens: 26, outputTokens: 2, receivedTokens: 25 });
  expect(engine.plan()).toBeNull();
  expect(engine.takeReceivers()).toEqual(['a']);
  expect(engine.takeReceivers()).toEqual([]);
  expect(engine.state()).toMatchObject({ receiving: 1, waiting: 1, usedBlocks: 2 });
  engine.received('a');
  const plan = engine.plan();
  // Its last token is computed, on top of what was received: a decode to the device.
  expect(plan?.decodes).toEqual(['a']);
  expect(plan?.load).toMatchObject({
    computedTokens: 1,
    decodeContextTokens: 15,
    prefillTokens: 0,
  });
  expect(commitNext(engine)).toEqual([{ id: 'a', index: 0, last: false }]);
  expect(commitNext(engine)).toEqual([{ id: 'a', index: 1, last: true }]);
  expect(engine.plan()).toBeNull();
  expect(engine.takeReceivers()).toEqual(['b']);
});

test('who is preempted computes again what it had received', () => {
  const engine = engineWith(4);
  for (const id of ['a', 'b']) {
    engine.admit({ id, promptTokens: 20, outputTokens: 5, receivedTokens: 19 });
  }
  expect(engine.plan()).toBeNull();
  for (const id of engine.takeReceivers()) engine.received(id);
  commitNext(engine);
  // Both need a third block, and there is none.
  const plan = engine.plan();
  expect(plan?.preempted).toEqual(['b']);
  expect(plan?.decodes).toEqual(['a']);
  const tokens: string[] = [];
  for (let next = engine.plan(); next !== null; next = engine.plan()) {
    tokens.push(...engine.commit(next).map(({ id }) => id));
  }
  expect(tokens).toEqual(['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b']);
  expect(engine.totals().recomputedTokens).toBe(20);
  expect(engine.takeReceivers()).toEqual([]);
});

test('law: steps that repeat, done together, leave the engine as one by one', () => {
  let skipped = 0;
  fc.assert(
    fc.property(anySetup, fc.array(anyRequest, { maxLength: 12 }), (setup, requests) => {
      const options = { ...setup, costModel: seedCostModel, speedScale: 1 };
      const [naive, skipping] = [createEngine(options), createEngine(options)];
      for (const [at, request] of requests.entries()) {
        for (const engine of [naive, skipping]) {
          engine.admit(requestFor(setup, String(at), request));
        }
      }
      for (let plan = skipping.plan(); plan !== null; plan = skipping.plan()) {
        const steps = skipping.repeats(plan);
        skipped += steps - 1;
        const last = skipping.commitRepeats(plan, steps);
        for (let step = 1; step < steps; step += 1) {
          expect(commitNext(naive).map(({ id }) => id)).toEqual(plan.decodes);
        }
        expect(commitNext(naive)).toEqual(last);
        expect(skipping.state()).toEqual(naive.state());
      }
      expect(naive.plan()).toBeNull();
      expect(skipping.totals()).toEqual(naive.totals());
    }),
    { numRuns: 300, seed: 5 },
  );
  expect(skipped).toBeGreaterThan(1_000);
});
