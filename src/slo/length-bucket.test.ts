import { describe, expect, it } from 'vitest';
import {
  bucketLabel,
  bucketsBetween,
  DEFAULT_OUTPUT_BUCKETS,
  DEFAULT_PROMPT_BUCKETS,
  limitsUpTo,
  outputBucketOf,
  parseBucket,
  partitionFaults,
  promptBucketOf,
} from './length-bucket.ts';

const labels = (text: string) => text.split(' ').map((label) => parseBucket(label)!);

describe('length buckets', () => {
  it('are, by default, the five of the definitions', () => {
    const prompts = DEFAULT_PROMPT_BUCKETS.map((bucket) => bucketLabel(bucket));
    expect(prompts).toEqual(['0-1k', '1k-4k', '4k-16k', '16k-64k', '64k+']);
    const outputs = DEFAULT_OUTPUT_BUCKETS.map((bucket) => bucketLabel(bucket));
    expect(outputs).toEqual(['0-64', '64-256', '256-1k', '1k-4k', '4k+']);
  });

  it.each([
    [0, '0-1k'],
    [999, '0-1k'],
    [1_000, '1k-4k'],
    [63_999, '16k-64k'],
    [64_000, '64k+'],
    [2_000_000, '64k+'],
    [null, 'unknown'],
  ])(
    'hold a prompt of %s tokens in %s: the lower edge belongs, the upper does not',
    (tokens, label) => {
      expect(promptBucketOf(tokens)).toBe(label);
    },
  );

  it('hold answers too', () => {
    expect(outputBucketOf(64)).toBe('64-256');
    expect(outputBucketOf(null)).toBe('unknown');
  });

  it.each(['0-1k', '4k-16k', '64k+', '1024-2048'])('read %s and write it back', (label) => {
    expect(bucketLabel(parseBucket(label)!)).toBe(label);
  });

  it.each(['', '4k', '16k-4k', '4k-4k', 'k-4k', '4k-', '1.0005k-2k', '-4k', '4k+8k'])(
    'refuse %s',
    (text) => {
      expect(parseBucket(text)).toBeNull();
    },
  );

  it('cut at edges cover every length once', () => {
    expect(partitionFaults(bucketsBetween([10, 20]))).toEqual({ holes: [], overlaps: [] });
  });

  it('show their holes, at the start, between and at the end', () => {
    const { holes, overlaps } = partitionFaults(labels('4k-16k 1k-2k'));
    expect(holes.map((hole) => bucketLabel(hole))).toEqual(['0-1k', '2k-4k', '16k+']);
    expect(overlaps).toEqual([]);
  });

  it('show overlaps with the wider neighbour, though another lies between', () => {
    const [wide, inner, late] = labels('0-16k 1k-2k 8k+');
    const { holes, overlaps } = partitionFaults([inner!, wide!, late!]);
    expect(holes).toEqual([]);
    expect(overlaps).toEqual([
      [wide, inner],
      [wide, late],
    ]);
  });

  it('show an overlap after one without end', () => {
    const [open, late] = labels('0+ 8k+');
    expect(partitionFaults([open!, late!]).overlaps).toEqual([[open, late]]);
  });

  it('take limits by their upper edges, the last also for anything longer', () => {
    expect(
      limitsUpTo([
        { upToTokens: 1_000, limitNs: 5 },
        { upToTokens: 4_000, limitNs: 9 },
      ]),
    ).toEqual([
      { fromTokens: 0, toTokens: 1_000, limitNs: 5 },
      { fromTokens: 1_000, toTokens: 4_000, limitNs: 9 },
      { fromTokens: 4_000, toTokens: null, limitNs: 9 },
    ]);
  });
});
