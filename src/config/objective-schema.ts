/** The full YAML form of an objective (`slo:` as a mapping, or a file of its own). */
import { z } from 'zod';
import { parseTokenCount } from '../base/index.ts';
import type { FinishReason, OutputKind } from '../record/index.ts';
import {
  bucketsBetween,
  DEFAULT_COUNTS,
  DEFAULT_REFUSALS,
  defaultFinish,
  defaultNeeds,
  namesEvidence,
  parseQuantileName,
  type BucketLimit,
  type LatencyStart,
  type Objective,
  type PopulationObjective,
  type QuantileObjective,
  type RefusalRule,
  type RequestObjective,
} from '../slo/index.ts';
import { checkList } from './check-schema.ts';
import {
  count,
  duration,
  durationFault,
  expects,
  fail,
  flag,
  mapping,
  oneOf,
  share,
  text,
  wholeNumber,
  withHint,
} from './scalars.ts';

const limit = duration('above0', '500ms');

const EMPTY_LIST = withHint('is an empty list', 'name at least one, or leave the key out');
const outputKinds = z
  .array(
    oneOf<OutputKind>(['answer', 'reasoning', 'refusal', 'toolCall']),
    expects('a list', 'write [answer]'),
  )
  .min(1, EMPTY_LIST);
const finishReasons = z
  .array(
    oneOf<FinishReason>(['stop', 'length', 'toolCalls', 'contentFilter', 'other']),
    expects('a list', 'write [stop]'),
  )
  .min(1, EMPTY_LIST);

const BUCKETS = 'write { 1k: 500ms, 4k: 1s }, and 4k+: 2s for anything longer';

const buckets = z
  .record(z.string(), limit, expects('a mapping', BUCKETS))
  .transform((record, context): BucketLimit[] => {
    const edges: { readonly upToTokens: number; readonly limitNs: number }[] = [];
    let beyond: { readonly fromTokens: number; readonly limitNs: number } | null = null;
    for (const [key, limitNs] of Object.entries(record)) {
      const tokens = parseTokenCount(key.replace(/\+$/, ''));
      if (tokens === null || tokens === 0) {
        return fail(context, `has a bucket edge "${key}" that is not a token count`, BUCKETS);
      }
      if (!key.endsWith('+')) edges.push({ upToTokens: tokens, limitNs });
      else if (beyond === null) beyond = { fromTokens: tokens, limitNs };
      else return fail(context, 'has two limits for the longest prompts', 'keep one of them');
    }
    // Sorted, because a mapping with whole-number keys does not keep the written order.
    edges.sort((a, b) => a.upToTokens - b.upToTokens);
    const last = edges.at(-1);
    if (last === undefined) return fail(context, 'has no bucket with an end', BUCKETS);
    if (beyond !== null && beyond.fromTokens !== last.upToTokens) {
      return fail(context, 'has a hole or an overlap before its longest prompts', BUCKETS);
    }
    if (edges.some((edge, at) => edge.upToTokens === edges[at - 1]?.upToTokens)) {
      return fail(context, 'gives one bucket two limits', 'keep one of them');
    }
    const limits = [...edges, beyond ?? last];
    return bucketsBetween(edges.map(({ upToTokens }) => upToTokens)).map((bucket, at) => ({
      ...bucket,
      limitNs: (limits[at] ?? last).limitNs,
    }));
  });

/** What `ttft` sets: its limits, and what all latencies of the request count from. */
export interface TtftPart {
  readonly limits: readonly BucketLimit[] | null;
  readonly from: LatencyStart;
  readonly counts: readonly OutputKind[];
}

const ttftKeys = mapping({
  limit: limit.optional().describe('One limit for every prompt length.'),
  buckets: buckets
    .optional()
    .describe(
      'Limits by prompt length: each key is where its bucket ends. The last limit also holds for ' +
        'anything longer, unless a key like `64k+` says otherwise.',
    ),
  from: oneOf(['planned', 'dispatch'])
    .default('planned')
    .describe('Where latencies start: `planned`, so that a late generator flatters nobody.'),
  counts: outputKinds
    .optional()
    .describe('Output kinds that count. Default `[answer, reasoning, refusal]`.'),
}).transform(({ limit: one, buckets: many, from, counts }, context): TtftPart => {
  if (one !== undefined && many !== undefined) {
    return fail(context, 'has both limit and buckets', 'keep one of them');
  }
  const limits = many ?? (one === undefined ? null : everyLength(one));
  return { limits, from, counts: counts ?? DEFAULT_COUNTS };
});

const ttft = z.union([limit.transform((limitNs) => ttftOf(everyLength(limitNs))), ttftKeys], {
  error: ({ input }) => durationFault(typeof input === 'number' ? String(input) : '', '500ms'),
});

function ttftOf(limits: readonly BucketLimit[] | null): TtftPart {
  return { limits, from: 'planned', counts: DEFAULT_COUNTS };
}

function everyLength(limitNs: number): BucketLimit[] {
  return [{ fromTokens: 0, toTokens: null, limitNs }];
}

const quantileLimits = z
  .record(z.string(), limit, expects('a mapping', 'write { p99: 500ms }'))
  .transform((record, context): { readonly q: number; readonly limitNs: number }[] =>
    Object.entries(record).map(([key, limitNs]) => {
      const q = parseQuantileName(key);
      return q === null
        ? fail(context, `has a key "${key}" that is not a quantile`, 'write p99, p99.9 or median')
        : { q, limitNs };
    }),
  );

const requestKeys = mapping({
  ttft: ttft.optional().describe('First counted output: a limit, or limits by prompt length.'),
  firstAnswer: limit
    .optional()
    .describe('First answer event, whatever counts for `ttft`: the end of the thinking.'),
  tpot: limit.optional().describe('Time per output token, on either basis.'),
  tpotObserved: limit.optional().describe('The same, from token-aligned streams only.'),
  gapMax: limit.optional().describe('Longest gap between two chunks of a request.'),
  gap: quantileLimits
    .optional()
    .describe('One quantile of a request’s own gaps: `{ p99: 200ms }`.'),
  e2e: limit.optional().describe('Deadline of the whole request.'),
  output: count.optional().describe('Most output tokens.'),
  finish: finishReasons
    .optional()
    .describe(
      'Allowed finish reasons. Default `[stop]`, and `toolCalls` where those count; in a load ' +
        'test also `length` where the workload sets the answer length.',
    ),
  needs: outputKinds.optional().describe('An answer needs one of these. Default `[answer]`.'),
  strictTerminal: flag.prefault(false).describe('Demand both the end mark and a finish reason.'),
  checks: checkList.default([]).describe('Checks of the answer text, made in memory.'),
}).transform((keys, context): RequestObjective => {
  const { tpot, tpotObserved, gap } = keys;
  if (tpot !== undefined && tpotObserved !== undefined) {
    return fail(context, 'limits TPOT twice', 'keep tpot or tpotObserved');
  }
  if (gap !== undefined && gap.length !== 1) {
    return fail(context, 'needs exactly one quantile in gap', 'write gap: { p99: 200ms }');
  }
  const { limits, from, counts } = keys.ttft ?? ttftOf(null);
  return {
    counts,
    from,
    ttft: limits,
    firstAnswerNs: keys.firstAnswer ?? null,
    tpot:
      tpotObserved !== undefined
        ? { limitNs: tpotObserved, basis: 'observed' }
        : tpot === undefined
          ? null
          : { limitNs: tpot, basis: 'any' },
    gapMaxNs: keys.gapMax ?? null,
    gapQuantile: gap?.[0] ?? null,
    e2eNs: keys.e2e ?? null,
    outputTokensMax: keys.output ?? null,
    correctness: {
      finish: keys.finish ?? defaultFinish(counts),
      needs: keys.needs ?? defaultNeeds(counts),
      strictTerminal: keys.strictTerminal,
      checks: keys.checks,
    },
  };
});

const MEASURES = ['ttft', 'firstAnswer', 'tpot', 'gap', 'e2e'] as const;

const populationKeys = mapping({
  attainment: share.optional().describe('Least share of offered requests that must be good.'),
  success: share.optional().describe('Least share that must complete correctly.'),
  ttft: quantileLimits.optional().describe('Quantiles over all requests: `{ p99: 500ms }`.'),
  firstAnswer: quantileLimits.optional().describe('Quantiles of the time to the first answer.'),
  tpot: quantileLimits.optional().describe('Quantiles of TPOT over all requests.'),
  gap: quantileLimits.optional().describe('Quantiles of all gaps, pooled.'),
  e2e: quantileLimits.optional().describe('Quantiles of completion over all requests.'),
  worst: mapping({ by: oneOf(['tenant', 'class']), attainment: share })
    .optional()
    .describe('Attainment that the worst tenant or class must reach.'),
  period: duration('above0', '30d').optional().describe('Window of the error budget.'),
}).transform((keys): PopulationObjective => {
  const quantiles: QuantileObjective[] = MEASURES.flatMap((measure) =>
    (keys[measure] ?? []).map((quantile) => ({ measure, ...quantile })),
  );
  return {
    attainmentShare: keys.attainment ?? null,
    successShare: keys.success ?? null,
    quantiles,
    worst:
      keys.worst === undefined
        ? null
        : { by: keys.worst.by, attainmentShare: keys.worst.attainment },
    periodNs: keys.period ?? null,
  };
});

const refusal = mapping({
  status: wholeNumber('an HTTP status', '429', 100).optional(),
  body: text.optional(),
  code: text.optional(),
}).transform((rule, context): RefusalRule => {
  const full = { status: rule.status ?? null, body: rule.body ?? null, code: rule.code ?? null };
  return namesEvidence(full)
    ? full
    : fail(
        context,
        'would take overload for a refusal',
        'name the evidence too: body: quota, or code: …',
      );
});

/** A whole {@link Objective} as YAML keys. */
export const objectiveKeys = mapping({
  name: text.default('inline').describe('Name of the objective.'),
  request: requestKeys.prefault({}).describe('What each request must meet.'),
  population: populationKeys.prefault({}).describe('Targets over all requests.'),
  refusals: z
    .array(refusal, expects('a list of rules', 'write [{ status: 429, body: quota }]'))
    .optional()
    .describe('Rules, tried in order, that tell a published limit from a failure.'),
  perspective: oneOf(['operator', 'buyer'])
    .default('operator')
    .describe(
      '`operator` leaves refusals out of the offered count, `buyer` counts them as misses.',
    ),
  timedOut: oneOf(['miss', 'censored'])
    .default('miss')
    .describe('`miss`: a timed-out request is bad; `censored`: a named analysis, unjudged.'),
  owner: text.optional().describe('Who answers for it.'),
  runbook: text.optional().describe('What to do when it is missed.'),
  rollback: text.optional().describe('What to go back to.'),
}).transform((keys): Objective => ({
  name: keys.name,
  request: keys.request,
  population: keys.population,
  refusals: keys.refusals ?? DEFAULT_REFUSALS,
  perspective: keys.perspective,
  timedOut: keys.timedOut,
  owner: keys.owner ?? null,
  runbook: keys.runbook ?? null,
  rollback: keys.rollback ?? null,
}));
