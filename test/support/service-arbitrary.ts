/** Random schedules and engines for simulated services. */
import * as fc from 'fast-check';
import { NS_PER_MS, NS_PER_SECOND } from '../../src/base/index.ts';
import { type EngineOptions, seedCostModel } from '../../src/engine/index.ts';
import type {
  PromptRecipe,
  Release,
  Schedule,
  ScheduledRequest,
} from '../../src/workload/index.ts';
import { anySetup } from './engine-setup-arbitrary.ts';

/** Before the last arrivals. */
const STOP_NS = 0.8 * NS_PER_SECOND;

type Shape = Pick<ScheduledRequest, 'promptTokens' | 'outputTokensMax' | 'prompt'>;

const anyShape: fc.Arbitrary<Shape> = fc
  .record({
    promptTokens: fc.integer({ min: 1, max: 60 }),
    outputTokensMax: fc.integer({ min: 1, max: 25 }),
    sharedId: fc.option(fc.nat(2)),
    sharedTokens: fc.nat(60),
  })
  .map(({ promptTokens, outputTokensMax, sharedId, sharedTokens }) => {
    const prompt: PromptRecipe = {
      kind: 'synthetic',
      seed: 1,
      tokens: promptTokens,
      sharedId,
      sharedTokens: sharedId === null ? 0 : Math.min(sharedTokens, promptTokens),
    };
    return { promptTokens, outputTokensMax, prompt };
  });

export function scheduleFrom(
  requests: readonly (Shape & { readonly release: Release })[],
  slots: number | null,
): Schedule {
  return {
    requests: requests.map((request, index) => ({
      ...request,
      index,
      session: null,
      class: null,
      priority: 0,
    })),
    stopNs: STOP_NS,
    slots,
    hash: 'test',
  };
}

/** Many arrive at once. */
export const openLoop: fc.Arbitrary<Schedule> = fc
  .array(fc.tuple(fc.nat(3), anyShape), { maxLength: 25 })
  .map((arrivals) =>
    scheduleFrom(
      arrivals
        .toSorted(([a], [b]) => a - b)
        .map(([at, shape]) => ({
          ...shape,
          release: { kind: 'at', atNs: at * 280 * NS_PER_MS },
        })),
      null,
    ),
  );

export const closedLoop: fc.Arbitrary<Schedule> = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.array(anyShape, { maxLength: 25 }))
  .map(([slots, shapes]) =>
    scheduleFrom(
      shapes.map((shape) => ({ ...shape, release: { kind: 'slot' } })),
      slots,
    ),
  );

export const users: fc.Arbitrary<Schedule> = fc
  .tuple(
    fc.integer({ min: 1, max: 4 }),
    fc.array(fc.tuple(fc.nat(200), anyShape), { maxLength: 25 }),
  )
  .map(([count, turns]) =>
    scheduleFrom(
      turns.map(([thinkMs, shape], at) => ({
        ...shape,
        release: {
          kind: 'after',
          index: at < count ? null : at - count,
          thinkNs: thinkMs * NS_PER_MS,
        },
      })),
      null,
    ),
  );

export const anyEngine: fc.Arbitrary<EngineOptions> = fc
  .tuple(anySetup, fc.boolean())
  .map(([setup, plansAhead]) => ({
    ...setup,
    policy: 'fcfs',
    plansAhead,
    costModel: seedCostModel,
    speedScale: 1,
  }));

export const anySchedule = fc.oneof(openLoop, closedLoop, users);
