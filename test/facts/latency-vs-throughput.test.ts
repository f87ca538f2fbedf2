/**
 * The worked numbers and assertions of the mission document "Latency vs Throughput", one named
 * test each: the timeline of one request. Quantiles and capacity are in the files beside.
 */
import { describe, expect, test } from 'vitest';
import { msFromNs, nsFromMs, nsFromSeconds, secondsFromNs } from '../../src/base/index.ts';
import {
  checkRecord,
  measureRecord,
  OUTPUT_KINDS,
  type Measures,
  type OutputKind,
} from '../../src/record/index.ts';
import { recordOf, type RecordOptions } from '../support/record-builder.ts';

const ANSWER: readonly OutputKind[] = ['answer'];

function measured(options: RecordOptions, counts = ANSWER): Measures {
  return measureRecord(recordOf(options), { counts });
}

const seconds = (...values: number[]): number[] => values.map(nsFromSeconds);

describe('300 tokens at a constant 25 ms after a first token at 0.505 s', () => {
  const steady: RecordOptions = {
    arrivalsNs: Array.from({ length: 300 }, (_, i) => nsFromSeconds(0.505 + i * 0.025)),
    doneNs: nsFromSeconds(8.03),
    usage: { completionTokens: 300 },
    oneTokenPerEvent: true,
  };
  const measures = measured(steady);

  test('the first content comes at 0.505 s', () => {
    expect(measures.ttftFromDispatchNs).toBe(nsFromSeconds(0.505));
  });

  test('the last token arrives at 7.980 s, not at 8.030 s', () => {
    expect(measures.lastContentNs).toBe(nsFromSeconds(7.98));
  });

  test('the 50 ms from there to completion are transport, not another decode interval', () => {
    expect((measures.completionNs ?? 0) - (measures.lastContentNs ?? 0)).toBe(nsFromMs(50));
  });

  test('TPOT is 25 ms, observed, and every token gap is', () => {
    expect(measures.tpotNs).toBe(nsFromMs(25));
    expect(measures.tpotBasis).toBe('observed');
    expect(new Set(measures.itlNs)).toEqual(new Set([nsFromMs(25)]));
  });

  test('the reciprocal of TPOT is the output phase’s rate; tokens over duration is another', () => {
    expect(measures.outputPhaseTps).toBe(40);
    expect(measures.requestTps).toBeCloseTo(300 / 8.03, 9);
  });

  test('completion minus TTFT over N − 1 includes the 50 ms, so it is not TPOT', () => {
    const otherConventionNs =
      ((measures.completionNs ?? 0) - (measures.ttftFromDispatchNs ?? 0)) / 299;
    expect(msFromNs(otherConventionNs)).toBeCloseTo(25.167, 3);
    expect(measures.tpotNs).not.toBe(otherConventionNs);
  });
});

test('first content + the sum of the gaps = last content; the median gap gives no identity', () => {
  const uneven = measured({
    arrivalsNs: seconds(1, 1.01, 1.02, 1.62),
    oneTokenPerEvent: true,
  });
  const gaps = uneven.itlNs ?? [];
  const sum = gaps.reduce((total, gap) => total + gap, 0);
  expect((uneven.ttftFromDispatchNs ?? 0) + sum).toBe(uneven.lastContentNs);
  expect(sum / gaps.length).toBe(uneven.tpotNs);
  expect(gaps.toSorted((a, b) => a - b)[1]).not.toBe(uneven.tpotNs);
});

describe('zero and one token', () => {
  test('without arrivals the first content is unobserved, not zero', () => {
    const measures = measured({
      arrivalsNs: [],
      doneNs: nsFromSeconds(0.1),
      usage: { completionTokens: 0 },
    });
    expect(measures.ttftFromDispatchNs).toBeNull();
    expect(measures.lastContentNs).toBeNull();
    expect(measures.tpotNs).toBeNull();
    expect(measures.completionNs).toBe(nsFromSeconds(0.1));
  });

  test('one token has no time per output token', () => {
    const measures = measured({
      arrivalsNs: seconds(0.1),
      doneNs: nsFromSeconds(0.2),
      usage: { completionTokens: 1 },
      oneTokenPerEvent: true,
    });
    expect(measures.tpotNs).toBeNull();
    expect(measures.reasons.tpot).toBe('oneToken');
  });
});

describe('chunks are not tokens', () => {
  test('one chunk that carries ten tokens is not ten timestamped arrivals', () => {
    const measures = measured({
      arrivalsNs: seconds(0.1),
      doneNs: nsFromSeconds(0.2),
      usage: { completionTokens: 10 },
    });
    expect(measures.tpotNs).toBeNull();
    expect(measures.chunkGapsNs).toEqual([]);
    expect(measures.outputTokens).toBe(10);
  });

  test('a final count alone is insufficient: TPOT is an estimate and there is no ITL', () => {
    const measures = measured({
      arrivalsNs: seconds(0.1, 0.2, 0.3),
      usage: { completionTokens: 3 },
    });
    expect(measures.tpotBasis).toBe('estimated');
    expect(measures.itlNs).toBeNull();
  });

  test('tool-call arguments are not answer tokens', () => {
    const withCall: RecordOptions = {
      arrivalsNs: seconds(0.1, 0.5, 0.6),
      kinds: ['toolCall', 'answer', 'answer'],
    };
    expect(measured(withCall).ttftFromDispatchNs).toBe(nsFromSeconds(0.5));
    expect(measured(withCall, OUTPUT_KINDS).ttftFromDispatchNs).toBe(nsFromSeconds(0.1));
  });

  test('receiving headers is not receiving a generated token', () => {
    const measures = measured({
      arrivalsNs: seconds(0.5),
      timeline: { firstByteNs: nsFromSeconds(0.02) },
    });
    expect(secondsFromNs(measures.ttftFromDispatchNs ?? 0)).toBe(0.5);
  });

  test('unknown usage remains unknown, not zero', () => {
    const measures = measured({ usage: null });
    expect(measures.outputTokens).toBeNull();
    expect(measures.reasons.outputTokens).toBe('tokensUnknown');
  });
});

describe('what the metric check refuses', () => {
  test('a negative or fractional output count', () => {
    for (const completionTokens of [-1, 1.5]) {
      expect(checkRecord(recordOf({ usage: { completionTokens } })).join()).toContain(
        'completionTokens',
      );
    }
  });

  test('timestamps that are not finite', () => {
    for (const broken of [
      recordOf({ dispatchedNs: Number.NaN, arrivalsNs: [] }),
      recordOf({ arrivalsNs: [1, Number.POSITIVE_INFINITY] }),
      recordOf({ doneNs: Number.NaN }),
    ]) {
      expect(checkRecord(broken)).not.toEqual([]);
    }
  });

  test('timestamps out of order', () => {
    for (const broken of [
      recordOf({ arrivalsNs: seconds(0.2, 0.1) }),
      recordOf({ dispatchedNs: nsFromSeconds(1), arrivalsNs: seconds(0.9) }),
      recordOf({ arrivalsNs: seconds(0.1, 0.3), doneNs: nsFromSeconds(0.2) }),
      recordOf({ dispatchedNs: nsFromSeconds(1), arrivalsNs: [], doneNs: nsFromSeconds(0.5) }),
    ]) {
      expect(checkRecord(broken)).not.toEqual([]);
    }
  });

  test('token alignment where arrivals and tokens differ in number', () => {
    const measures = measured({
      arrivalsNs: seconds(0.1, 0.2, 0.3),
      usage: { completionTokens: 4 },
      oneTokenPerEvent: true,
    });
    expect(measures.alignment).toBe('mismatch');
    expect(measures.itlNs).toBeNull();
    expect(measures.tpotBasis).toBe('estimated');
  });
});
