/** The part of the summary's schema that holds the objective it was judged by. */
import { z } from 'zod';
import { OUTPUT_KINDS } from '../record/index.ts';

/** A share in [0, 1]. */
export const share = z.number().min(0).max(1);
/** Whole nanoseconds ≥ 0. */
const durationNs = z.int().min(0);

const kind = z.enum(OUTPUT_KINDS);
const from = z.enum(['planned', 'dispatch']);

const answerCheck = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('regex'), name: z.string(), pattern: z.string() }),
  z.strictObject({ kind: z.literal('json'), name: z.string() }),
  z.strictObject({ kind: z.literal('jsonSchema'), name: z.string(), schema: z.unknown() }),
  z.strictObject({ kind: z.literal('equals'), name: z.string(), expected: z.string() }),
]);

const requestObjective = z.strictObject({
  counts: z.array(kind).describe('Output kinds that count for TTFT, gaps and TPOT.'),
  from: from.describe('Where the clock of a latency starts.'),
  ttft: z
    .array(
      z.strictObject({
        fromTokens: z.int().min(0),
        toTokens: z.int().min(0).nullable(),
        limitNs: durationNs,
      }),
    )
    .nullable(),
  firstAnswerNs: durationNs.nullable(),
  tpot: z.strictObject({ limitNs: durationNs, basis: z.enum(['any', 'observed']) }).nullable(),
  gapMaxNs: durationNs.nullable(),
  gapQuantile: z.strictObject({ q: share, limitNs: durationNs }).nullable(),
  e2eNs: durationNs.nullable(),
  outputTokensMax: z.int().min(0).nullable(),
  correctness: z.strictObject({
    finish: z.array(z.enum(['stop', 'length', 'toolCalls', 'contentFilter', 'other'])),
    needs: z.array(kind),
    strictTerminal: z.boolean(),
    checks: z.array(answerCheck),
  }),
});

const populationObjective = z.strictObject({
  attainmentShare: share.nullable(),
  successShare: share.nullable(),
  quantiles: z.array(
    z.strictObject({
      measure: z.enum(['ttft', 'firstAnswer', 'tpot', 'gap', 'e2e']),
      q: share,
      limitNs: durationNs,
    }),
  ),
  worst: z.strictObject({ by: z.enum(['tenant', 'class']), attainmentShare: share }).nullable(),
  periodNs: durationNs.nullable(),
});

export const objectiveSchema = z.strictObject({
  name: z.string(),
  request: requestObjective.describe('Every part that is not null must hold for a good request.'),
  population: populationObjective.describe('Targets over all offered requests of a point.'),
  refusals: z.array(
    z.strictObject({
      status: z.int().nullable(),
      body: z.string().nullable(),
      code: z.string().nullable(),
    }),
  ),
  perspective: z.enum(['operator', 'buyer']),
  timedOut: z.enum(['miss', 'censored']),
  owner: z.string().nullable(),
  runbook: z.string().nullable(),
  rollback: z.string().nullable(),
});
