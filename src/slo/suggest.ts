/**
 * Proposes limits that a service achieves with headroom, from records at its expected load. The
 * limits hold *together*: the share of requests that meet all of them reaches the target before
 * any headroom is added. Quantiles taken one by one would promise more than users get.
 */
import { assert, NS_PER_MS } from '../base/index.ts';
import type { Measures, RequestRecord } from '../record/index.ts';
import { quantile, sortedCopy } from '../stats/index.ts';
import { attainmentOf, tallyVerdicts } from './attainment.ts';
import { judgeMeasured } from './judge.ts';
import { bucketHolding, DEFAULT_PROMPT_BUCKETS, type LengthBucket } from './length-bucket.ts';
import type { Objective, RequestObjective } from './objective.ts';
import { NO_POPULATION_TARGET } from './objective-defaults.ts';

/** One record with its measures, made by the `counts` of the base objective. */
export interface MeasuredRecord {
  readonly record: RequestRecord;
  readonly measures: Measures;
}

export interface SuggestOptions {
  /** Says what counts, what is correct and what is a refusal; its own limits are not used. */
  readonly base: Objective;
  /** Share of offered requests that must meet all limits, in (0, 1). */
  readonly attainmentShare: number;
  /** How far limits stand above what was achieved: 0.2 = 20 %. */
  readonly headroomShare: number;
  /** Prompt buckets with fewer correct answers are joined with their neighbour. Default 50. */
  readonly minimumPerBucket?: number;
}

/** A limit the suggestion can hold. */
export type SuggestedPart = 'ttft' | 'tpot' | 'gapMax';

export interface Suggestion {
  /** `null` when too few requests were even correct for the target. */
  readonly objective: Objective | null;
  /** Attainment of the suggested objective on the same records; without one, the share correct. */
  readonly achievedShare: number | null;
  /** Limits left out, because too few requests showed what they would judge. */
  readonly leftOut: readonly SuggestedPart[];
}

const ALL_PARTS: readonly SuggestedPart[] = ['ttft', 'tpot', 'gapMax'];
const DEFAULT_MINIMUM_PER_BUCKET = 50;

/** Proposes an objective for what `samples` show; see the head of this file. */
export function suggestObjective(
  samples: readonly MeasuredRecord[],
  options: SuggestOptions,
): Suggestion {
  const { attainmentShare: target, headroomShare } = options;
  assert(target > 0 && target < 1, `attainment ${target} is not in (0, 1)`);
  assert(headroomShare >= 0, `headroom ${headroomShare} is negative`);
  const plain = withoutLimits(options.base, target);
  const correctShare = shareGood(samples, plain);
  if (correctShare === null || correctShare < target) {
    return { objective: null, achievedShare: correctShare, leftOut: ALL_PARTS };
  }
  const evidence = gatherEvidence(samples, plain, options);
  const reaches = (parts: readonly SuggestedPart[], q: number): boolean =>
    (shareGood(samples, withLimits(plain, limitsAt(evidence, parts, q))) ?? 0) >= target;
  let parts = ALL_PARTS.filter((part) => seenCount(evidence, part) > 0);
  // At q = 1 every observed value passes: what still fails was not observed.
  while (parts.length > 0 && !reaches(parts, 1)) parts = withoutLeastSeen(parts, evidence);
  const achieved = limitsAt(
    evidence,
    parts,
    lowestLevel(samples.length, (q) => reaches(parts, q)),
  );
  const objective = withLimits(plain, raised(achieved, 1 + headroomShare));
  return {
    objective,
    achievedShare: shareGood(samples, objective),
    leftOut: ALL_PARTS.filter((part) => !parts.includes(part)),
  };
}

/** Rising values of each measure over the correct answers, TTFT by prompt bucket. */
interface Evidence {
  readonly ttft: readonly { readonly bucket: LengthBucket; readonly sorted: Float64Array }[];
  readonly tpot: Float64Array;
  readonly gapMax: Float64Array;
}

type Limits = Pick<RequestObjective, 'ttft' | 'tpot' | 'gapMaxNs'>;

const NO_LIMITS: Limits = { ttft: null, tpot: null, gapMaxNs: null };

function gatherEvidence(
  samples: readonly MeasuredRecord[],
  plain: Objective,
  options: SuggestOptions,
): Evidence {
  const correct = samples.filter(
    ({ record, measures }) => judgeMeasured(record, measures, plain).verdict === 'good',
  );
  const ttftNs = ({ measures }: MeasuredRecord): number | null =>
    plain.request.from === 'planned' ? measures.ttftFromPlannedNs : measures.ttftFromDispatchNs;
  const minimum = options.minimumPerBucket ?? DEFAULT_MINIMUM_PER_BUCKET;
  const buckets = joinedBuckets(
    correct.map((sample) => promptTokensOf(sample)),
    minimum,
  );
  return {
    ttft: buckets.map((bucket) => {
      // One limit for all lengths is for those of unknown length too.
      const inBucket = correct.filter(
        (sample) => buckets.length === 1 || holds(bucket, promptTokensOf(sample)),
      );
      return { bucket, sorted: observed(inBucket, ttftNs) };
    }),
    tpot: observed(correct, ({ measures }) => measures.tpotNs),
    gapMax: observed(correct, ({ measures }) =>
      measures.chunkGapsNs.length === 0
        ? null
        : measures.chunkGapsNs.reduce((a, b) => Math.max(a, b)),
    ),
  };
}

/** Default buckets, each with at least `minimum` of the lengths: too small ones join a neighbour. */
function joinedBuckets(lengths: readonly (number | null)[], minimum: number): LengthBucket[] {
  const joined: LengthBucket[] = [];
  let fromTokens = 0;
  let count = 0;
  for (const { toTokens, ...start } of DEFAULT_PROMPT_BUCKETS) {
    count += lengths.filter((tokens) => holds({ toTokens, ...start }, tokens)).length;
    if (count < minimum && toTokens !== null) continue;
    const shorter = joined.at(-1);
    // What is left at the long end has no longer neighbour, so it joins the shorter one.
    if (count < minimum && shorter !== undefined) joined.splice(-1, 1, { ...shorter, toTokens });
    else joined.push({ fromTokens, toTokens });
    fromTokens = toTokens ?? 0;
    count = 0;
  }
  return joined;
}

/** The limits that a share `q` of each measure's values meets. */
function limitsAt(evidence: Evidence, parts: readonly SuggestedPart[], q: number): Limits {
  let shorterNs = 0;
  const ttft = evidence.ttft.map(({ bucket, sorted }) => {
    // A longer prompt never gets less time than a shorter one, whatever a small sample says.
    shorterNs = Math.max(shorterNs, valueAt(sorted, q) ?? 0);
    return { ...bucket, limitNs: shorterNs };
  });
  const tpotNs = valueAt(evidence.tpot, q);
  return {
    ttft: parts.includes('ttft') ? ttft : null,
    tpot: parts.includes('tpot') && tpotNs !== null ? { limitNs: tpotNs, basis: 'any' } : null,
    gapMaxNs: parts.includes('gapMax') ? valueAt(evidence.gapMax, q) : null,
  };
}

/** The lowest q of 1/n, 2/n, … 1 that reaches the target; limits only rise with q. */
function lowestLevel(n: number, reaches: (q: number) => boolean): number {
  let low = 1;
  let high = n;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (reaches(middle / n)) high = middle;
    else low = middle + 1;
  }
  return high / n;
}

/** How many correct answers showed what a part would judge. */
function seenCount(evidence: Evidence, part: SuggestedPart): number {
  return part === 'ttft'
    ? evidence.ttft.reduce((sum, { sorted }) => sum + sorted.length, 0)
    : evidence[part].length;
}

/** Drops the part that the fewest answers showed. */
function withoutLeastSeen(parts: readonly SuggestedPart[], evidence: Evidence): SuggestedPart[] {
  const least = parts.reduce((a, b) => (seenCount(evidence, b) < seenCount(evidence, a) ? b : a));
  return parts.filter((part) => part !== least);
}

function raised(limits: Limits, factor: number): Limits {
  const raise = (ns: number): number => readableAbove(ns * factor);
  return {
    ttft: limits.ttft?.map((limit) => ({ ...limit, limitNs: raise(limit.limitNs) })) ?? null,
    tpot: limits.tpot === null ? null : { ...limits.tpot, limitNs: raise(limits.tpot.limitNs) },
    gapMaxNs: limits.gapMaxNs === null ? null : raise(limits.gapMaxNs),
  };
}

const READABLE = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** The next duration a person would write, at or above `ns`; at least a millisecond. */
export function readableAbove(ns: number): number {
  const atLeastNs = Math.max(ns, NS_PER_MS);
  const scale = 10 ** Math.floor(Math.log10(atLeastNs));
  const step = READABLE.find((factor) => factor * scale >= atLeastNs) ?? 10;
  return Math.round(step * scale);
}

function withoutLimits(base: Objective, attainmentShare: number): Objective {
  const request = {
    ...base.request,
    ...NO_LIMITS,
    firstAnswerNs: null,
    gapQuantile: null,
    e2eNs: null,
    outputTokensMax: null,
  };
  return { ...base, request, population: { ...NO_POPULATION_TARGET, attainmentShare } };
}

function withLimits(plain: Objective, limits: Limits): Objective {
  return { ...plain, request: { ...plain.request, ...limits } };
}

function shareGood(samples: readonly MeasuredRecord[], objective: Objective): number | null {
  const judgements = samples.map(({ record, measures }) =>
    judgeMeasured(record, measures, objective),
  );
  return attainmentOf(tallyVerdicts(judgements)).share;
}

function promptTokensOf({ record, measures }: MeasuredRecord): number | null {
  return measures.promptTokens ?? record.promptTokensPlanned;
}

function holds(bucket: LengthBucket, tokens: number | null): boolean {
  return tokens !== null && bucketHolding(tokens, [bucket]) !== null;
}

function observed(
  samples: readonly MeasuredRecord[],
  value: (sample: MeasuredRecord) => number | null,
): Float64Array {
  return sortedCopy(samples.map((sample) => value(sample)).filter((ns) => ns !== null));
}

function valueAt(sorted: Float64Array, q: number): number | null {
  return sorted.length === 0 ? null : quantile(sorted, q, 'nearestRank');
}
