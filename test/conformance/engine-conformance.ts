/** What every serving engine must do, whatever its scheduling policy is. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type {
  Engine,
  EngineLimits,
  EngineRequest,
  StepPlan,
  TokenEvent,
} from '../../src/engine/index.ts';

/** One move against an engine; `pick` chooses among the requests it holds, modulo their number. */
type Move =
  | { readonly kind: 'admit'; readonly promptTokens: number; readonly outputTokens: number }
  | { readonly kind: 'cancel'; readonly pick: number }
  | { readonly kind: 'step' };

const anyLimits: fc.Arbitrary<EngineLimits> = fc.record({
  tokenBudget: fc.integer({ min: 1, max: 40 }),
  maxSequences: fc.integer({ min: 1, max: 12 }),
  maxWaiting: fc.option(fc.integer({ min: 1, max: 6 })),
  maxModelTokens: fc.option(fc.integer({ min: 20, max: 120 })),
});

const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Move>({ kind: 'step' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('admit' as const),
      promptTokens: fc.integer({ min: 1, max: 90 }),
      outputTokens: fc.integer({ min: 1, max: 25 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat() }) },
);

const anyGame = fc.tuple(anyLimits, fc.array(anyMove, { maxLength: 120 }));

/** Everything that happened in one game. */
interface Game {
  readonly engine: Engine;
  readonly admitted: ReadonlyMap<string, EngineRequest>;
  readonly cancelled: ReadonlySet<string>;
  readonly plans: readonly StepPlan[];
  readonly durationsNs: readonly number[];
  readonly events: readonly TokenEvent[];
}

/** Plays the moves; a cancellation in the middle of a step happens between plan and commit. */
function play(engine: Engine, moves: readonly Move[]): Game {
  const admitted = new Map<string, EngineRequest>();
  const held = new Set<string>();
  const cancelled = new Set<string>();
  const plans: StepPlan[] = [];
  const durationsNs: number[] = [];
  const events: TokenEvent[] = [];
  let underWay: StepPlan | null = null;
  const finishStep = (): void => {
    if (underWay === null) return;
    for (const event of engine.commit(underWay)) {
      events.push(event);
      if (event.last) held.delete(event.id);
    }
    underWay = null;
  };
  const startStep = (): boolean => {
    underWay = engine.plan();
    if (underWay === null) {
      expect(engine.state()).toEqual({ waiting: 0, running: 0, heldTokens: 0 });
      return false;
    }
    expect(engine.plan()).toEqual(underWay);
    plans.push(underWay);
    durationsNs.push(engine.stepDurationNs(underWay));
    return true;
  };
  for (const [at, move] of moves.entries()) {
    if (move.kind === 'step') {
      finishStep();
      startStep();
    } else if (move.kind === 'admit') {
      const { promptTokens, outputTokens } = move;
      const request = { id: `r${at}`, promptTokens, outputTokens };
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
  return { engine, admitted, cancelled, plans, durationsNs, events };
}

/** The laws of the engine port; `make` gives a fresh engine with these limits. */
export function engineConformance(name: string, make: (limits: EngineLimits) => Engine): void {
  describe(`${name} keeps the laws of the engine port`, () => {
    const law = (title: string, check: (game: Game, limits: EngineLimits) => void): void => {
      test(title, () => {
        fc.assert(
          fc.property(anyGame, ([limits, moves]) => check(play(make(limits), moves), limits)),
        );
      });
    };

    law('every admitted request gets exactly its tokens, in order, or was cancelled', (game) => {
      const next = new Map<string, number>();
      for (const { id, index, last } of game.events) {
        expect(index).toBe(next.get(id) ?? 0);
        next.set(id, index + 1);
        expect(last).toBe(index + 1 === game.admitted.get(id)?.outputTokens);
      }
      for (const [id, request] of game.admitted) {
        if (!game.cancelled.has(id)) expect(next.get(id)).toBe(request.outputTokens);
      }
    });

    law('every prompt token is computed exactly once before the first token', (game) => {
      const computed = new Map<string, number>();
      for (const { id, fromTokens, tokens, completes } of game.plans.flatMap((p) => p.prefills)) {
        expect(fromTokens).toBe(computed.get(id) ?? 0);
        expect(tokens).toBeGreaterThan(0);
        computed.set(id, fromTokens + tokens);
        expect(completes).toBe(fromTokens + tokens === game.admitted.get(id)?.promptTokens);
      }
      for (const { id } of game.events) {
        expect(computed.get(id)).toBe(game.admitted.get(id)?.promptTokens);
      }
    });

    law('a step computes at least one token and never more than the budget', (game, limits) => {
      for (const { decodes, prefills, load } of game.plans) {
        const tokens = prefills.reduce((sum, chunk) => sum + chunk.tokens, decodes.length);
        expect(load.computedTokens).toBe(tokens);
        expect(tokens).toBeGreaterThan(0);
        expect(tokens).toBeLessThanOrEqual(limits.tokenBudget);
      }
    });

    law('a step holds no request twice and no more than the batch has places', (game, limits) => {
      for (const { decodes, prefills } of game.plans) {
        const ids = [...decodes, ...prefills.map((chunk) => chunk.id)];
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.length).toBeLessThanOrEqual(limits.maxSequences);
      }
    });

    law('first tokens come in the order of admission', (game) => {
      const order = [...game.admitted.keys()];
      const firsts = game.events.filter(({ index }) => index === 0).map(({ id }) => id);
      expect(firsts).toEqual(order.filter((id) => firsts.includes(id)));
    });

    law('nothing is held when all requests have left', ({ engine }) => {
      expect(engine.state()).toEqual({ waiting: 0, running: 0, heldTokens: 0 });
    });

    law('every step takes whole nanoseconds, at least one', ({ durationsNs }) => {
      for (const ns of durationsNs) {
        expect(Number.isSafeInteger(ns)).toBe(true);
        expect(ns).toBeGreaterThanOrEqual(1);
      }
    });

    test('the same calls give the same steps', () => {
      fc.assert(
        fc.property(anyGame, ([limits, moves]) => {
          const [first, second] = [play(make(limits), moves), play(make(limits), moves)];
          expect(second.plans).toEqual(first.plans);
          expect(second.events).toEqual(first.events);
          expect(second.durationsNs).toEqual(first.durationsNs);
        }),
      );
    });
  });
}
