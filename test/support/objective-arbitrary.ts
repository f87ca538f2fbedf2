/** Random objectives and records for laws: anything the types allow and an expression can say. */
import * as fc from 'fast-check';
import { OUTPUT_KINDS, type FinishReason, type RequestEnd } from '../../src/record/index.ts';
import {
  bucketsBetween,
  plainObjective,
  type BucketLimit,
  type Objective,
} from '../../src/slo/index.ts';
import { failedEnd, type RecordOptions } from './record-builder.ts';

const MS = 1_000_000;
const FINISH: readonly FinishReason[] = ['stop', 'length', 'toolCalls', 'contentFilter', 'other'];

// Half milliseconds, so that limits lie between the whole ones of the records, and on them.
const limitNs = fc.integer({ min: 1, max: 60_000 }).map((halfMs) => (halfMs * MS) / 2);
const share = fc.integer({ min: 0, max: 100_000 }).map((n) => n / 100_000);
const q = fc.integer({ min: 1, max: 10_000 }).map((n) => n / 10_000);
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 2 });
/** Some of the words, the first named most of the time. */
const withMost = <T>(first: T, words: readonly T[]) =>
  fc.uniqueArray(mostly(first, words), { minLength: 1 });

const ttft: fc.Arbitrary<BucketLimit[]> = fc
  .record({
    edges: fc.uniqueArray(fc.integer({ min: 1, max: 100_000 }), { maxLength: 4 }),
    limits: fc.array(limitNs, { minLength: 5, maxLength: 5 }),
  })
  .map(({ edges, limits }) =>
    bucketsBetween(edges.toSorted((a, b) => a - b)).map((bucket, index) => ({
      ...bucket,
      limitNs: limits[index]!,
    })),
  );

/** Any objective an expression can say, under the name `inline`. */
export const anyObjective: fc.Arbitrary<Objective> = fc.record({
  ...constants(plainObjective('inline')),
  request: fc.record({
    counts: withMost('answer', OUTPUT_KINDS),
    from: fc.constantFrom('planned', 'dispatch'),
    ttft: nullable(ttft),
    firstAnswerNs: nullable(limitNs),
    tpot: nullable(fc.record({ limitNs, basis: fc.constantFrom('any', 'observed') })),
    gapMaxNs: nullable(limitNs),
    gapQuantile: nullable(fc.record({ q, limitNs })),
    e2eNs: nullable(limitNs),
    outputTokensMax: nullable(fc.integer({ min: 1, max: 20_000 })),
    correctness: fc.record({
      finish: withMost('stop', FINISH),
      needs: withMost('answer', OUTPUT_KINDS),
      strictTerminal: fc.boolean(),
      checks: fc.constant([]),
    }),
  }),
  population: fc.record({
    attainmentShare: nullable(share),
    successShare: nullable(share),
    quantiles: fc.uniqueArray(
      fc.record({
        measure: fc.constantFrom('ttft', 'firstAnswer', 'tpot', 'gap', 'e2e'),
        q,
        limitNs,
      }),
      { maxLength: 3, selector: (one) => `${one.measure} ${one.q}` },
    ),
    worst: nullable(fc.record({ by: fc.constantFrom('tenant', 'class'), attainmentShare: share })),
    periodNs: nullable(limitNs),
  }),
  perspective: fc.constantFrom('operator', 'buyer'),
  timedOut: fc.constantFrom('miss', 'censored'),
});

const anEnd: fc.Arbitrary<RequestEnd> = fc.oneof(
  { weight: 15, arbitrary: fc.constant({ kind: 'completed' } as const) },
  fc.integer({ min: 0, max: 40_000 }).map((ms) => ({ kind: 'cancelled', atNs: ms * MS }) as const),
  fc
    .integer({ min: 0, max: 40_000 })
    .map((ms) => ({ kind: 'timedOut', deadlineNs: ms * MS }) as const),
  fc.constantFrom(
    failedEnd('socket'),
    failedEnd('httpStatus', { httpStatus: 503 }),
    failedEnd('httpStatus', { httpStatus: 429, evidence: ['quota'] }),
  ),
);

/** Mostly the first word, so that a fair share of requests is good and laws have something to say. */
function mostly<T>(first: T, others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(first) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

/** Any request: dropped, cut, failed, refused or answered, with output and usage or without. */
export const anyRecord: fc.Arbitrary<RecordOptions> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.constantFrom<RecordOptions>({ dropped: 'late' }, { notReached: true }),
  },
  { weight: 20, arbitrary: sentRecord() },
);

function sentRecord(): fc.Arbitrary<RecordOptions> {
  return fc
    .record({
      lagMs: fc.integer({ min: 0, max: 500 }),
      gapsMs: fc.array(
        fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 8_000 })),
        {
          maxLength: 6,
        },
      ),
      kinds: fc.array(mostly('answer', OUTPUT_KINDS), { minLength: 6, maxLength: 6 }),
      usage: fc.option(
        fc.record({
          promptTokens: nullable(fc.integer({ min: 0, max: 100_000 })),
          completionTokens: fc.option(fc.integer({ min: 0, max: 20 }), { nil: null, freq: 5 }),
        }),
        { nil: null, freq: 5 },
      ),
      finishReason: mostly<FinishReason | null>('stop', [...FINISH, null]),
      end: anEnd,
      streamed: mostly(true, [false]),
      oneTokenPerEvent: fc.boolean(),
    })
    .map(({ lagMs, gapsMs, kinds, ...rest }) => {
      const dispatchedNs = lagMs * MS;
      let atNs = dispatchedNs;
      const arrivalsNs = gapsMs.map((gapMs) => (atNs += gapMs * MS));
      return {
        ...rest,
        plannedNs: 0,
        dispatchedNs,
        arrivalsNs,
        kinds: kinds.slice(0, arrivalsNs.length),
      };
    });
}

function constants<T extends object>(value: T): { [K in keyof T]: fc.Arbitrary<T[K]> } {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, fc.constant(inner)]),
  ) as { [K in keyof T]: fc.Arbitrary<T[K]> };
}
