import { describe, expect, test } from 'vitest';
import { randomStream } from '../base/index.ts';
import { normalQuantile } from './normal.ts';
import { MINIMUM_PAIRS, pairedBootstrapInterval, resampledMeans } from './paired-bootstrap.ts';
import { studentTQuantile } from './student-t.ts';

const random = (name: string) => randomStream(5, name);

describe('pairedBootstrapInterval', () => {
  test('says nothing from fewer than six pairs', () => {
    expect(pairedBootstrapInterval([1, 2, 3, 4, 5], { random: random('few') })).toBeNull();
    expect(MINIMUM_PAIRS).toBe(6);
  });

  test('is near the Student interval where that is right: ten normal differences', () => {
    const values = Array.from({ length: 10 }, (_, at) => normalQuantile((at + 0.5) / 10));
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / 9);
    const half = (studentTQuantile(0.975, 9) * deviation) / Math.sqrt(10);
    const interval = pairedBootstrapInterval(values, { random: random('t') });
    expect(interval?.high).toBeGreaterThan(0.93 * half);
    expect(interval?.high).toBeLessThan(1.07 * half);
    expect(interval?.low).toBeLessThan(-0.93 * half);
    expect(interval).toMatchObject({ level: 0.95, effectiveN: 10 });
  });

  test('moves and scales with the differences', () => {
    const values = [3, 5, 4, 8, 1, 6, 7, 2];
    const at = (of: readonly number[]) => pairedBootstrapInterval(of, { random: random('move') });
    const plain = at(values);
    const moved = at(values.map((value) => 10 + 2 * value));
    expect(moved?.low).toBeCloseTo(10 + 2 * (plain?.low ?? 0), 9);
    expect(moved?.high).toBeCloseTo(10 + 2 * (plain?.high ?? 0), 9);
  });

  test('equal draws give an equal interval, a higher level a wider one', () => {
    const values = [0.1, -0.2, 0.3, 0.4, 0, 0.2, -0.1];
    const at = (level: number) =>
      pairedBootstrapInterval(values, { random: random('same'), level });
    expect(at(0.95)).toEqual(at(0.95));
    expect(at(0.99)?.high).toBeGreaterThan(at(0.95)?.high ?? 0);
  });

  /** Differences of two skewed figures: windows of one service, as its time to first token is. */
  test('covers the truth where the plain percentile interval does not', () => {
    const draw = random('coverage');
    const skewed = (): number => Math.exp(0.8 * normalQuantile(0.5 + (draw() - 0.5) * 0.9999));
    const trials = 400;
    let expanded = 0;
    let plain = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      const values = Array.from({ length: 8 }, () => skewed() - skewed());
      const interval = pairedBootstrapInterval(values, { random: draw, resamples: 999 });
      const means = resampledMeans(values, 999, draw);
      if (interval !== null && interval.low <= 0 && interval.high >= 0) expanded += 1;
      if ((means[24] as number) <= 0 && (means[974] as number) >= 0) plain += 1;
    }
    expect(expanded / trials).toBeGreaterThan(0.925);
    expect(plain / trials).toBeLessThan(0.91);
  });
});
