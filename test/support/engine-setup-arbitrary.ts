/** Random engines and random requests for them, small enough that memory is scarce. */
import * as fc from 'fast-check';
import type { EngineOptions, EngineRequest, SequenceContent } from '../../src/engine/index.ts';

/** What shapes an engine, apart from what its steps cost. */
export type EngineSetup = Pick<EngineOptions, 'limits' | 'policy' | 'memory'>;

/** A request that has no id yet. */
export type NamelessRequest = Omit<EngineRequest, 'id'>;

export const anySetup: fc.Arbitrary<EngineSetup> = fc.record({
  limits: fc.record({
    tokenBudget: fc.integer({ min: 1, max: 40 }),
    maxSequences: fc.integer({ min: 1, max: 12 }),
    maxWaiting: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 2 }),
    maxModelTokens: fc.option(fc.integer({ min: 20, max: 120 }), { freq: 2 }),
    longPrefillTokenThreshold: fc.option(fc.integer({ min: 1, max: 20 }), { freq: 2 }),
  }),
  policy: fc.constantFrom('fcfs', 'priority'),
  memory: fc.option(
    fc.record({
      blocks: fc.integer({ min: 4, max: 25 }),
      blockTokens: fc.integer({ min: 1, max: 6 }),
      prefixCaching: fc.boolean(),
      reserveFullPrompt: fc.boolean(),
    }),
    { freq: 4 },
  ),
});

/** Few texts and tenants, so that many requests begin alike. */
const anyContent: fc.Arbitrary<SequenceContent> = fc
  .record({
    tenant: fc.integer({ min: 0, max: 1 }),
    text: fc.integer({ min: 0, max: 2 }),
    sharedBlocks: fc.integer({ min: 0, max: 12 }),
  })
  .map(({ tenant, text, sharedBlocks }) => ({
    salt: `tenant ${tenant}`,
    blockIds: Array.from({ length: sharedBlocks }, (_, at) => `text ${text} to block ${at}`),
  }));

/** Priorities are drawn for every request and dropped where the policy takes none. */
export const anyRequest: fc.Arbitrary<NamelessRequest> = fc.record(
  {
    promptTokens: fc.integer({ min: 1, max: 40 }),
    outputTokens: fc.integer({ min: 1, max: 40 }),
    priority: fc.integer({ min: -1, max: 2 }),
    content: anyContent,
  },
  { requiredKeys: ['promptTokens', 'outputTokens', 'priority'] },
);

/** The request as an engine of that setup takes it. */
export function requestFor(
  setup: EngineSetup,
  id: string,
  { priority = 0, ...request }: NamelessRequest,
): EngineRequest {
  return { ...request, id, priority: setup.policy === 'priority' ? priority : 0 };
}
