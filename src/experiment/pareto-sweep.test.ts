import { expect, it } from 'vitest';
import { pointOf, pointSummaryOf, summaryOf } from '../../test/support/summary-builder.ts';
import { manifestOf } from '../../test/support/manifest-builder.ts';
import { parseRunSpec, type RunSpec } from '../config/index.ts';
import type { PointSummary } from '../summary/index.ts';
import { type ParetoWindow, sweepPareto } from './pareto-sweep.ts';
import type { ExperimentResult } from './run-experiment.ts';

function specOf(): RunSpec {
  const yaml = `
target: { url: 'http://127.0.0.1:8000' }
load: { concurrency: [1, 4, 16] }
duration: 10s
`;
  const parsed = parseRunSpec(yaml, { env: {}, readFile: () => '', file: 'spec.yaml', flags: {} });
  if (!('spec' in parsed)) throw new Error(JSON.stringify(parsed.problems));
  return parsed.spec;
}

const EMPTY = pointSummaryOf([]);

/** A service whose figures are a function of batch, level and draw. */
function measured(
  { spec, batch, draw }: ParetoWindow,
  figures: (batch: number, level: number, draw: number) => { tokens: number; tpotMs: number },
): ExperimentResult {
  const levels = spec.load.kind === 'concurrency' ? spec.load.levels : [];
  const points = levels.map((level, index): PointSummary => {
    const { tokens, tpotMs } = figures(batch ?? 0, level, draw);
    const value = tpotMs * 1e6;
    const quantiles = [0.5, 0.95].map((q) => ({
      q,
      value,
      claimable: true,
      effectiveN: null,
      interval: null,
    }));
    return {
      ...EMPTY,
      index,
      load: { kind: 'concurrency', level, label: `${level}`, closedLoop: true },
      rates: { ...EMPTY.rates, outputTokensPerSecond: tokens },
      tpotNs: { ...EMPTY.tpotNs, quantiles },
      ttftFromPlannedNs: { ...EMPTY.ttftFromPlannedNs, quantiles },
    };
  });
  const summary = { ...summaryOf([], { points: [pointOf()] }), points };
  return { manifest: manifestOf(), summary, interrupted: false };
}

const AXES = { gain: 'outputTokens', latency: 'tpotP50' } as const;

it('draws every point once, then the frontier again with fresh seeds, a setting at a time', async () => {
  const windows: ParetoWindow[] = [];
  const entered: (number | null)[] = [];
  const { draws, interrupted } = await sweepPareto(
    specOf(),
    { batches: [8, 32], axes: AXES, drawsAsked: 2 },
    {
      enter: async (batch) => void entered.push(batch),
      measure: async (window) => {
        windows.push(window);
        // 16 streams on a batch of 8 are beaten by 4; on 32 nothing is beaten but by itself.
        return measured(window, (batch, level) => ({
          tokens: 100 * Math.min(batch, level === 16 && batch === 8 ? 3 : level),
          tpotMs: 10 + level + (batch === 32 ? 0.5 : 0),
        }));
      },
      onRepeat: () => {},
    },
  );
  expect(interrupted).toBe(false);
  expect(
    windows.map(({ batch, draw, spec }) => [
      batch,
      draw,
      spec.load.kind === 'concurrency' && spec.load.levels,
    ]),
  ).toEqual([
    [8, 1, [1, 4, 16]],
    [32, 1, [1, 4, 16]],
    [8, 2, [1, 4]],
    [32, 2, [16]],
  ]);
  expect(entered).toEqual([8, 32, 8, 32]);
  expect(draws).toHaveLength(9);
  const seeds = windows.map(({ spec }) => spec.seeds.arrivals);
  expect(seeds[0]).toBe(seeds[1]);
  expect(seeds[2]).toBe(seeds[3]);
  expect(seeds[2]).not.toBe(seeds[0]);
});

it('keeps what it has when interrupted', async () => {
  const { draws, interrupted } = await sweepPareto(
    specOf(),
    { batches: [8, 16], axes: AXES, drawsAsked: 2 },
    {
      enter: async () => {},
      measure: async (window) =>
        window.batch === 16 ? null : measured(window, () => ({ tokens: 1, tpotMs: 1 })),
      onRepeat: () => {},
    },
  );
  expect(interrupted).toBe(true);
  expect(draws).toHaveLength(3);
});
