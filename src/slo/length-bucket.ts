/**
 * Ranges of prompt or answer length. TTFT limits are set by them, because prefill time grows with
 * the prompt; results are split by them, because a mix hides its longest members.
 */
import { assert, parseTokenCount, tokenCountText } from '../base/index.ts';
import type { BucketLimit } from './objective.ts';

/** Lengths with `fromTokens ≤ tokens < toTokens`; `toTokens` null = no end. */
export interface LengthBucket {
  readonly fromTokens: number;
  readonly toTokens: number | null;
}

/** The label of a length that nobody told. */
export const UNKNOWN_LENGTH = 'unknown';

/** 0-1k, 1k-4k, 4k-16k, 16k-64k, 64k+: each four times the last, as prefill cost grows. */
export const DEFAULT_PROMPT_BUCKETS: readonly LengthBucket[] = bucketsBetween([
  1_000, 4_000, 16_000, 64_000,
]);

/**
 * 0-64, 64-256, 256-1k, 1k-4k, 4k+: a label or a tool call, a paragraph, a page, a long answer, a
 * long chain of thought. Completion time is only comparable inside one of them.
 */
export const DEFAULT_OUTPUT_BUCKETS: readonly LengthBucket[] = bucketsBetween([
  64, 256, 1_000, 4_000,
]);

/** The buckets that rising edges cut [0, ∞) into: one more than there are edges. */
export function bucketsBetween(edges: readonly number[]): LengthBucket[] {
  return [0, ...edges].map((fromTokens, index) => ({ fromTokens, toTokens: edges[index] ?? null }));
}

/** `0-1k`, `64k+`. */
export function bucketLabel(bucket: LengthBucket): string {
  const from = tokenCountText(bucket.fromTokens);
  return bucket.toTokens === null ? `${from}+` : `${from}-${tokenCountText(bucket.toTokens)}`;
}

/** Reads `4k-16k` or `64k+`. `null` when the text is no range, or an empty one. */
export function parseBucket(text: string): LengthBucket | null {
  const match = /^([\d.]+[km]?)\s*(?:\+|-\s*([\d.]+[km]?))$/i.exec(text.trim());
  if (match === null) return null;
  const fromTokens = parseTokenCount(match[1] as string);
  const toTokens = match[2] === undefined ? null : parseTokenCount(match[2]);
  if (fromTokens === null || (match[2] !== undefined && toTokens === null)) return null;
  return toTokens !== null && toTokens <= fromTokens ? null : { fromTokens, toTokens };
}

/** The bucket that holds `tokens`; `null` when none does. */
export function bucketHolding<B extends LengthBucket>(
  tokens: number,
  buckets: readonly B[],
): B | null {
  return (
    buckets.find(
      ({ fromTokens, toTokens }) =>
        fromTokens <= tokens && (toTokens === null || tokens < toTokens),
    ) ?? null
  );
}

/** The label of the bucket that holds `tokens`; `unknown` when the length is not known. */
export function lengthBucketOf(tokens: number | null, buckets: readonly LengthBucket[]): string {
  const bucket = tokens === null ? null : bucketHolding(tokens, buckets);
  return bucket === null ? UNKNOWN_LENGTH : bucketLabel(bucket);
}

/** The label of a prompt's bucket: `0-1k` … `64k+`, or `unknown`. */
export function promptBucketOf(
  promptTokens: number | null,
  buckets: readonly LengthBucket[] = DEFAULT_PROMPT_BUCKETS,
): string {
  return lengthBucketOf(promptTokens, buckets);
}

/** The label of an answer's bucket: `0-64` … `4k+`, or `unknown`. */
export function outputBucketOf(
  outputTokens: number | null,
  buckets: readonly LengthBucket[] = DEFAULT_OUTPUT_BUCKETS,
): string {
  return lengthBucketOf(outputTokens, buckets);
}

/** Where buckets fail to hold every length exactly once. Both empty = a proper partition. */
export interface PartitionFaults<B extends LengthBucket> {
  readonly holes: readonly LengthBucket[];
  readonly overlaps: readonly (readonly [B, B])[];
}

/** Finds the lengths that no bucket holds and the neighbours that share some. */
export function partitionFaults<B extends LengthBucket>(buckets: readonly B[]): PartitionFaults<B> {
  const holes: LengthBucket[] = [];
  const overlaps: [B, B][] = [];
  let coveredTo: number | null = 0;
  let widest: B | null = null;
  for (const bucket of buckets.toSorted((a, b) => a.fromTokens - b.fromTokens)) {
    if (widest !== null && (coveredTo === null || bucket.fromTokens < coveredTo)) {
      overlaps.push([widest, bucket]);
    } else if (coveredTo !== null && bucket.fromTokens > coveredTo) {
      holes.push({ fromTokens: coveredTo, toTokens: bucket.fromTokens });
    }
    if (coveredTo !== null && (bucket.toTokens === null || bucket.toTokens > coveredTo)) {
      coveredTo = bucket.toTokens;
      widest = bucket;
    }
  }
  if (coveredTo !== null) holes.push({ fromTokens: coveredTo, toTokens: null });
  return { holes, overlaps };
}

/**
 * The limits that `{ 1k: 500ms, 4k: 1s }` asks for: each edge is where its bucket ends, and the
 * last limit also holds for anything longer. `edges` rise.
 */
export function limitsUpTo(
  edges: readonly { readonly upToTokens: number; readonly limitNs: number }[],
): BucketLimit[] {
  const last = edges.at(-1);
  assert(last !== undefined, 'a bucketed limit needs at least one edge');
  return bucketsBetween(edges.map((edge) => edge.upToTokens)).map((bucket, index) => ({
    ...bucket,
    limitNs: (edges[index] ?? last).limitNs,
  }));
}
