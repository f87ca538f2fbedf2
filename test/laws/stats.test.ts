/** What holds of any sample and any count. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  betaQuantile,
  clopperPearsonInterval,
  kingmanMeanQueueDelayNs,
  littleAdmittedRps,
  littleInFlightMean,
  littleSojournMeanNs,
  minimumSampleSize,
  mm1MeanQueueDelayNs,
  mm1MeanSystemTimeNs,
  orderStatisticInterval,
  regularizedIncompleteBeta,
  sampleQuantile,
  wilsonInterval,
  type QuantileRule,
} from '../../src/stats/index.ts';

const sample = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 80 });
const q = fc.integer({ min: 1, max: 1000 }).map((permille) => permille / 1000);
const rule = fc.constantFrom<QuantileRule>('nearestRank', 'floorRank', 'linear');
const level = fc.constantFrom(0.8, 0.9, 0.95, 0.99);

describe('quantiles', () => {
  test('do not depend on the order of the sample', () => {
    fc.assert(
      fc.property(sample, q, rule, (values, at, by) => {
        expect(sampleQuantile(values.toReversed(), at, by)).toBe(sampleQuantile(values, at, by));
      }),
    );
  });

  test('rise with q and stay inside the sample', () => {
    fc.assert(
      fc.property(sample, q, q, rule, (values, a, b, by) => {
        const low = sampleQuantile(values, Math.min(a, b), by);
        const high = sampleQuantile(values, Math.max(a, b), by);
        expect(Math.min(...values)).toBeLessThanOrEqual(low);
        expect(low).toBeLessThanOrEqual(high);
        expect(high).toBeLessThanOrEqual(Math.max(...values));
      }),
    );
  });

  test('nearest rank: at least ⌈q·n⌉ values are at most the quantile, counted in integers', () => {
    fc.assert(
      fc.property(sample, fc.integer({ min: 1, max: 100 }), (values, percent) => {
        const rank = Math.ceil((percent * values.length) / 100);
        const expected = values.toSorted((a, b) => a - b)[rank - 1];
        expect(sampleQuantile(values, percent / 100, 'nearestRank')).toBe(expected);
      }),
    );
  });

  test('floor rank: the value after ⌊q·n⌋ others, counted in integers', () => {
    fc.assert(
      fc.property(sample, fc.integer({ min: 0, max: 100 }), (values, percent) => {
        const rank = Math.min(values.length - 1, Math.floor((percent * values.length) / 100));
        const expected = values.toSorted((a, b) => a - b)[rank];
        expect(sampleQuantile(values, percent / 100, 'floorRank')).toBe(expected);
      }),
    );
  });

  test('the quantile of a union lies between those of its parts', () => {
    fc.assert(
      fc.property(sample, sample, q, (a, b, at) => {
        const [ofA, ofB] = [a, b].map((values) => sampleQuantile(values, at, 'nearestRank'));
        const ofBoth = sampleQuantile([...a, ...b], at, 'nearestRank');
        expect(ofBoth).toBeGreaterThanOrEqual(Math.min(ofA!, ofB!));
        expect(ofBoth).toBeLessThanOrEqual(Math.max(ofA!, ofB!));
      }),
    );
  });
});

describe('intervals', () => {
  const counts = fc
    .tuple(fc.integer({ min: 1, max: 2000 }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([trials, share]) => [Math.round(share * trials), trials] as const);

  test('hold the observed share, inside 0 and 1', () => {
    fc.assert(
      fc.property(counts, level, ([successes, trials], at) => {
        const wilson = wilsonInterval(successes, trials, at)!;
        const exact = clopperPearsonInterval(successes, trials, at)!;
        const share = successes / trials;
        for (const { low, high } of [wilson, exact]) {
          expect(low).toBeGreaterThanOrEqual(0);
          expect(low).toBeLessThanOrEqual(share);
          expect(high).toBeGreaterThanOrEqual(share);
          expect(high).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('of successes and of failures mirror each other', () => {
    fc.assert(
      fc.property(counts, level, ([successes, trials], at) => {
        for (const interval of [wilsonInterval, clopperPearsonInterval]) {
          const good = interval(successes, trials, at)!;
          const bad = interval(trials - successes, trials, at)!;
          expect(good.low).toBeCloseTo(1 - bad.high, 10);
          expect(good.high).toBeCloseTo(1 - bad.low, 10);
        }
      }),
    );
  });

  test('exact: its ends leave exactly half of the risk outside', () => {
    fc.assert(
      fc.property(counts, level, ([successes, trials], at) => {
        const { low, high } = clopperPearsonInterval(successes, trials, at)!;
        const tail = (1 - at) / 2;
        if (successes > 0) {
          const atLeast = regularizedIncompleteBeta(low, successes, trials - successes + 1);
          expect(atLeast).toBeCloseTo(tail, 9);
        }
        if (successes < trials) {
          const atMost = 1 - regularizedIncompleteBeta(high, successes + 1, trials - successes);
          expect(atMost).toBeCloseTo(tail, 9);
        }
      }),
    );
  });

  test('of a quantile: exists exactly when the two-sided minimum is reached, and holds it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.constantFrom(0.5, 0.9, 0.95), (n, at) => {
        const sorted = Array.from({ length: n }, (_, i) => i);
        const interval = orderStatisticInterval(sorted, at, 0.9);
        expect(interval === null).toBe(n < minimumSampleSize(at, 0.95));
        if (interval === null) return;
        const observed = sampleQuantile(sorted, at, 'nearestRank');
        expect(interval.low).toBeLessThanOrEqual(observed);
        expect(interval.high).toBeGreaterThanOrEqual(observed);
      }),
    );
  });
});

test('the least sample is enough and one fewer is not', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 999 }), level, (permille, at) => {
      const share = permille / 1000;
      const n = minimumSampleSize(share, at);
      const slack = 1e-12;
      expect(1 - share ** n).toBeGreaterThanOrEqual(at - slack);
      if (n > 1) expect(1 - share ** (n - 1)).toBeLessThan(at + slack);
    }),
  );
});

test('the beta quantile inverts the incomplete beta function', () => {
  const parameter = fc.double({ min: 0.5, max: 3000, noNaN: true });
  fc.assert(
    fc.property(
      parameter,
      parameter,
      fc.double({ min: 0.001, max: 0.999, noNaN: true }),
      (a, b, p) => {
        expect(regularizedIncompleteBeta(betaQuantile(p, a, b), a, b)).toBeCloseTo(p, 8);
      },
    ),
  );
});

describe('queueing', () => {
  const rates = fc
    .tuple(
      fc.double({ min: 0.1, max: 100, noNaN: true }),
      fc.double({ min: 0.01, max: 0.99, noNaN: true }),
    )
    .map(([serviceRps, utilisation]) => ({ serviceRps, arrivalRps: utilisation * serviceRps }));

  test("Little's law closes on itself", () => {
    fc.assert(
      fc.property(rates, ({ arrivalRps }) => {
        const sojournMeanNs = littleSojournMeanNs({ inFlightMean: 7, admittedRps: arrivalRps });
        expect(littleInFlightMean({ admittedRps: arrivalRps, sojournMeanNs })).toBeCloseTo(7, 9);
        expect(littleAdmittedRps({ inFlightMean: 7, sojournMeanNs })).toBeCloseTo(arrivalRps, 9);
      }),
    );
  });

  test('M/M/1: waiting and service make up the time in system', () => {
    fc.assert(
      fc.property(rates, (queue) => {
        const wait = mm1MeanQueueDelayNs(queue) ?? Number.NaN;
        const system = mm1MeanSystemTimeNs(queue) ?? Number.NaN;
        expect((wait + 1e9 / queue.serviceRps) / system).toBeCloseTo(1, 9);
      }),
    );
  });

  test('Kingman’s delay grows with load', () => {
    fc.assert(
      fc.property(rates, (queue) => {
        const cv = { arrivalCv: 1.5, serviceCv: 0.5 };
        const busier = { ...queue, arrivalRps: (queue.arrivalRps + queue.serviceRps) / 2 };
        const calm = kingmanMeanQueueDelayNs({ ...queue, ...cv }) ?? Number.NaN;
        const busy = kingmanMeanQueueDelayNs({ ...busier, ...cv }) ?? Number.NaN;
        expect(busy).toBeGreaterThan(calm);
      }),
    );
  });
});
