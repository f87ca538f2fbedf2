/** The engine against the naive scheduler, step by step, and what memory must not change. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEngine, seedCostModel, type Engine } from '../../src/engine/index.ts';
import {
  anyRequest,
  anySetup,
  requestFor,
  type EngineSetup,
  type NamelessRequest,
} from '../support/engine-setup-arbitrary.ts';
import { NaiveScheduler } from '../support/naive-scheduler.ts';

/** Requests with the number of steps that pass before the next one is handed in. */
type Timetable = readonly { readonly request: NamelessRequest; readonly steps: number }[];

const anyTimetable: fc.Arbitrary<Timetable> = fc.array(
  fc.record({ request: anyRequest, steps: fc.integer({ min: 0, max: 6 }) }),
  { minLength: 1, maxLength: 25 },
);

function engineOf(setup: EngineSetup): Engine {
  return createEngine({ ...setup, costModel: seedCostModel, speedScale: 1 });
}

/** Runs a timetable; `step` is called until it says that nothing is left. */
function run(
  timetable: Timetable,
  add: (at: number, request: NamelessRequest) => void,
  step: () => boolean,
): void {
  for (const [at, { request, steps }] of timetable.entries()) {
    add(at, request);
    for (let done = 0; done < steps && step(); done += 1);
  }
  while (step());
}

/** What both schedulers can be asked about a step. */
interface Row {
  readonly preempted: readonly string[];
  readonly usedBlocks: number | null;
  /** `id: from + tokens`, sorted. */
  readonly shares: readonly string[];
  readonly tokensTo: readonly string[];
}

function engineRow(engine: Engine, computed: Map<string, number>): Row | null {
  const plan = engine.plan();
  if (plan === null) return null;
  const { usedBlocks } = engine.state();
  for (const { id, fromTokens } of plan.prefills) computed.set(id, fromTokens);
  const shares = [...plan.prefills, ...plan.decodes.map((id) => ({ id, tokens: 1 }))];
  const texts = shares.map(({ id, tokens }) => {
    const from = computed.get(id) ?? 0;
    computed.set(id, from + tokens);
    return `${id}: ${from} + ${tokens}`;
  });
  const tokensTo = engine.commit(plan).map(({ id }) => id);
  return { preempted: plan.preempted, usedBlocks, shares: texts.toSorted(), tokensTo };
}

function naiveRow(naive: NaiveScheduler): Row | null {
  if (naive.isEmpty) return null;
  const { preempted, usedBlocks, shares } = naive.schedule();
  const texts = shares.map(({ id, from, tokens }) => `${id}: ${from} + ${tokens}`);
  return { preempted, usedBlocks, shares: texts.toSorted(), tokensTo: naive.update() };
}

test('every step is the one a naive writing of the same rules takes', () => {
  fc.assert(
    fc.property(anySetup, anyTimetable, (setup, timetable) => {
      const engine = engineOf(setup);
      const naive = new NaiveScheduler(setup);
      const computed = new Map<string, number>();
      const [rows, naiveRows]: [(Row | null)[], (Row | null)[]] = [[], []];
      const add = (at: number, nameless: NamelessRequest): void => {
        const request = requestFor(setup, `r${at}`, nameless);
        if (engine.admit(request).kind === 'admitted') naive.add(request);
      };
      run(timetable, add, () => {
        rows.push(engineRow(engine, computed));
        naiveRows.push(naiveRow(naive));
        return rows.at(-1) !== null && naiveRows.at(-1) !== null;
      });
      expect(rows).toEqual(naiveRows);
    }),
    { numRuns: 300 },
  );
});

/** Tokens each request got, and the steps it took to serve all. */
function serve(setup: EngineSetup, timetable: Timetable): Record<string, number> {
  const engine = engineOf(setup);
  const tokens: Record<string, number> = {};
  const add = (at: number, request: NamelessRequest): void => {
    engine.admit(requestFor(setup, `r${at}`, request));
  };
  run(timetable, add, () => {
    const plan = engine.plan();
    if (plan === null) return false;
    for (const { id, index } of engine.commit(plan)) tokens[id] = index + 1;
    return true;
  });
  return tokens;
}

const anyMemory = anySetup.filter(({ memory, limits }) => {
  return memory !== null && limits.maxWaiting === null;
});

test('a prefix cache changes when tokens come, never which', () => {
  fc.assert(
    fc.property(anyMemory, anyTimetable, (setup, timetable) => {
      const tokensWith = (prefixCaching: boolean): Record<string, number> => {
        const memory = setup.memory === null ? null : { ...setup.memory, prefixCaching };
        return serve({ ...setup, memory }, timetable);
      };
      expect(tokensWith(true)).toEqual(tokensWith(false));
    }),
  );
});

test('memory for everything at once is as good as no limit', () => {
  fc.assert(
    fc.property(anySetup, anyTimetable, (setup, timetable) => {
      const plansOf = (memory: EngineSetup['memory']): unknown[] => {
        const engine = engineOf({ ...setup, memory });
        const plans: unknown[] = [];
        const add = (at: number, request: NamelessRequest): void => {
          engine.admit(requestFor(setup, `r${at}`, request));
        };
        run(timetable, add, () => {
          const plan = engine.plan();
          if (plan === null) return false;
          plans.push(plan);
          engine.commit(plan);
          return true;
        });
        return plans;
      };
      const enough = {
        blocks: 25 * 85,
        blockTokens: 1,
        prefixCaching: false,
        reserveFullPrompt: true,
      };
      expect(plansOf(enough)).toEqual(plansOf(null));
    }),
  );
});
