/**
 * The simulator against real vLLM servers driven past saturation. Bounds are what was reached,
 * rounded up; `bench/validate-step-cost.ts` prints the figures.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  calibrated,
  fitRoofline,
  jointAttainment,
  measureFigures,
  type ObservedRequest,
  replayRun,
} from '../../src/calibration/index.ts';
import type { ResidualError, RooflineFactors } from '../../src/engine/index.ts';
import { NO_SHARED_DATA } from '../support/shared-data.ts';
import { readVllmRun, VLLM_RUN_DATA, type VllmRunName } from '../support/vllm-runs.ts';

const LIMITS = { ttftNs: 1e9, tpotNs: 40e6 };

function worst(residuals: readonly ResidualError[], of: 'meanShare' | 'p99Share'): number {
  return Math.max(...residuals.map((residual) => Math.abs(residual[of])));
}

/** Fitted to the RTX PRO 6000 run of Llama-3.1-8B. */
const FITTED: RooflineFactors = {
  bandwidthShare: 0.88,
  computeShare: 0.69,
  stepOverheadSeconds: 0.00148,
  sequenceOverheadSeconds: 0,
  exchangeSeconds: 0.00001,
  linkShare: 0.7,
};

interface LogRow {
  readonly arrival_time: number;
  readonly queued_ts: number;
  readonly first_token_ts: number;
  readonly last_token_ts: number;
}

function readRows(name: VllmRunName): LogRow[] {
  const text = readFileSync(`${VLLM_RUN_DATA}/${name}/requests.jsonl`, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LogRow);
}

describe.skipIf(VLLM_RUN_DATA === null)(`real vLLM runs (else: ${NO_SHARED_DATA})`, () => {
  test.each([
    ['rtxpro6000-llama3.1-8b', 7_097.2, 19_754.1, 32.46, 28_200.7, 128],
    ['rtx4090-llama3.1-8b', 65_456.6, 137_352.0, 32.45, 86_578.3, 18],
    ['rtxpro6000-tp2-qwen3-32b', 36_905.2, 93_343.4, 80.31, 90_408.1, 0],
    ['rtxpro6000-dp2ep2-qwen3-30b-a3b', 1_086.0, 9_587.6, 47.29, 32_344.6, 1],
  ] as const)('%s is read as published', (name, ttft, ttftP99, tpot, e2e, good) => {
    // The publishers count from when the engine noted a request.
    const { requests } = readVllmRun(name, 'engine').served.observed;
    const [first, pace, whole] = measureFigures(requests);
    expect(requests).toHaveLength(300);
    expect((first?.meanNs ?? 0) / 1e6).toBeCloseTo(ttft, 1);
    expect((first?.p99Ns ?? 0) / 1e6).toBeCloseTo(ttftP99, 1);
    expect((pace?.meanNs ?? 0) / 1e6).toBeCloseTo(tpot, 2);
    expect((whole?.meanNs ?? 0) / 1e6).toBeCloseTo(e2e, 1);
    expect(Math.round(jointAttainment(requests, LIMITS) * 300)).toBe(good);
  });

  test.each<[VllmRunName, number, number, number]>([
    ['rtxpro6000-llama3.1-8b', 0, 22.8, 109],
    ['rtx4090-llama3.1-8b', 0, 29.8, 201],
    ['rtxpro6000-tp2-qwen3-32b', 0, 133.4, 374],
    // Two engines: each notes requests at the ends of its own steps.
    ['rtxpro6000-dp2ep2-qwen3-30b-a3b', 4, 27.4, 107],
  ])(
    '%s: the engine notes a request at the end of the step it came in, for all but %d',
    (name, most, meanMs, longestMs) => {
      const rows = readRows(name);
      const clocks = Math.min(...rows.map((row) => row.queued_ts - row.arrival_time));
      const ends = rows.flatMap((row) => [row.first_token_ts, row.last_token_ts]);
      const waits = rows.map((row) => row.queued_ts - row.arrival_time - clocks);
      // 4 and 2 ms: what the smallest difference of the clocks is itself uncertain by.
      const passed = rows.filter((row) =>
        ends.some((end) => end > row.arrival_time + clocks + 0.004 && end < row.queued_ts - 0.002),
      );
      expect(passed.length).toBeLessThanOrEqual(most);
      expect((waits.reduce((sum, wait) => sum + wait, 0) / waits.length) * 1e3).toBeCloseTo(
        meanMs,
        0,
      );
      expect(Math.max(...waits) * 1e3).toBeLessThan(longestMs);
    },
  );

  test.each<[VllmRunName, number, number, number]>([
    ['rtxpro6000-llama3.1-8b', 0.01, 0.035, 0],
    ['rtx4090-llama3.1-8b', 0.015, 0.015, 2],
    ['rtxpro6000-tp2-qwen3-32b', 0.01, 0.015, 0],
    ['rtxpro6000-dp2ep2-qwen3-30b-a3b', 0.03, 0.03, 3],
  ])(
    '%s: fitted factors repeat means within %d, p99 within %d, who kept both limits within %d',
    { timeout: 120_000 },
    (name, mean, p99, good) => {
      const { served, fit } = readVllmRun(name);
      const { runs, costModel } = fitRoofline([served], fit);
      const residuals = runs[0]?.residuals ?? [];
      expect(residuals.map(({ measure }) => measure)).toEqual(['ttft', 'tpot', 'e2e']);
      expect(worst(residuals, 'meanShare')).toBeLessThan(mean);
      expect(worst(residuals, 'p99Share')).toBeLessThan(p99);
      const simulated = replayRun(served.observed, served.setup, costModel).requests;
      const really = jointAttainment(served.observed.requests, LIMITS);
      const found = jointAttainment(simulated, LIMITS);
      expect(Math.abs(found - really) * 300).toBeLessThanOrEqual(good + 1e-9);
    },
  );

  test.each<[VllmRunName, number]>([
    ['rtxpro6000-tp2-qwen3-32b', 0.125],
    ['rtxpro6000-dp2ep2-qwen3-30b-a3b', 0.09],
    ['rtx4090-llama3.1-8b', 0.12],
  ])('%s: factors of another run hold within %d', (name, bound) => {
    const { served, fit } = readVllmRun(name);
    const residuals = calibrated([served], fit, FITTED).runs[0]?.residuals ?? [];
    expect(worst(residuals, 'meanShare')).toBeLessThan(bound);
    expect(worst(residuals, 'p99Share')).toBeLessThan(bound);
  });

  test('planning ahead is what a request waits for that finds room: within 8 %, else 15 % less', () => {
    const { served, fit } = readVllmRun('rtxpro6000-dp2ep2-qwen3-30b-a3b');
    const { costModel } = calibrated([served], fit, FITTED);
    const early = served.observed.requests.slice(0, 200);
    const waitedMs = (requests: readonly ObservedRequest[]): number =>
      (measureFigures(requests.slice(0, early.length))[0]?.meanNs ?? 0) / 1e6;
    const simulated = (plansAhead: boolean): number =>
      waitedMs(replayRun(served.observed, { ...served.setup, plansAhead }, costModel).requests);
    expect(Math.abs(simulated(true) / waitedMs(early) - 1)).toBeLessThan(0.08);
    expect(simulated(false) / waitedMs(early)).toBeLessThan(0.85);
  });

  test('who kept both limits: 128 of 300 really, and as many simulated', () => {
    const { served, fit } = readVllmRun('rtxpro6000-llama3.1-8b');
    const { costModel } = calibrated([served], fit, FITTED);
    const simulated = replayRun(served.observed, served.setup, costModel).requests;
    expect(Math.abs(jointAttainment(simulated, LIMITS) * 300 - 128)).toBeLessThanOrEqual(3);
  });
});
