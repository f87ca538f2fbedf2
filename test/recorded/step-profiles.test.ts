/** Step costs that others measured and fitted, read in place. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  affineCostModel,
  type CalibratedCostModel,
  type Calibration,
  DEVICE_SHEETS,
  type DeviceSheet,
  GENERIC_FACTORS,
  ONE_DEVICE,
  rooflineCostModel,
  type StepLoad,
  tableCostModel,
} from '../../src/engine/index.ts';
import { modelShape } from '../support/model-configs.ts';
import { NO_SHARED_DATA, sharedData } from '../support/shared-data.ts';

const DISTSERVE = sharedData('traces/distserve');
const SPLITWISE = sharedData('traces/splitwise-sim');
const KERNELS = sharedData('traces/llmservingsim-vllm');

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

/** Microseconds by layer and by tokens or sequences. */
function kernelTimes(profile: string): (layer: string, at: number) => number {
  const times = new Map<string, number>();
  for (const file of ['dense.csv', 'per_sequence.csv']) {
    const text = readFileSync(`${KERNELS}/${profile}/${file}`, 'utf8');
    for (const line of text.trim().split(/\r?\n/).slice(1)) {
      const [layer, at, microseconds] = line.split(',');
      times.set(`${layer},${at}`, Number(microseconds));
    }
  }
  return (layer, at) => times.get(`${layer},${at}`) ?? Number.NaN;
}

/** Microseconds of one layer's attention, by `chunk,0,decodes,context`. */
function attentionTimes(profile: string): Map<string, number> {
  const text = readFileSync(`${KERNELS}/${profile}/attention.csv`, 'utf8');
  const rows = text.trim().split(/\r?\n/).slice(1);
  return new Map(
    rows.map((row) => [row.slice(0, row.lastIndexOf(',')), Number(row.split(',')[4])]),
  );
}

describe.skipIf(KERNELS === null)(
  `LLMServingSim’s kernel profiles (else: ${NO_SHARED_DATA})`,
  () => {
    const profiles = [
      ['rtx-4090', 'profile-rtx4090-llama3.1-8b-tp1', { bandwidthShare: 0.92, computeShare: 1 }],
      [
        'rtx-pro-6000',
        'profile-rtxpro6000-llama3.1-8b-tp1',
        { bandwidthShare: 0.9, computeShare: 0.785 },
      ],
    ] as const;

    test.each(profiles)(
      '%s: 32 layers and the head, at 1 to 2,048 tokens, within 15 %',
      (device, profile, shares) => {
        const time = kernelTimes(profile);
        const model = rooflineCostModel({
          shape: modelShape('llama-3.1-8b'),
          device: DEVICE_SHEETS[device] as DeviceSheet,
          parallelism: ONE_DEVICE,
          factors: { ...GENERIC_FACTORS, ...shares, stepOverheadSeconds: 0 },
          calibration: calibration('kernel profile'),
        });
        const layers = ['qkv_proj', 'rotary_emb', 'o_proj', 'gate_up_proj', 'act_fn', 'down_proj'];
        for (const tokens of [1, 8, 32, 64, 128, 192, 256, 384, 512, 768, 1_024, 1_536, 2_048]) {
          const layer = layers.reduce((sum, name) => sum + time(name, tokens), 0);
          const measured = 32 * (layer + 2 * time('layernorm', tokens)) + time('lm_head', 1);
          const modelled = model.stepSeconds({ ...NOTHING, computedTokens: tokens }) * 1e6;
          expect(Math.abs(modelled / measured - 1), `${tokens} tokens`).toBeLessThan(0.15);
        }
      },
    );

    test.each(profiles)(
      '%s: beside a prompt, decodes take 1.2 to 2.6 times as long',
      (_, profile) => {
        const time = attentionTimes(profile);
        const of = (chunk: number, decodes: number, context: number): number =>
          time.get(`${chunk},0,${decodes},${context}`) ?? Number.NaN;
        for (const decodes of [16, 32, 64, 128]) {
          const ratio = (of(1_024, decodes, 1_024) - of(1_024, 0, 0)) / of(0, decodes, 1_024);
          expect(ratio).toBeGreaterThan(1.2);
          expect(ratio).toBeLessThan(2.6);
        }
      },
    );

    test.each(profiles)(
      '%s: attention of long prompts reaches 0.5 to 0.8 of what matrices do',
      (device, profile, shares) => {
        const sheet = DEVICE_SHEETS[device] as DeviceSheet;
        const microseconds = attentionTimes(profile).get('2048,0,0,0') ?? Number.NaN;
        const flop = (4 * 32 * 128 * (2_048 * 2_049)) / 2;
        const reached = flop / (microseconds / 1e6) / (sheet.flopPerSecond * shares.computeShare);
        expect(reached).toBeGreaterThan(0.45);
        expect(reached).toBeLessThan(0.8);
      },
    );
  },
);
