import { describe, expect, test } from 'vitest';
import {
  axesOutside,
  type CostModel,
  DEVICE_SHEETS,
  type DeviceSheet,
  type ModelShape,
  ONE_DEVICE,
  rooflineCostModel,
  type RooflineFactors,
  type StepLoad,
  GENERIC_FACTORS,
} from '../engine/index.ts';
import { jointAttainment, measureFigures, residualErrors } from './compare.ts';
import { calibrated, fitRoofline, type FitOptions, type ServedRun } from './fit-factors.ts';
import type { ObservedRequest } from './observed-run.ts';
import { replayRun, type ServerSetup } from './replay.ts';

const SHAPE: ModelShape = {
  modelType: 'llama',
  hiddenSize: 4_096,
  vocabulary: 128_256,
  tiedEmbeddings: false,
  layers: [
    {
      count: 32,
      mixer: {
        kind: 'attention',
        queryHeads: 32,
        kvHeads: 8,
        headSize: 128,
        windowTokens: null,
        gated: false,
      },
      feedForward: { kind: 'dense', width: 14_336, matrices: 3 },
    },
  ],
  bytesPerWeight: { linear: 2, experts: 2, embeddings: 2 },
  bytesPerElement: 2,
};

const SETUP: ServerSetup = {
  limits: {
    tokenBudget: 1_024,
    maxSequences: 32,
    maxWaiting: null,
    maxModelTokens: null,
    longPrefillTokenThreshold: null,
  },
  memory: null,
  plansAhead: false,
  engines: 1,
};

const OPTIONS: FitOptions = {
  shape: SHAPE,
  device: DEVICE_SHEETS['h100-sxm'] as DeviceSheet,
  parallelism: ONE_DEVICE,
  provenance: 'made up',
};

function modelWith(factors: RooflineFactors): CostModel {
  const calibration = { provenance: 'truth', hull: null, residuals: [] };
  return rooflineCostModel({ ...OPTIONS, factors, calibration });
}

function loadOf(of: {
  readonly sequences: number;
  readonly contextTokens: number;
  readonly prefillTokens: number;
}): StepLoad {
  const { sequences, contextTokens, prefillTokens } = of;
  return {
    computedTokens: sequences + prefillTokens,
    contextTokens,
    decodeSequences: sequences,
    decodeContextTokens: contextTokens,
    prefillSequences: prefillTokens > 0 ? 1 : 0,
    prefillTokens,
    completedPrompts: 0,
    attentionPairs: (prefillTokens * (prefillTokens + 1)) / 2,
  };
}

/** What a server with known factors does to 60 requests, every `gapMs` one of them. */
function servedWith(factors: RooflineFactors, gapMs: number): ServedRun {
  const costModel = modelWith(factors);
  const requests = Array.from({ length: 60 }, (_, index): ObservedRequest => {
    const promptTokens = 200 + ((index * 613) % 3_000);
    const outputTokens = 20 + ((index * 37) % 60);
    return { atNs: index * gapMs * 1e6, promptTokens, outputTokens, firstNs: 0, lastNs: 0 };
  });
  const run = { name: `every ${gapMs} ms`, requests, leftOutCount: 0 };
  const replay = replayRun(run, SETUP, costModel);
  return { observed: { ...run, requests: replay.requests }, setup: SETUP };
}

const TRUTH: RooflineFactors = {
  ...GENERIC_FACTORS,
  bandwidthShare: 0.66,
  computeShare: 0.48,
  stepOverheadSeconds: 0.0032,
};

describe('a fit', () => {
  const runs = [servedWith(TRUTH, 200), servedWith(TRUTH, 60)];
  const fit = fitRoofline(runs, OPTIONS);

  test('costs steps as the server did, whatever split of a step explains that', () => {
    // Reading weights and host time are both the same in every step: their sum is what shows.
    const truth = modelWith(TRUTH);
    const loads = [
      { sequences: 1, contextTokens: 500, prefillTokens: 0 },
      { sequences: 10, contextTokens: 16_000, prefillTokens: 0 },
      { sequences: 8, contextTokens: 12_000, prefillTokens: 1_000 },
    ].map(loadOf);
    for (const load of loads) {
      const ratio = fit.costModel.stepSeconds(load) / truth.stepSeconds(load);
      expect(Math.abs(ratio - 1)).toBeLessThan(0.04);
    }
    expect(fit.factors.computeShare).toBeCloseTo(0.48, 1);
  });

  test('repeats what it was fitted to, and predicts a load it never saw', () => {
    const heldOut = calibrated([servedWith(TRUTH, 110)], OPTIONS, fit.factors);
    const all = [...fit.runs, ...heldOut.runs].flatMap(({ residuals }) => residuals);
    expect(all).toHaveLength(9);
    for (const { meanShare, p99Share } of all) {
      expect(Math.abs(meanShare)).toBeLessThan(0.02);
      expect(Math.abs(p99Share)).toBeLessThan(0.05);
    }
  });

  test('leaves what a run cannot tell where it usually is', () => {
    // One request at a time and prompts of one token: arithmetic is never what a step waits for.
    const requests = Array.from({ length: 20 }, (_, index): ObservedRequest => {
      return { atNs: index * 1e9, promptTokens: 1, outputTokens: 20, firstNs: 0, lastNs: 0 };
    });
    const run = { name: 'alone', requests, leftOutCount: 0 };
    const replay = replayRun(run, SETUP, modelWith(TRUTH));
    const served = { observed: { ...run, requests: replay.requests }, setup: SETUP };
    const { factors } = fitRoofline([served], OPTIONS);
    expect(factors.computeShare).toBeCloseTo(GENERIC_FACTORS.computeShare, 4);
    expect(factors.sequenceOverheadSeconds).toBeLessThan(0.0002);
  });

  test('leaves factors of links alone where there is no link', () => {
    expect(fit.fitted).not.toContain('linkShare');
    expect(fit.factors.linkShare).toBe(GENERIC_FACTORS.linkShare);
  });

  test('says up to which load it holds', () => {
    const { calibration } = fit.costModel;
    expect(calibration.hull?.prefillTokens).toBe(1_023);
    const load = loadOf({ sequences: 1, contextTokens: 500, prefillTokens: 1_023 });
    expect(axesOutside(calibration, load)).toEqual([]);
    expect(axesOutside(calibration, { ...load, prefillTokens: 1_024 })).toEqual(['prefillTokens']);
    expect(axesOutside({ ...calibration, hull: null }, load)).toHaveLength(4);
  });
});

describe('comparing', () => {
  const request = (firstMs: number, lastMs: number, outputTokens = 11): ObservedRequest => ({
    atNs: 0,
    promptTokens: 1,
    outputTokens,
    firstNs: firstMs * 1e6,
    lastNs: lastMs * 1e6,
  });

  test('a pace needs two tokens', () => {
    const figures = measureFigures([request(10, 110), request(20, 20, 1)]);
    expect(figures.map(({ measure, meanNs }) => [measure, meanNs / 1e6])).toEqual([
      ['ttft', 15],
      ['tpot', 10],
      ['e2e', 65],
    ]);
    expect(measureFigures([request(20, 20, 1)]).map(({ measure }) => measure)).not.toContain(
      'tpot',
    );
  });

  test('errors are shares of what was measured', () => {
    const [ttft] = residualErrors([request(10, 110)], [request(11, 110)]);
    expect(ttft?.meanShare).toBeCloseTo(0.1, 10);
  });

  test('joint attainment asks for both limits', () => {
    const limits = { ttftNs: 15e6, tpotNs: 10e6 };
    const requests = [request(10, 110), request(10, 111), request(16, 110), request(15, 15, 1)];
    expect(jointAttainment(requests, limits)).toBe(0.5);
  });
});
