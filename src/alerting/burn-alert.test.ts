import { describe, expect, it } from 'vitest';
import { BAD_LEAST, burnAlerts, MINUTE_NS, timeToFireNs, wilsonLow } from './burn-alert.ts';

const MONTH_NS = 30 * 1_440 * MINUTE_NS;
const minutes = (target: number, badShare: number): (number | null)[] =>
  burnAlerts(target, MONTH_NS).map((alert) => {
    const ns = timeToFireNs(alert, { badShare, rps: null });
    return ns === null ? null : Math.round(ns / MINUTE_NS);
  });

describe('burn-rate alerts', () => {
  it('are the workbook’s where its factors can fire: 26, 65 and 130 minutes at 97 %', () => {
    expect(burnAlerts(0.97, MONTH_NS).map(({ factor }) => factor)).toEqual([14.4, 6, 3, 1]);
    expect(minutes(0.97, 1).slice(0, 3)).toEqual([26, 65, 130]);
    expect(minutes(0.99, 1).slice(0, 3)).toEqual([9, 22, 43]);
  });

  it('page at 90 %, where the workbook’s 144 % of requests would never be bad', () => {
    const fast = burnAlerts(0.9, MONTH_NS)[0];
    expect(fast).toMatchObject({ factor: 5, thresholdShare: 0.5, loweredFrom: 14.4 });
    expect(minutes(0.9, 1)[0]).toBe(30);
  });

  it('can all fire and none while on budget, at every target', () => {
    for (const target of [0.5, 0.6, 0.85, 0.93, 0.95, 0.999]) {
      for (const days of [7, 28, 30, 90]) {
        const alerts = burnAlerts(target, days * 1_440 * MINUTE_NS);
        expect(alerts.length).toBeGreaterThan(0);
        for (const { thresholdShare, factor } of alerts) {
          expect(thresholdShare).toBeLessThan(1);
          expect(factor).toBeGreaterThanOrEqual(1);
        }
      }
    }
  });

  it('wait for evidence: the smallest bad counts above 43.2, 18, 9 and 3 %', () => {
    const least = (valid: number): number[] =>
      [0.432, 0.18, 0.09, 0.03].map((threshold) => {
        let bad = 0;
        while (wilsonLow(bad, valid) <= threshold) bad += 1;
        return bad;
      });
    expect(least(5)).toEqual([4, 3, 2, 1]);
    expect(least(100)).toEqual([52, 25, 14, 6]);
    expect(least(1_000)).toEqual([458, 200, 105, 39]);
    const fast = burnAlerts(0.97, MONTH_NS)[0]!;
    // 3 requests an hour never reach the least count.
    expect(timeToFireNs(fast, { badShare: 1, rps: (BAD_LEAST - 2) / 3_600 })).toBeNull();
  });
});
