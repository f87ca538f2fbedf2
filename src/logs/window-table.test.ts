import { describe, expect, it } from 'vitest';
import { plainObjective, type Objective } from '../slo/index.ts';
import type { SliceCounts } from './slice-counts.ts';
import { windowTable } from './window-table.ts';
import { whatIfObjective } from './what-if.ts';
import { isoInstant } from './iso-instant.ts';
import { binnedQuantile, latencyBin } from './latency-bin.ts';
import { parseWindowSpec } from './window-spec.ts';

const HOUR_US = 3_600_000_000;
const BY = { windowUs: HOUR_US, keys: [] };

function objectiveOf(attainmentShare: number | null): Objective {
  const plain = plainObjective();
  return { ...plain, population: { ...plain.population, attainmentShare } };
}

function sliceOf(counts: Partial<SliceCounts>): SliceCounts {
  return {
    fromUs: 0,
    values: [],
    good: 0,
    bad: 0,
    unjudged: 0,
    excluded: 0,
    dropped: 0,
    failed: 0,
    incorrect: 0,
    missed: {},
    ttft: { observed: 0, within: 0 },
    tpot: { observed: 0, within: 0 },
    succeeded: 0,
    quantiles: [],
    ...counts,
  };
}

function only(slice: Partial<SliceCounts>, target: number | null = 0.95) {
  const table = windowTable({ slices: [sliceOf(slice)], bins: [] }, objectiveOf(target), BY);
  return table.windows[0]!;
}

describe('where panels and requests disagree', () => {
  // Mission: p95 of each passes with 95 % each, and jointly it may be anywhere from 90 %.
  const panels = { ttft: { observed: 100, within: 95 }, tpot: { observed: 100, within: 95 } };

  it('marks green panels over a missed joint share', () => {
    expect(only({ ...panels, good: 90, bad: 10 }).disagreement).toBe('panelsPass');
    expect(only({ ...panels, good: 95, bad: 5 }).disagreement).toBeNull();
  });

  it('marks a red panel over a met joint share', () => {
    const red = { ...panels, ttft: { observed: 100, within: 94 } };
    expect(only({ ...red, good: 92, bad: 8 }, 0.9).disagreement).toBe('panelsMiss');
  });

  it('counts unknown as bad, and says the bounds', () => {
    const { attainment } = only({ good: 90, bad: 4, unjudged: 6 });
    expect(attainment.unknownBounds).toEqual({ low: 0.9, high: 0.96 });
  });

  it('says nothing of two requests', () => {
    expect(only({ ...panels, good: 1, bad: 1 })).toMatchObject({
      lowTraffic: true,
      disagreement: null,
      attainment: { interval: null },
    });
  });
});

it('spends a budget from counts, not from a mean of windows', () => {
  const slices = [
    sliceOf({ good: 900, bad: 100 }),
    sliceOf({ fromUs: HOUR_US, good: 9_990, bad: 10 }),
  ];
  const { budget } = windowTable({ slices, bins: [] }, objectiveOf(0.99), BY);
  expect(budget?.allowedBad).toBeCloseTo(110, 9);
  expect(budget?.spentShare).toBeCloseTo(1, 9);
});

it('finds quantiles within 1 %', () => {
  const bins = new Map<number, number>();
  for (let ms = 1; ms <= 1_000; ms += 1) {
    const bin = latencyBin(ms * 1e6);
    bins.set(bin, (bins.get(bin) ?? 0) + 1);
  }
  for (const q of [0.5, 0.95, 0.99]) {
    expect(Math.abs(binnedQuantile(bins, q)! / (q * 1e9) - 1)).toBeLessThan(0.0101);
  }
  expect(binnedQuantile(new Map(), 0.5)).toBeNull();
});

it('writes instants as Date does', () => {
  for (const ms of [0, 951_782_400_000, 1_709_164_800_000, 4_102_444_799_000]) {
    expect(isoInstant(ms * 1e3)).toBe(new Date(ms).toISOString().replace('.000', ''));
  }
  expect(isoInstant(1_500)).toBe('1970-01-01T00:00:00.001500Z');
});

describe('what if', () => {
  it('replaces a term, and all ranges where none is named', () => {
    const base = objectiveOf(0.95);
    const first = whatIfObjective(base, 'ttft[0-4k]<=1s, ttft[4k+]<=2s');
    if ('problems' in first) throw new Error('unread');
    expect(first.objective.request.ttft).toHaveLength(2);
    const second = whatIfObjective(first.objective, 'ttft<=800ms');
    if ('problems' in second) throw new Error('unread');
    expect(second.objective.request.ttft).toEqual([
      { fromTokens: 0, toTokens: null, limitNs: 800e6 },
    ]);
    expect(second.objective.population.attainmentShare).toBe(0.95);
  });

  it('tells a mistake in its own words', () => {
    expect(whatIfObjective(objectiveOf(null), 'ttfd<=1s')).toMatchObject({
      problems: [
        { code: 'E_OBJECTIVE_SYNTAX', message: expect.stringContaining('ttfd<=1s') as string },
      ],
    });
  });
});

it.each([
  ['1h,bucket', { windowUs: HOUR_US, keys: ['bucket'] }],
  ['tenant', { windowUs: null, keys: ['tenant'] }],
])('reads --by %s', (text, spec) => {
  expect(parseWindowSpec(text)).toEqual(spec);
});

it('tells what --by cannot read', () => {
  expect(parseWindowSpec('1h,buckte')).toMatchObject({
    problems: [{ hint: 'did you mean bucket?' }],
  });
});
