import { expect, test } from 'vitest';
import { fittedShare, logisticCrossing, logisticFit } from './logistic-crossing.ts';

/** Dobson's beetle data (Bliss 1935): survivors of doses, which statistics books fit by logit. */
const DOSES = [1.6907, 1.7242, 1.7552, 1.7842, 1.8113, 1.8369, 1.861, 1.8839];
const BEETLES = [59, 60, 62, 56, 63, 59, 62, 60];
const KILLED = [6, 13, 18, 28, 52, 53, 61, 60];

test('agrees with the textbook fit of the beetle mortality data', () => {
  // The dose is already a log10, so its exponential is the load and centre 1 leaves it as it is.
  const fit = logisticFit(
    DOSES.map((dose, at) => ({
      load: Math.exp(dose),
      good: (BEETLES[at] as number) - (KILLED[at] as number),
      offered: BEETLES[at] as number,
    })),
    { centreLoad: 1 },
  );
  // Dobson and Barnett, An Introduction to Generalized Linear Models, table 7.4: intercept −60.72
  // (se 5.18), slope 34.27 (se 2.91) for deaths; survivors have the opposite signs.
  expect(fit?.intercept).toBeCloseTo(60.717, 2);
  expect(fit?.slope).toBeCloseTo(-34.27, 2);
  const dispersion = fit?.dispersion ?? 0;
  expect(Math.sqrt((fit?.slopeVariance ?? 0) / dispersion)).toBeCloseTo(2.912, 2);
  expect(Math.sqrt((fit?.interceptVariance ?? 0) / dispersion)).toBeCloseTo(5.181, 2);
  // Pearson's χ² of that fit is 10.03 on 6 degrees of freedom.
  expect(dispersion).toBeCloseTo(10.03 / 6, 2);
  // The median lethal dose, 60.717 / 34.27 = 1.7717.
  expect(Math.log(logisticCrossing(fit, 0.5).load ?? 0)).toBeCloseTo(1.7717, 3);
});

test('the interval is where the fit does not reject the target', () => {
  const fit = logisticFit(
    [6, 6.5, 7, 7.5, 8].map((load) => ({
      load,
      offered: 1_000,
      good: Math.round(1_000 / (1 + Math.exp(-(3 - 8 * Math.log(load / 7))))),
    })),
    { centreLoad: 7 },
  );
  const { load, interval } = logisticCrossing(fit, 0.95);
  expect(load).toBeGreaterThan(interval?.low ?? Infinity);
  expect(load).toBeLessThan(interval?.high ?? 0);
  if (fit === null) throw new Error('no fit');
  expect(fittedShare(fit, load ?? 0)).toBeCloseTo(0.95, 6);
  // At both ends the distance from the target is t standard errors; t(0.975, 3) = 3.18245.
  for (const end of [interval?.low ?? 0, interval?.high ?? 0]) {
    const x = Math.log(end / 7);
    const distance = fit.intercept + fit.slope * x - Math.log(0.95 / 0.05);
    const variance = fit.interceptVariance + 2 * x * fit.covariance + x * x * fit.slopeVariance;
    expect(Math.abs(distance) / Math.sqrt(variance)).toBeCloseTo(3.18245, 4);
  }
});

test('states nothing that the windows do not show', () => {
  const at = (load: number, good: number) => ({ load, good, offered: 100 });
  const few = logisticFit([at(6, 97), at(8, 80)], { centreLoad: 7 });
  expect(logisticCrossing(few, 0.95)).toEqual({
    load: null,
    interval: null,
    reason: 'tooFewWindows',
  });
  expect(logisticFit([at(7, 97), at(7, 90), at(7, 93)], { centreLoad: 7 })).toBeNull();
  const flat = logisticFit([at(6, 95), at(7, 90), at(8, 95)], { centreLoad: 7 });
  expect(logisticCrossing(flat, 0.95).reason).toBe('noFall');
  const rising = logisticFit([at(6, 85), at(7, 90), at(8, 95)], { centreLoad: 7 });
  expect(logisticCrossing(rising, 0.95)).toMatchObject({ load: null, interval: null });
});

test('windows that part perfectly do not run away', () => {
  const fit = logisticFit(
    [1, 2, 4].map((load) => ({ load, offered: 50, good: load < 3 ? 50 : 0 })),
    { centreLoad: 2 },
  );
  expect(fit === null || Number.isFinite(fit.slope)).toBe(true);
});
