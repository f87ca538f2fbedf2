import { describe, expect, it } from 'vitest';
import { recordOf } from '../../test/support/record-builder.ts';
import { pointOf, pointSummaryOf } from '../../test/support/summary-builder.ts';
import { nsFromMs, nsFromSeconds } from '../base/index.ts';
import type { RequestRecord } from '../record/index.ts';

/** A request every 100 ms that stays 950 ms, with the generator's own count of those in flight. */
function steadyRecords(count: number, stayMs = 950): RequestRecord[] {
  return Array.from({ length: count }, (_, index) =>
    recordOf({
      scheduleIndex: index,
      plannedNs: nsFromMs(100 * index),
      doneNs: nsFromMs(100 * index + stayMs),
      inFlightAtDispatch: Math.min(index + 1, 10),
    }),
  );
}

describe('the path check', () => {
  it('finds no gap where every request left one record', () => {
    expect(pointSummaryOf(steadyRecords(100)).littlesLaw.pathGapShare).toBe(0);
  });

  it('sees a request that left no record', () => {
    const point = pointSummaryOf(steadyRecords(100).filter((_, index) => index % 20 !== 10));
    expect(point.littlesLaw.pathGapShare).toBeGreaterThan(0.03);
    expect(point.validity.valid).toBe(false);
    expect(point.validity.reasons.map((reason) => reason.check)).toContain('littlesLaw');
  });

  it('sees a record too many', () => {
    const doubled = steadyRecords(100).flatMap((record, index) =>
      index % 20 === 10 ? [record, record] : [record],
    );
    expect(pointSummaryOf(doubled).littlesLaw.pathGapShare).toBeLessThan(-0.03);
  });

  it('allows the hand-over between socket and count', () => {
    const late = steadyRecords(100, 1_000).map((record, index) => ({
      ...record,
      // The count still holds the request that ends at this very instant.
      inFlightAtDispatch: Math.min(index + 1, 11),
    }));
    expect(pointSummaryOf(late).littlesLaw.pathGapShare).toBe(0);
  });

  it('allows a lost connection to be let go of at any time after what was last seen of it', () => {
    const reset = steadyRecords(100).map((record, index) =>
      index % 20 === 10 && record.timeline !== null
        ? {
            ...record,
            end: { kind: 'failed', failure: 'truncated', error: null } as const,
            timeline: { ...record.timeline, terminalNs: null, doneNs: null, bodyEndNs: null },
          }
        : record,
    );
    expect(pointSummaryOf(reset).littlesLaw.pathGapShare).toBe(0);
  });

  it('is not made where the generator told no count', () => {
    expect(pointSummaryOf([recordOf()]).littlesLaw.pathGapShare).toBeNull();
  });
});

describe("Little's law of means", () => {
  it('holds exactly when every stay lies in the window', () => {
    const { littlesLaw, inFlightMean } = pointSummaryOf(steadyRecords(100));
    expect(littlesLaw.wMeanNs).toBe(nsFromMs(950));
    expect(littlesLaw.lMean).toBe(inFlightMean);
    expect(littlesLaw.stationaryGapShare).toBeCloseTo(0, 12);
  });

  it('uses the sent, not the offered', () => {
    const dropped = Array.from({ length: 50 }, (_, index) =>
      recordOf({
        scheduleIndex: 100 + index,
        plannedNs: nsFromMs(100 * index),
        dropped: 'ceiling',
      }),
    );
    const { littlesLaw } = pointSummaryOf([...steadyRecords(100), ...dropped]);
    expect(littlesLaw.stationaryGapShare).toBeCloseTo(0, 12);
  });
});

describe('a growing backlog', () => {
  const growing = Array.from({ length: 300 }, (_, index) =>
    recordOf({
      scheduleIndex: index,
      plannedNs: nsFromMs(100 * index),
      doneNs: nsFromMs(100 * index + 1_000 + 100 * index),
    }),
  );
  const points = [pointOf({ stopNs: nsFromSeconds(30) })];

  it('is labelled, and never makes the point invalid', () => {
    const point = pointSummaryOf(growing, { points });
    expect(point.backlogGrowing).toBe(true);
    expect(point.validity.valid).toBe(true);
    expect(point.validity.reasons.map((reason) => reason.check)).toContain('backlog');
  });

  it('is not seen in a system that only filled', () => {
    expect(pointSummaryOf(steadyRecords(300), { points }).backlogGrowing).toBe(false);
  });

  it('does not exist in a closed loop', () => {
    const closed = [pointOf({ stopNs: nsFromSeconds(30), closedLoop: true })];
    expect(pointSummaryOf(growing, { points: closed }).backlogGrowing).toBe(false);
  });
});
