/** What every serving engine must do, whatever its scheduling policy is. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type {
  Engine,
  EngineRequest,
  EngineState,
  StepPlan,
  TokenEvent,
} from '../../src/engine/index.ts';
import {
  anyRequest,
  anySetup,
  requestFor,
  type EngineSetup,
  type NamelessRequest,
} from '../support/engine-setup-arbitrary.ts';

/** One move against an engine; `pick` chooses among the requests it holds, modulo their number. */
type Move =
  | { readonly kind: 'admit'; readonly request: NamelessRequest }
  | { readonly kind: 'cancel'; readonly pick: number }
  | { readonly kind: 'step' };

const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Move>({ kind: 'step' }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('admit' as const), request: anyRequest }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat() }) },
);

const anyGame = fc.tuple(anySetup, fc.array(anyMove, { maxLength: 120 }));

/** No game of that many moves takes more steps, unless the engine runs in circles. */
const MOST_STEPS = 50_000;

/** One step, with what the engine had generated for each request before it. */
interface PlayedStep {
  readonly plan: StepPlan;
  readonly durationNs: number;
  readonly generated: ReadonlyMap<string, number>;
  /** While the step is under way. */
  readonly state: EngineState;
}

/** Everything that happened in one game. */
interface Game {
  readonly engine: Engine;
  readonly admitted: ReadonlyMap<string, EngineRequest>;
  readonly cancelled: ReadonlySet<string>;
  readonly steps: readonly PlayedStep[];
  readonly events: readonly TokenEvent[];
}

/** Plays the moves; a cancellation in the middle of a step happens between plan and commit. */
function play(engine: Engine, setup: EngineSetup, moves: readonly Move[]): Game {
  const admitted = new Map<string, EngineRequest>();
  const held = new Set<string>();
  const cancelled = new Set<string>();
  const generated = new Map<string, number>();
  const steps: PlayedStep[] = [];
  const events: TokenEvent[] = [];
  let underWay: StepPlan | null = null;
  const finishStep = (): void => {
    if (underWay === null) return;
    for (const event of engine.commit(underWay)) {
      events.push(event);
      generated.set(event.id, event.index + 1);
      if (event.last) held.delete(event.id);
    }
    underWay = null;
  };
  const startStep = (): boolean => {
    expect(steps.length).toBeLessThan(MOST_STEPS);
    underWay = engine.plan();
    if (underWay === null) {
      expect(held).toEqual(new Set());
      return false;
    }
    expect(engine.plan()).toEqual(underWay);
    const durationNs = engine.stepDurationNs(underWay);
    steps.push({
      plan: underWay,
      durationNs,
      generated: new Map(generated),
      state: engine.state(),
    });
    return true;
  };
  for (const [at, move] of moves.entries()) {
    if (move.kind === 'step') {
      finishStep();
      startStep();
    } else if (move.kind === 'admit') {
      const request = requestFor(setup, `r${at}`, move.request);
      if (engine.admit(request).kind === 'admitted') {
        admitted.set(request.id, request);
        held.add(request.id);
      }
    } else {
      const id = [...held][move.pick % Math.max(1, held.size)];
      if (id === undefined) continue;
      expect(engine.cancel(id)).toBe(true);
      held.delete(id);
      cancelled.add(id);
    }
  }
  finishStep();
  while (startStep()) finishStep();
  return { engine, admitted, cancelled, steps, events };
}

function request(game: Game, id: string): EngineRequest {
  return game.admitted.get(id) as EngineRequest;
}

/**
 * Tokens that requests found when they came back and had never computed: another one, with the same
 * beginning, had got further meanwhile.
 */
function foundBeyondTokens(game: Game): number {
  const furthestTokens = new Map<string, number>();
  let beyondTokens = 0;
  for (const { plan } of game.steps) {
    for (const { id, fromTokens, tokens, entry } of plan.prefills) {
      const before = furthestTokens.get(id) ?? 0;
      if (entry === 'resumed') beyondTokens += Math.max(0, fromTokens - before);
      furthestTokens.set(id, Math.max(before, fromTokens + tokens));
    }
    for (const id of plan.decodes) furthestTokens.set(id, (furthestTokens.get(id) ?? 0) + 1);
  }
  return beyondTokens;
}

/** The laws of the engine port; `make` gives a fresh engine of that setup. */
export function engineConformance(name: string, make: (setup: EngineSetup) => Engine): void {
  describe(`${name} keeps the laws of the engine port`, () => {
    const law = (title: string, check: (game: Game, setup: EngineSetup) => void): void => {
      test(title, () => {
        fc.assert(
          fc.property(anyGame, ([setup, moves]) => check(play(make(setup), setup, moves), setup)),
        );
      });
    };
    const lawWithoutCancelling: typeof law = (title, check) => {
      test(title, () => {
        fc.assert(
          fc.property(anyGame, ([setup, moves]) => {
            const patient = moves.filter(({ kind }) => kind !== 'cancel');
            check(play(make(setup), setup, patient), setup);
          }),
          // Twice preempted requests are rare.
          { numRuns: 500 },
        );
      });
    };

    law('every admitted request gets exactly its tokens, in order, or was cancelled', (game) => {
      const next = new Map<string, number>();
      for (const { id, index, last } of game.events) {
        expect(index).toBe(next.get(id) ?? 0);
        next.set(id, index + 1);
        expect(last).toBe(index + 1 === request(game, id).outputTokens);
      }
      for (const [id, { outputTokens }] of game.admitted) {
        if (!game.cancelled.has(id)) expect(next.get(id)).toBe(outputTokens);
      }
    });

    law('a prompt is computed in order, from what was found, again after a preemption', (game) => {
      const computed = new Map<string, number>();
      const begun = new Set<string>();
      for (const { plan, generated } of game.steps) {
        for (const id of plan.preempted) computed.delete(id);
        for (const { id, fromTokens, tokens, completes, entry } of plan.prefills) {
          const known = request(game, id).promptTokens + (generated.get(id) ?? 0);
          if (entry === null) expect(fromTokens).toBe(computed.get(id));
          else expect(computed.has(id)).toBe(false);
          expect(entry === 'new').toBe(!begun.has(id));
          begun.add(id);
          computed.set(id, fromTokens + tokens);
          expect(tokens).toBeGreaterThan(0);
          expect(completes).toBe(fromTokens + tokens === known);
        }
        for (const id of plan.decodes) {
          const known = request(game, id).promptTokens + (generated.get(id) ?? 0);
          expect(computed.get(id)).toBe(known - 1);
          computed.set(id, known);
        }
      }
    });

    law('a step gives a token to those that decode or complete', (game) => {
      const tokens = game.steps.flatMap(({ plan: { decodes, prefills } }) => [
        ...decodes,
        ...prefills.filter(({ completes }) => completes).map(({ id }) => id),
      ]);
      const kept = (id: string): boolean => !game.cancelled.has(id);
      const given = game.events.map(({ id }) => id).filter(kept);
      expect(given.toSorted()).toEqual(tokens.filter(kept).toSorted());
    });

    law('a step computes at least one token, no more than the budget', (game, { limits }) => {
      for (const { plan } of game.steps) {
        const { decodes, prefills, load } = plan;
        const prefillTokens = prefills.reduce((sum, chunk) => sum + chunk.tokens, 0);
        expect(load).toMatchObject({
          computedTokens: decodes.length + prefillTokens,
          decodeSequences: decodes.length,
          prefillSequences: prefills.length,
          prefillTokens,
          completedPrompts: prefills.filter(({ completes }) => completes).length,
        });
        expect(load.computedTokens).toBeGreaterThan(0);
        expect(load.computedTokens).toBeLessThanOrEqual(limits.tokenBudget);
        const most = limits.longPrefillTokenThreshold ?? Infinity;
        for (const { tokens } of prefills) expect(tokens).toBeLessThanOrEqual(most);
      }
    });

    law('a step holds no request twice and no more than the batch has places', (game, setup) => {
      for (const { plan, state } of game.steps) {
        const ids = [...plan.decodes, ...plan.prefills.map((chunk) => chunk.id)];
        expect(new Set(ids).size).toBe(ids.length);
        expect(state.running).toBeLessThanOrEqual(setup.limits.maxSequences);
        expect(ids.length).toBeLessThanOrEqual(state.running);
      }
    });

    law('in the order of arrival, first tokens come in the order of admission', (game, setup) => {
      if (setup.policy !== 'fcfs' || setup.limits.longPrefillTokenThreshold !== null) return;
      const order = [...game.admitted.keys()];
      const firsts = game.events.filter(({ index }) => index === 0).map(({ id }) => id);
      expect(firsts).toEqual(order.filter((id) => firsts.includes(id)));
    });

    law('nothing is held when all requests have left', ({ engine }, { memory }) => {
      const usedBlocks = memory === null ? null : 0;
      const nobody = { waiting: 0, running: 0, receiving: 0, handing: 0 };
      expect(engine.state()).toEqual({ ...nobody, heldTokens: 0, usedBlocks });
      expect(engine.waitingIds()).toEqual([]);
    });

    law('every step takes whole nanoseconds, at least one', ({ steps }) => {
      for (const { durationNs } of steps) {
        expect(Number.isSafeInteger(durationNs)).toBe(true);
        expect(durationNs).toBeGreaterThanOrEqual(1);
      }
    });

    law('blocks are enough for what is held and never more than there are', (game, { memory }) => {
      for (const { state } of game.steps) {
        if (memory === null) {
          expect(state.usedBlocks).toBeNull();
          continue;
        }
        expect(state.usedBlocks).toBeLessThanOrEqual(memory.blocks);
        // Shared blocks hold tokens of many requests at once.
        if (memory.prefixCaching) continue;
        const roomTokens = (state.usedBlocks ?? 0) * memory.blockTokens;
        expect(roomTokens).toBeGreaterThanOrEqual(state.heldTokens);
      }
    });

    law('without a limit on memory nobody is preempted and nothing is found', (game, setup) => {
      const totals = game.engine.totals();
      const preempted = game.steps.flatMap(({ plan }) => plan.preempted);
      expect(totals.preemptions).toBe(preempted.length);
      if (setup.memory === null) expect(totals.preemptions).toBe(0);
      if (setup.memory?.prefixCaching !== true) {
        expect(totals).toMatchObject({ prefixQueryTokens: 0, prefixHitTokens: 0 });
        expect(totals.restoredTokens).toBe(0);
      }
    });

    lawWithoutCancelling('tokens computed = needed − found + computed again', (game) => {
      const { recomputedTokens, prefixHitTokens } = game.engine.totals();
      let needed = 0;
      for (const { promptTokens, outputTokens } of game.admitted.values()) {
        needed += promptTokens + outputTokens - 1;
      }
      const computed = game.steps.reduce((sum, { plan }) => sum + plan.load.computedTokens, 0);
      const found = prefixHitTokens + foundBeyondTokens(game);
      expect(computed).toBe(needed - found + recomputedTokens);
    });

    law('only whole blocks that the same tenant filed before are found', (game, { memory }) => {
      const filed = new Set<string>();
      let hitTokens = 0;
      for (const { id, fromTokens, entry } of game.steps.flatMap(({ plan }) => plan.prefills)) {
        const { promptTokens, content } = request(game, id);
        const keys = (content?.blockIds ?? []).map((block) => `${content?.salt}: ${block}`);
        if (entry === 'new') {
          hitTokens += fromTokens;
          expect(fromTokens).toBeLessThan(promptTokens);
          const found = fromTokens / (memory?.blockTokens ?? 1);
          expect(found).toBeLessThanOrEqual(keys.length);
          expect(keys.slice(0, found).filter((key) => !filed.has(key))).toEqual([]);
        }
        for (const key of keys) filed.add(key);
      }
      expect(game.engine.totals().prefixHitTokens).toBe(hitTokens);
    });

    test('the same calls give the same steps', () => {
      fc.assert(
        fc.property(anyGame, ([setup, moves]) => {
          const [first, second] = [make(setup), make(setup)].map((e) => play(e, setup, moves));
          expect(second?.steps).toEqual(first?.steps);
          expect(second?.events).toEqual(first?.events);
        }),
      );
    });
  });
}
