import { describe, expect, it } from 'vitest';
import { recordOf } from '../../test/support/record-builder.ts';
import { objectiveOf, pointSummaryOf } from '../../test/support/summary-builder.ts';
import { nsFromMs } from '../base/index.ts';
import type { PointSummary } from '../summary/index.ts';
import { pooledLoadLines } from './pooled-loads.ts';

/** A window of 400 requests of which so many are slow, evenly spread. */
function windowOf(slowCount: number): PointSummary {
  const every = 400 / slowCount;
  const records = Array.from({ length: 400 }, (_, scheduleIndex) => {
    const plannedNs = nsFromMs(100 * scheduleIndex);
    const ttftNs = nsFromMs(scheduleIndex % every < 1 ? 900 : 50);
    const arrivalsNs = [0, 1, 2].map((token) => plannedNs + ttftNs + nsFromMs(10 * token));
    return recordOf({ plannedNs, scheduleIndex, arrivalsNs });
  });
  return pointSummaryOf(records, { objective: objectiveOf('ttft<=500ms, attainment>=90%') });
}

describe('windows of one load', () => {
  const five = [20, 25, 16, 20, 40].map(windowOf);

  it('are pooled from five on, with an interval by what differs between them', () => {
    const [line = '', ...others] = pooledLoadLines(five);
    expect(others).toEqual([]);
    expect(line).toMatch(/^5 windows of .*: 94\.0 % of 2,000 good \(/);
    expect(line).toContain('replications');
    const [, low, high] = /\((\d\d\.\d)–(\d\d\.\d) %/.exec(line) ?? [];
    expect(Number(low)).toBeLessThan(93.5);
    expect(Number(high)).toBeGreaterThan(94.5);
  });

  it('are not pooled below, nor with an interval while a backlog grew', () => {
    expect(pooledLoadLines(five.slice(1))).toEqual([]);
    const growing = five.map((point) => ({ ...point, backlogGrowing: true }));
    expect(pooledLoadLines(growing)[0]).toContain('~94.0 %');
  });
});
