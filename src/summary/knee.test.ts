import { describe, expect, it } from 'vitest';
import { kneeOf, type KneePoint } from './knee.ts';
import type { PopulationResult } from './summary.ts';

/** A load with its share of good requests, and half the width of an interval around it. */
function tried(
  level: number,
  share: number,
  options: { half?: number; valid?: boolean; state?: PopulationResult['state'] } = {},
): KneePoint {
  const { half, valid = true, state = share >= 0.95 ? 'met' : 'missed' } = options;
  return {
    load: { kind: 'rate', level, label: `${level}/s`, closedLoop: false },
    goodputRps: level * share,
    attainment: {
      good: Math.round(1_000 * share),
      offered: 1_000,
      unjudged: 0,
      share,
      unknownBounds: null,
      interval:
        half === undefined
          ? null
          : { low: share - half, high: share + half, level: 0.95, method: 'm', effectiveN: 50 },
      dependence: null,
      noInterval: null,
      intervalIfIndependent: null,
      denominator: 'offered',
    },
    population: [
      {
        target: 'attainment >= 95%',
        state,
        observed: share,
        limit: 0.95,
        proven: false,
        toProve: null,
      },
    ],
    validity: { valid },
  };
}

describe('kneeOf', () => {
  it('is the largest load that met the target, and knows up to where that is proven', () => {
    const knee = kneeOf([
      tried(8, 0.8, { half: 0.02 }),
      tried(2, 1, { half: 0 }),
      tried(4, 0.98, { half: 0.02 }),
      tried(6, 0.96, { half: 0.02 }),
    ]);
    expect(knee).toEqual({
      target: 0.95,
      level: 6,
      goodputRps: 6 * 0.96,
      provenLevel: 4,
      next: { level: 8, state: 'missed', share: 0.8 },
      metAbove: [],
    });
  });

  it('is not raised by a load that met it by luck above one that did not', () => {
    expect(kneeOf([tried(2, 0.99), tried(4, 0.94), tried(6, 0.96), tried(8, 0.5)])).toMatchObject({
      level: 2,
      next: { level: 4 },
      metAbove: [6],
    });
  });

  it('is below the sweep where the lowest load missed, and beyond it where none did', () => {
    expect(kneeOf([tried(2, 0.5), tried(4, 0.3)])).toMatchObject({
      level: null,
      goodputRps: null,
      next: { level: 2, state: 'missed' },
    });
    expect(kneeOf([tried(2, 1), tried(4, 1)])).toMatchObject({ level: 4, next: null });
  });

  it('ends at a load with too little data, and passes over one that cannot be trusted', () => {
    expect(
      kneeOf([tried(2, 1), tried(4, 1, { state: 'notEnoughData' }), tried(6, 0.2)]),
    ).toMatchObject({ level: 2, next: { level: 4, state: 'notEnoughData' }, metAbove: [] });
    expect(kneeOf([tried(2, 1), tried(4, 0.1, { valid: false }), tried(6, 1)])).toMatchObject({
      level: 6,
      next: null,
    });
  });

  it('is none of one load, nor without a target', () => {
    expect(kneeOf([tried(2, 1)])).toBeNull();
    expect(
      kneeOf([tried(2, 1), tried(4, 1)].map((each) => ({ ...each, population: [] }))),
    ).toBeNull();
  });
});
