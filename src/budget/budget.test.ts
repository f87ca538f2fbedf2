import { describe, expect, it } from 'vitest';
import { instantText, MS_PER_DAY, parseInstantMs, randomStream } from '../base/index.ts';
import { budgetStatement } from './budget-statement.ts';
import { periodAt } from './budget-period.ts';
import { parseCounts } from './counts-file.ts';
import { forecastExhaustion } from './exhaustion-forecast.ts';

const at = (text: string): number => parseInstantMs(text)!;
const day = (index: number, offered: number, bad: number) => ({
  windowStart: instantText(at('2026-11-01Z') + index * MS_PER_DAY),
  windowEnd: instantText(at('2026-11-01Z') + (index + 1) * MS_PER_DAY),
  offered,
  good: offered - bad,
  bad,
});

function statementOf(
  days: readonly object[],
  annotations: Parameters<typeof budgetStatement>[0]['annotations'] = [],
) {
  const counts = parseCounts(days.map((each) => JSON.stringify(each)).join('\n'), 'c.ndjson');
  if ('problems' in counts) throw new Error(JSON.stringify(counts.problems));
  const nowMs = Math.max(...counts.windows.map(({ toMs }) => toMs));
  return budgetStatement({
    windows: counts.windows,
    nowMs,
    period: periodAt({ kind: 'rolling', lengthMs: 30 * MS_PER_DAY }, nowMs),
    targets: { attainment: 0.97, failures: 0.99, quality: null },
    annotations,
    seed: 1,
  });
}

describe('a budget', () => {
  it('is of counts: a quiet bad day weighs what its requests weigh', () => {
    // The mean of the two ratios would be 25.5 % bad; of counts it is 1.05 %.
    const { budgets, unknown } = statementOf([day(0, 10_000, 100), day(1, 10, 5)]);
    expect(budgets[0]?.spentShare).toBeCloseTo(105 / (0.03 * 10_010), 9);
    expect(unknown).toEqual(['failures']);
  });

  it('says what went during what, two causes at once only once', () => {
    const span = (from: string, to: string) => ({
      kind: 'deploy' as const,
      note: '',
      fromMs: at(from),
      toMs: at(to),
    });
    const spans = [
      span('2026-11-02Z', '2026-11-02T12:00:00Z'),
      span('2026-11-02T06:00:00Z', '2026-11-02T12:00:00Z'),
    ];
    const budget = statementOf([day(0, 1_000, 10), day(1, 1_000, 40)], spans).budgets[0];
    expect(budget?.annotated.map(({ bad }) => bad)).toEqual([20, 10]);
    expect(budget?.unannotatedBad).toBe(30);
  });

  it('refuses windows that overlap', () => {
    const text = JSON.stringify([day(0, 10, 1), day(0, 10, 1)]);
    expect(parseCounts(text, 'c.json')).toHaveProperty(
      'problems.0.message',
      expect.stringContaining('overlap'),
    );
  });
});

describe('a calendar period', () => {
  it('is a month of the zone, with its change of clocks', () => {
    const choice = { kind: 'calendar', unit: 'month', timeZone: 'Europe/Berlin' } as const;
    const { fromMs, toMs } = periodAt(choice, at('2026-10-15Z'));
    expect([instantText(fromMs), instantText(toMs)]).toEqual([
      '2026-09-30T22:00:00Z',
      '2026-10-31T23:00:00Z',
    ]);
  });

  it('begins its weeks on Monday', () => {
    const { fromMs } = periodAt(
      { kind: 'calendar', unit: 'week', timeZone: 'UTC' },
      at('2026-11-29Z') + 1,
    );
    expect(instantText(fromMs)).toBe('2026-11-23T00:00:00Z');
  });
});

describe('a forecast', () => {
  it('is the closed formula where days do not differ', () => {
    const steps = Array.from({ length: 10 }, () => ({ offered: 100, bad: 2 }));
    const options = {
      budgetShare: 0.03,
      isRolling: false,
      horizonSteps: 20,
      allowedBad: 30,
      seed: 1,
    };
    expect(forecastExhaustion(steps, options)).toMatchObject({
      earlySteps: 5,
      medianSteps: 5,
      lateSteps: 5,
      chanceShare: 1,
    });
    expect(forecastExhaustion(steps.slice(0, 6), options)).toBeNull();
  });

  it('holds the truth in about 80 % of histories', () => {
    const rng = randomStream(7, 'histories');
    const draw = () => ({ offered: 100, bad: Math.floor(rng() * 9) });
    let held = 0;
    const runs = 60;
    for (let run = 0; run < runs; run += 1) {
      const steps = Array.from({ length: 15 }, draw);
      const seen = steps.reduce((sum, { bad }) => sum + bad, 0);
      const options = {
        budgetShare: 0.03,
        isRolling: false,
        horizonSteps: 99,
        allowedBad: seen + 60,
        seed: run,
      };
      const band = forecastExhaustion(steps, options)!;
      let left = 60;
      let truth = 0;
      for (; left > 0; truth += 1) left -= draw().bad;
      if (truth >= band.earlySteps! && truth <= band.lateSteps!) held += 1;
    }
    expect(held / runs).toBeGreaterThan(0.65);
  });
});
