import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../base/index.ts';
import type { StepLoad } from '../engine.ts';
import type { Calibration } from './calibration.ts';
import type { DeviceSheet } from './device-sheet.ts';
import type { LayerGroup, Mixer, ModelShape } from './model-shape.ts';
import {
  ONE_DEVICE,
  type Parallelism,
  rooflineCostModel,
  type RooflineFactors,
} from './roofline.ts';

/** One byte and one operation a second: seconds are amounts. */
const DEVICE: DeviceSheet = {
  name: 'unit',
  memoryBytes: 1,
  memoryBytesPerSecond: 1,
  flopPerSecond: 1e30,
  linkBytesPerSecond: 1,
};
const COMPUTE: DeviceSheet = { ...DEVICE, memoryBytesPerSecond: 1e30, flopPerSecond: 1 };
const FACTORS: RooflineFactors = {
  bandwidthShare: 1,
  computeShare: 1,
  stepOverheadSeconds: 0,
  sequenceOverheadSeconds: 0,
  exchangeSeconds: 0,
  linkShare: 1,
};
const CALIBRATION: Calibration = { provenance: 'test', hull: null, residuals: [] };

const ATTENTION: Mixer = {
  kind: 'attention',
  queryHeads: 4,
  kvHeads: 2,
  headSize: 8,
  windowTokens: null,
  gated: false,
};
/** Two layers of 2,560 parameters: attention 32·(32+32+32), feed-forward 3·10·32. */
const LAYER: LayerGroup = {
  count: 2,
  mixer: ATTENTION,
  feedForward: { kind: 'dense', width: 10, matrices: 3 },
};
const LAYER_PARAMETERS = 32 * (32 + 32 + 32) + 3 * 10 * 32;
const HEAD_PARAMETERS = 100 * 32;

function shapeOf(...layers: readonly LayerGroup[]): ModelShape {
  return {
    modelType: 'test',
    hiddenSize: 32,
    vocabulary: 100,
    tiedEmbeddings: true,
    layers,
    bytesPerWeight: { linear: 2, experts: 2, embeddings: 2 },
    bytesPerElement: 2,
  };
}

const IDLE: StepLoad = {
  computedTokens: 0,
  contextTokens: 0,
  decodeSequences: 0,
  decodeContextTokens: 0,
  prefillSequences: 0,
  prefillTokens: 0,
  completedPrompts: 0,
  attentionPairs: 0,
};

function decodes(sequences: number, contextTokens: number): StepLoad {
  return {
    ...IDLE,
    computedTokens: sequences,
    contextTokens,
    decodeSequences: sequences,
    decodeContextTokens: contextTokens,
  };
}

/** A chunk of `tokens` on top of `from`. */
function chunk(tokens: number, from = 0): StepLoad {
  return {
    ...IDLE,
    computedTokens: tokens,
    prefillSequences: 1,
    prefillTokens: tokens,
    attentionPairs: tokens * from + (tokens * (tokens + 1)) / 2,
  };
}

function seconds(
  load: StepLoad,
  options: {
    readonly shape?: ModelShape;
    readonly device?: DeviceSheet;
    readonly parallelism?: Parallelism;
    readonly factors?: Partial<RooflineFactors>;
  } = {},
): number {
  return rooflineCostModel({
    shape: options.shape ?? shapeOf(LAYER),
    device: options.device ?? DEVICE,
    parallelism: options.parallelism ?? ONE_DEVICE,
    factors: { ...FACTORS, ...options.factors },
    calibration: CALIBRATION,
  }).stepSeconds(load);
}

const WEIGHT_BYTES = 2 * (2 * LAYER_PARAMETERS + HEAD_PARAMETERS);
/** Bytes of activations a token moves: around two norms and the activation function, two layers. */
const MOVED = 2 * 2 * (2 * 2 * 32 + 3 * 10);

describe('memory', () => {
  test('weights are read once, keys and values of every token of context', () => {
    expect(seconds(decodes(3, 0))).toBe(WEIGHT_BYTES + 3 * MOVED);
    expect(seconds(decodes(3, 50))).toBe(WEIGHT_BYTES + 3 * MOVED + 50 * 128);
    expect(50 * 128).toBe(50 * (2 * 2 * 2 * 8 * 2));
  });

  test('beside prompts, decodes read theirs 1.8 times', () => {
    const mixed = (contextTokens: number): number =>
      seconds({ ...decodes(3, contextTokens), prefillSequences: 1, prefillTokens: 7 });
    expect(mixed(50) - mixed(0)).toBeCloseTo(1.8 * 50 * 128, 8);
  });

  test('bandwidth that is not reached stretches it', () => {
    expect(seconds(decodes(1, 0), { factors: { bandwidthShare: 0.5 } })).toBe(
      2 * (WEIGHT_BYTES + MOVED),
    );
  });

  test('a window bounds what is read: at the mean context of the decodes', () => {
    const sliding = shapeOf({ ...LAYER, mixer: { ...ATTENTION, windowTokens: 20 } });
    expect(seconds(decodes(3, 30), { shape: sliding })).toBe(WEIGHT_BYTES + 3 * MOVED + 30 * 128);
    expect(seconds(decodes(3, 3_000), { shape: sliding })).toBe(
      WEIGHT_BYTES + 3 * MOVED + 3 * 20 * 128,
    );
  });

  test('a recurrent state is read and written, however long the context', () => {
    const mixer: Mixer = { kind: 'state', stateElements: 5, historyElements: 0, parameters: 3_072 };
    const shape = shapeOf({ ...LAYER, mixer });
    expect(seconds(decodes(3, 9_999), { shape })).toBe(
      WEIGHT_BYTES + 3 * MOVED + 3 * 2 * (2 * 5 * 4),
    );
    expect(seconds(chunk(10), { shape })).toBe(WEIGHT_BYTES + 10 * MOVED + 2 * (2 * 5 * 4));
  });

  test('of experts, those are read that some token picks', () => {
    const feedForward = {
      kind: 'experts',
      experts: 8,
      active: 2,
      width: 10,
      sharedWidth: 0,
      matrices: 3,
    } as const;
    const shape = shapeOf({ count: 1, mixer: null, feedForward });
    const moved = 2 * (2 * 32 + 3 * 2 * 10);
    const rest = 2 * (HEAD_PARAMETERS + 32 * 8);
    const expert = 2 * 3 * 10 * 32;
    const weights = (tokens: number): number =>
      seconds(decodes(tokens, 0), { shape }) - tokens * moved;
    expect(weights(1)).toBeCloseTo(rest + 2 * expert, 8);
    expect(weights(2)).toBeCloseTo(rest + 8 * (1 - 0.75 ** 2) * expert, 8);
    expect(weights(900)).toBeCloseTo(rest + 8 * expert, 8);
    // Two ranks hold half of them each, and bring their tokens together.
    const shared = (load: StepLoad): number =>
      seconds(load, {
        shape,
        parallelism: { tensor: 1, expertRanks: 2 },
        factors: { linkShare: 1e30 },
      }) - moved;
    expect(shared(decodes(1, 0))).toBeCloseTo(rest + 4 * (1 - 0.75 ** 2) * expert, 8);
    // The other one computes four tokens to this one's one.
    const uneven = { ...decodes(1, 0), expertTokens: 5 };
    expect(shared(uneven)).toBeCloseTo(rest + 4 * (1 - 0.75 ** 5) * expert, 8);
  });
});

describe('arithmetic', () => {
  const device = COMPUTE;

  test('two operations a weight and token, the output matrix for sampled tokens only', () => {
    const perToken = 2 * 2 * LAYER_PARAMETERS;
    const pairs = 10 * 11 * 0.5;
    expect(seconds(chunk(10), { device })).toBeCloseTo(
      10 * perToken + (pairs * 2 * 4 * 4 * 8) / 0.6,
      8,
    );
    const completed = { ...chunk(10), completedPrompts: 1 };
    expect(seconds(completed, { device }) - seconds(chunk(10), { device })).toBeCloseTo(
      2 * HEAD_PARAMETERS,
      8,
    );
  });

  test('chunks together cost the attention of the whole prompt', () => {
    const whole = seconds(chunk(300), { device });
    const parts = seconds(chunk(100), { device }) + seconds(chunk(200, 100), { device });
    expect(parts).toBeCloseTo(whole, 6);
  });

  test('a window bounds the pairs', () => {
    const shape = shapeOf({ ...LAYER, mixer: { ...ATTENTION, windowTokens: 4 } });
    const perToken = 2 * 2 * LAYER_PARAMETERS;
    expect(seconds(chunk(100), { device, shape })).toBeCloseTo(
      100 * perToken + (100 * 4 * 2 * 128) / 0.6,
      6,
    );
  });

  test('70B at a prompt of 16,000: attention adds 15 % of operations, 25 % of time', () => {
    const layer: LayerGroup = {
      count: 80,
      mixer: { ...ATTENTION, queryHeads: 64, kvHeads: 8, headSize: 128 },
      feedForward: { kind: 'dense', width: 28_672, matrices: 3 },
    };
    const shape = { ...shapeOf(layer), hiddenSize: 8_192, vocabulary: 128_256 };
    const with_ = seconds(chunk(16_000), { device, shape });
    const without = seconds({ ...chunk(16_000), attentionPairs: 0 }, { device, shape });
    expect(1 + (with_ / without - 1) * 0.6).toBeCloseTo(1.15, 2);
    expect(with_ / without).toBeCloseTo(1.255, 2);
  });
});

test('where reading and arithmetic take equally long, matrices take the diagonal', () => {
  const [tokens, parameters] = [7, 2 * LAYER_PARAMETERS];
  const device = { ...DEVICE, flopPerSecond: tokens };
  const load = { ...IDLE, computedTokens: tokens };
  // Two bytes and two operations a parameter; nothing is sampled.
  const head = 2 * HEAD_PARAMETERS;
  const time = seconds(load, { device });
  expect(time).toBeCloseTo(Math.SQRT2 * 2 * parameters + head + tokens * MOVED, 6);
});

describe('several devices', () => {
  test('share weights and heads, and pay two all-reduces a layer', () => {
    const parallelism = { tensor: 2, expertRanks: 1 };
    const link = { linkShare: 1e30, exchangeSeconds: 7 };
    const time = seconds(decodes(3, 50), { parallelism, factors: link });
    // Norms work on the whole hidden state on either device.
    const moved = 3 * 2 * 2 * (2 * 2 * 32 + (3 * 10) / 2);
    expect(time).toBeCloseTo((WEIGHT_BYTES + 50 * 128) / 2 + moved + 4 * 7, 8);
    const reduced = seconds(decodes(3, 0), { parallelism }) - WEIGHT_BYTES / 2 - moved;
    expect(reduced).toBeCloseTo(4 * 1 * 3 * 32 * 2, 8);
  });
});

test('ranks that share experts gather tokens and scatter results, once a layer each', () => {
  const feedForward = {
    kind: 'experts',
    experts: 8,
    active: 8,
    width: 10,
    sharedWidth: 0,
    matrices: 3,
  } as const;
  const shape = shapeOf({ count: 5, mixer: null, feedForward });
  const time = (expertRanks: number, factors: Partial<RooflineFactors>): number =>
    seconds(decodes(3, 0), { shape, parallelism: { tensor: 1, expertRanks }, factors });
  const latency = { linkShare: 1e30, exchangeSeconds: 7 };
  const alone = time(3, { linkShare: 1e30 });
  expect(time(3, latency) - alone).toBe(5 * 2 * 7);
  expect(time(3, {}) - alone).toBeCloseTo(5 * 2 * (3 - 1) * 3 * 32 * 2, 6);
});

test('latent attention scores over rank and rope, and sums over rank, in every head', () => {
  const mixer: Mixer = {
    kind: 'latent',
    queryHeads: 4,
    kvRank: 16,
    ropeSize: 8,
    nopeSize: 8,
    valueSize: 8,
    queryRank: null,
  };
  const shape = shapeOf({ count: 2, mixer, feedForward: null });
  const flop = (context: number): number =>
    seconds(decodes(1, context), { shape, device: COMPUTE });
  expect(flop(100) - flop(0)).toBe(100 * 2 * (2 * 4 * (16 + 8) + 2 * 4 * 16));
});

test('host time comes per step and per request', () => {
  const host = { stepOverheadSeconds: 5, sequenceOverheadSeconds: 0.5 };
  const load = { ...decodes(3, 0), prefillSequences: 1 };
  expect(seconds(load, { factors: host })).toBe(WEIGHT_BYTES + 3 * MOVED + 5 + 4 * 0.5);
});

test('a device of which nothing is reached is the caller’s bug', () => {
  expect(() => seconds(IDLE, { factors: { bandwidthShare: 0 } })).toThrow(InvariantError);
});
