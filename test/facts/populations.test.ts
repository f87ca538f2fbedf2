/**
 * Worked numbers of the mission documents about many requests: quantiles, pooled gaps, rates,
 * and what a small sample can say.
 */
import { describe, expect, test } from 'vitest';
import { nsFromMs, nsFromSeconds, secondsFromNs } from '../../src/base/index.ts';
import { measureRecord, type OutputKind } from '../../src/record/index.ts';
import {
  littleSojournMeanNs,
  minimumSampleSize,
  mm1MeanSystemTimeNs,
  orderStatisticInterval,
  sampleQuantile,
} from '../../src/stats/index.ts';
import { recordOf } from '../support/record-builder.ts';

const ANSWER: readonly OutputKind[] = ['answer'];

/** A token-aligned answer whose first token comes at once and whose gaps are these, in ms. */
function answerWithGaps(gapsMs: readonly number[], dispatchedNs = 0) {
  const arrivalsNs = [dispatchedNs];
  for (const gapMs of gapsMs) arrivalsNs.push((arrivalsNs.at(-1) ?? 0) + nsFromMs(gapMs));
  const record = recordOf({
    dispatchedNs,
    plannedNs: dispatchedNs,
    arrivalsNs,
    doneNs: arrivalsNs.at(-1) ?? null,
    oneTokenPerEvent: true,
  });
  return { arrivalsNs, measures: measureRecord(record, { counts: ANSWER }) };
}

const repeat = (value: number, times: number): number[] =>
  Array.from({ length: times }, () => value);
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('quantiles', () => {
  test('the nearest-rank p99 of 1, 2, 3 and 100 is 100', () => {
    expect(sampleQuantile([1, 2, 3, 100], 0.99, 'nearestRank')).toBe(100);
  });

  test('nearest rank needs a sample and 0 < p ≤ 1', () => {
    expect(() => sampleQuantile([], 0.5, 'nearestRank')).toThrow();
    expect(() => sampleQuantile([1], 0, 'nearestRank')).toThrow();
    expect(() => sampleQuantile([1], 1.01, 'nearestRank')).toThrow();
    expect(sampleQuantile([1], 1, 'nearestRank')).toBe(1);
  });

  test('the p99 of 1000 ones and ten hundreds together is 1; their averaged p99s are 50.5', () => {
    const [a, b] = [repeat(1, 1000), repeat(100, 10)];
    const p99 = (values: number[]): number => sampleQuantile(values, 0.99, 'nearestRank');
    expect(p99([...a, ...b])).toBe(1);
    expect((p99(a) + p99(b)) / 2).toBe(50.5);
  });

  test('TTFT p99 plus length times ITL p99 is not the p99 of completion', () => {
    // Each request is slow in one phase only: 900 ms then 10 tokens of 10 ms, or 100 ms then 90.
    const fast = { ttftMs: 900, itlMs: 10 };
    const slow = { ttftMs: 100, itlMs: 90 };
    const requests = [
      ...Array.from({ length: 50 }, () => fast),
      ...Array.from({ length: 50 }, () => slow),
    ];
    const p99 = (values: number[]): number => sampleQuantile(values, 0.99, 'nearestRank');
    const summed =
      p99(requests.map((request) => request.ttftMs)) +
      10 * p99(requests.map((request) => request.itlMs));
    expect(summed).toBe(1800);
    expect(p99(requests.map((request) => request.ttftMs + 10 * request.itlMs))).toBe(1000);
  });

  test('twenty requests support no p99: 299 are needed at 95 %', () => {
    const twenty = Array.from({ length: 20 }, (_, i) => i);
    expect(minimumSampleSize(0.99, 0.95)).toBe(299);
    expect(orderStatisticInterval(twenty, 0.99)).toBeNull();
  });

  test('the other document’s percentile is one rank higher where q·n is whole', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
    expect(sampleQuantile(hundred, 0.95, 'nearestRank')).toBe(95);
    expect(sampleQuantile(hundred, 0.95, 'floorRank')).toBe(96);
  });
});

describe('gaps', () => {
  test('two gaps of 10 ms and eight of 50 ms pool to a mean of 42 ms, not the 30 of the TPOTs', () => {
    const short = answerWithGaps(repeat(10, 2)).measures;
    const long = answerWithGaps(repeat(50, 8)).measures;
    expect(mean([...short.chunkGapsNs, ...long.chunkGapsNs])).toBe(nsFromMs(42));
    expect(mean([short.tpotNs ?? 0, long.tpotNs ?? 0])).toBe(nsFromMs(30));
  });

  test('a 600 ms stall hides under a TPOT of 10 ms; the longest gap shows it', () => {
    const smooth = answerWithGaps(repeat(10, 296)).measures;
    const stalled = answerWithGaps([...repeat(8, 148), 600, ...repeat(8, 147)]).measures;
    expect(smooth.tpotNs).toBe(nsFromMs(10));
    expect(stalled.tpotNs).toBe(nsFromMs(10));
    expect(Math.max(...smooth.chunkGapsNs)).toBe(nsFromMs(10));
    expect(Math.max(...stalled.chunkGapsNs)).toBe(nsFromMs(600));
  });
});

describe('rates', () => {
  test('32 active streams of 40 tokens/s put out 1280 tokens/s, counted over wall time', () => {
    const streams = Array.from({ length: 32 }, () => answerWithGaps(repeat(25, 200)));
    expect(streams.every(({ measures }) => measures.outputPhaseTps === 40)).toBe(true);
    const [fromNs, toNs] = [nsFromSeconds(2), nsFromSeconds(3)];
    const tokensInOneSecond = streams
      .flatMap(({ arrivalsNs }) => arrivalsNs)
      .filter((at) => fromNs <= at && at < toNs).length;
    expect(tokensInOneSecond).toBe(1280);
  });

  test('a sum of per-request rates is not throughput', () => {
    // 51 tokens each, one after the other, one second apiece.
    const first = answerWithGaps(repeat(20, 50)).measures;
    const second = answerWithGaps(repeat(20, 50), nsFromSeconds(1)).measures;
    const summed = (first.requestTps ?? 0) + (second.requestTps ?? 0);
    const throughput = ((first.outputTokens ?? 0) + (second.outputTokens ?? 0)) / 2;
    expect(throughput).toBe(51);
    expect(summed).toBe(102);
  });
});

describe('queueing', () => {
  test("Little's law: 32 in flight at 4.25 requests/s stay 7.529411764705882 s on average", () => {
    const meanNs = littleSojournMeanNs({ inFlightMean: 32, admittedRps: 850 / 200 });
    expect(secondsFromNs(meanNs)).toBeCloseTo(7.529411764705882, 12);
  });

  test('M/M/1 at 10/s served: from 5 to 9 arrivals/s the mean goes from 0.2 s to 1 s', () => {
    expect(mm1MeanSystemTimeNs({ arrivalRps: 5, serviceRps: 10 })).toBe(nsFromSeconds(0.2));
    expect(mm1MeanSystemTimeNs({ arrivalRps: 9, serviceRps: 10 })).toBe(nsFromSeconds(1));
  });

  test('past its service rate a queue has no mean to size by', () => {
    expect(mm1MeanSystemTimeNs({ arrivalRps: 10, serviceRps: 10 })).toBeNull();
  });
});
