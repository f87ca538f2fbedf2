import { describe, expect, it } from 'vitest';
import { recordOf } from '../../test/support/record-builder.ts';
import {
  objectiveOf,
  pointOf,
  pointSummaryOf,
  summaryOf,
} from '../../test/support/summary-builder.ts';
import { nsFromMs } from '../base/index.ts';
import { attainmentText, gapName, missesText, provenanceText, ratesText } from './words.ts';

const objective = objectiveOf('ttft<=500ms, tpot<=40ms, attainment>=95%');

describe('what was missed', () => {
  it('counts the one-token answers to which a pace does not apply', () => {
    const oneToken = recordOf({ arrivalsNs: [nsFromMs(100)], usage: { completionTokens: 1 } });
    const point = pointSummaryOf([oneToken, recordOf({ scheduleIndex: 1 })], { objective });
    expect(missesText(point)).toBe('nothing · tpot not applicable to 1');
  });

  it('tells the unknown beside the missed, and what attainment could be', () => {
    const slow = recordOf({ arrivalsNs: [600, 620].map(nsFromMs) });
    const silent = recordOf({ scheduleIndex: 1, usage: null });
    const point = pointSummaryOf([slow, silent], { objective });
    expect(missesText(point)).toBe('ttft 1 (1 missed only this) · tpot 0, 1 unknown');
    expect(attainmentText(point)).toMatch(/· 1 unjudged, so 0\.0–50\.0 % is possible$/);
    expect(ratesText(point)).toContain('(1 without usage)');
  });
});

describe('labels', () => {
  it('tell the share of gaps of zero, where there are any', () => {
    const atOnce = recordOf({ arrivalsNs: [100, 100, 120].map(nsFromMs) });
    expect(gapName(pointSummaryOf([atOnce]))).toBe('chunk gap (50.0 % zero)');
    expect(gapName(pointSummaryOf([recordOf()]))).toBe('chunk gap');
  });

  it('tell what was cached beside what was asked, over all loads', () => {
    const cached = (pointIndex: number, cachedPromptTokens: number | null) =>
      recordOf({ pointIndex, usage: { promptTokens: 100, cachedPromptTokens } });
    const points = [pointOf({ index: 0 }), pointOf({ index: 1, level: 2 })];
    const textOf = (a: number | null, b: number | null) =>
      provenanceText(summaryOf([cached(0, a), cached(1, b)], { points })).split(' · ')[0];
    expect(textOf(null, null)).toBe('prefix cache unique');
    expect(textOf(5, 5)).toBe('prefix cache unique (5.0 % cached)');
    expect(textOf(5, 20)).toBe('prefix cache unique (5.0–20.0 % cached)');
  });
});
