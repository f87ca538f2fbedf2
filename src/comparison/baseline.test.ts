import { describe, expect, test } from 'vitest';
import { compareWithBaseline } from './baseline.ts';
import { DEFAULT_MINIMUM_EFFECTS } from './metric.ts';
import type { WindowFigures } from './window-figures.ts';

const night = (tpot: number, attainment = 0.97): WindowFigures => ({
  unusable: null,
  values: { 'p50(tpot)': tpot, attainment },
  requests: { attainment: 400 },
});
const NIGHTS = [10, 10.2, 9.9, 10.1, 10.4, 9.8, 10, 10.3].map((tpot) => night(tpot * 1e6));

function verdicts(run: WindowFigures, nights = NIGHTS): Record<string, string> {
  const metrics = compareWithBaseline(run, nights, DEFAULT_MINIMUM_EFFECTS);
  return Object.fromEntries(metrics.map(({ metric, verdict }) => [metric, verdict]));
}

describe('compareWithBaseline', () => {
  test('an ordinary night shows nothing; one far outside the others is worse', () => {
    expect(verdicts(night(10.4e6))['p50(tpot)']).toBe('noDifferenceShown');
    expect(verdicts(night(11.5e6))['p50(tpot)']).toBe('worse');
    expect(verdicts(night(8.9e6))['p50(tpot)']).toBe('better');
  });

  test("its interval is Student's prediction interval on the logarithm", () => {
    const [tpot] = compareWithBaseline(night(10e6), NIGHTS, DEFAULT_MINIMUM_EFFECTS).filter(
      ({ metric }) => metric === 'p50(tpot)',
    );
    const logs = NIGHTS.map(({ values }) => Math.log(values['p50(tpot)'] ?? 0));
    const mean = logs.reduce((sum, log) => sum + log, 0) / 8;
    const deviation = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / 7);
    // t(0.975, 7) = 2.364624 by any table.
    const half = 2.364624 * deviation * Math.sqrt(1 + 1 / 8);
    expect(tpot?.interval?.high).toBeCloseTo(Math.expm1(Math.log(10e6) - mean + half), 6);
    expect(tpot?.interval?.low).toBeCloseTo(Math.expm1(Math.log(10e6) - mean - half), 6);
  });

  test('a share that never moved still varies as counts do', () => {
    const perfect = NIGHTS.map(() => night(10e6, 1));
    // Two of 400 missed is an ordinary night of a good service; 40 are not.
    expect(verdicts(night(10e6, 0.995), perfect)['attainment']).toBe('noDifferenceShown');
    expect(verdicts(night(10e6, 0.9), perfect)['attainment']).toBe('worse');
  });

  test('five nights are no baseline', () => {
    expect(verdicts(night(20e6), NIGHTS.slice(0, 5))['p50(tpot)']).toBe('notEnoughData');
  });
});
