/** Step costs that others measured and fitted, read in place. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  affineCostModel,
  type CalibratedCostModel,
  type Calibration,
  type StepLoad,
  tableCostModel,
} from '../../src/engine/index.ts';
import { NO_SHARED_DATA, sharedData } from '../support/shared-data.ts';

const DISTSERVE = sharedData('traces/distserve');
const SPLITWISE = sharedData('traces/splitwise-sim');

function calibration(provenance: string): Calibration {
  return { provenance, hull: null, residuals: [] };
}

function prefill(lengths: readonly number[]): StepLoad {
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  const pairs = lengths.reduce((sum, length) => sum + (length * (length + 1)) / 2, 0);
  return { ...NOTHING, computedTokens: tokens, prefillTokens: tokens, attentionPairs: pairs };
}

function decode(sequences: number, contextTokens: number): StepLoad {
  const load = { ...NOTHING, computedTokens: sequences, decodeSequences: sequences };
  return { ...load, contextTokens, decodeContextTokens: contextTokens };
}

const NOTHING: StepLoad = {
  computedTokens: 0,
  contextTokens: 0,
  decodeSequences: 0,
  decodeContextTokens: 0,
  prefillSequences: 0,
  prefillTokens: 0,
  completedPrompts: 0,
  attentionPairs: 0,
};

interface DistServeProfile {
  readonly decoding_large_small_bs_threshold: number;
  readonly prefill: readonly [number, number, number];
  readonly decoding_smallbs: readonly [number, number, number];
  readonly decoding_largebs: readonly [number, number, number];
}

/** Milliseconds of one model at one degree of tensor parallelism. */
function distServe(model: string, tensor: number): CalibratedCostModel {
  const text = readFileSync(`${DISTSERVE}/profiler-a100-80g.distserve.json`, 'utf8');
  const profile = (JSON.parse(text) as Record<string, Record<string, DistServeProfile>>)[model]?.[
    String(tensor)
  ];
  if (profile === undefined) throw new Error(`no profile of ${model}`);
  const line = ([base, perContext, perSequence]: readonly [number, number, number]) => ({
    baseSeconds: base / 1_000,
    secondsPerContextToken: perContext / 1_000,
    secondsPerSequence: perSequence / 1_000,
  });
  const [base, perToken, perSquare] = profile.prefill;
  return affineCostModel({
    prefill: {
      baseSeconds: base / 1_000,
      secondsPerToken: perToken / 1_000,
      secondsPerSquare: perSquare / 1_000,
    },
    decode: {
      small: line(profile.decoding_smallbs),
      large: line(profile.decoding_largebs),
      largeFrom: profile.decoding_large_small_bs_threshold,
    },
    calibration: calibration('DistServe, OPT on A100 80 GB'),
  });
}

describe.skipIf(DISTSERVE === null)(`DistServe’s fits (else: ${NO_SHARED_DATA})`, () => {
  const ms = (load: StepLoad): number => distServe('facebook/opt-13b', 1).stepSeconds(load) * 1_000;

  test('A + B·Σ lengths + C·Σ lengths² of whole prompts', () => {
    const squares = 512 ** 2 + 100 ** 2;
    expect(ms(prefill([512, 100]))).toBeCloseTo(18.10255 + 0.101912 * 612 + 7.122e-6 * squares, 2);
  });

  test('A + B·Σ contexts + C·batch, by the size of the batch', () => {
    expect(ms(decode(10, 5_000))).toBeCloseTo(19.9347 + 6.26936e-4 * 5_000 + 0.038507 * 10, 3);
    expect(ms(decode(95, 5_000))).toBeCloseTo(7.16619 + 5.798e-4 * 5_000 + 0.158311 * 95, 3);
  });

  test('a step that does both pays the larger base once', () => {
    const both = { ...decode(10, 5_000), prefillTokens: 512, attentionPairs: (512 * 513) / 2 };
    expect(ms(both)).toBeCloseTo(ms(prefill([512])) + ms(decode(10, 5_000)) - 18.10255, 3);
  });

  test('chunks of a prompt add up to the prompt, bases apart', () => {
    const first = { ...prefill([300]) };
    const second = { ...NOTHING, prefillTokens: 212, attentionPairs: 212 * 300 + (212 * 213) / 2 };
    expect(ms(first) + ms(second) - 18.10255).toBeCloseTo(ms(prefill([512])), 3);
  });
});

/** Median prompt time by tokens in the batch, Llama-2-70B, one request. */
function splitwiseCurve(hardware: string, tensor: number): { at: number[]; seconds: number[] } {
  const [head, ...lines] = readFileSync(`${SPLITWISE}/perf_model.csv`, 'utf8').trim().split('\n');
  const titles = head?.split(',') ?? [];
  const byTokens = new Map<number, number[]>();
  for (const line of lines) {
    const cells = line.split(',');
    const cell = (title: string): string => cells[titles.indexOf(title)] ?? '';
    if (cell('model') !== 'llama2-70b' || cell('hardware') !== hardware) continue;
    if (Number(cell('tensor_parallel')) !== tensor || cell('batch_size') !== '1') continue;
    const tokens = Number(cell('prompt_size'));
    byTokens.set(tokens, [...(byTokens.get(tokens) ?? []), Number(cell('prompt_time'))]);
  }
  const at = [...byTokens.keys()].toSorted((a, b) => a - b);
  const median = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[values.length >> 1] as number;
  return { at, seconds: at.map((tokens) => median(byTokens.get(tokens) ?? []) / 1_000) };
}

describe.skipIf(SPLITWISE === null)(`Splitwise’s profile (else: ${NO_SHARED_DATA})`, () => {
  const decodeGrid = { sequences: [1], contextTokens: [1], seconds: [[0.05]] };

  test('a measured prompt left out lies within 20 % of the line through its neighbours', () => {
    const curve = splitwiseCurve('a100-80gb', 8);
    expect(curve.at.length).toBeGreaterThan(4);
    for (let out = 1; out < curve.at.length - 1; out += 1) {
      const model = tableCostModel({
        prefill: {
          at: curve.at.filter((_, index) => index !== out),
          seconds: curve.seconds.filter((_, index) => index !== out),
        },
        decode: decodeGrid,
        calibration: calibration('Splitwise'),
      });
      const guess = model.stepSeconds(prefill([curve.at[out] as number]));
      expect(Math.abs(guess / (curve.seconds[out] as number) - 1)).toBeLessThan(0.2);
    }
  });
});
