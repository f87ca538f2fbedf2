/** KV bytes and parameters of published models: what their cards, papers and servers say. */
import { describe, expect, test } from 'vitest';
import {
  countParameters,
  DEVICE_SHEETS,
  type DeviceSheet,
  fixedKvBytes,
  kvBlocks,
  ONE_DEVICE,
  type Parallelism,
  kvBytesAt,
  kvSize,
  weightBytes,
} from '../../src/engine/index.ts';
import { modelShape } from '../support/model-configs.ts';

const BF16 = { tensorParallel: 1, bytesPerElement: 2 };
const MIB = 1_048_576;

describe('KV cache, 16 bits, one device', () => {
  test.each([
    ['llama-3.1-8b', 131_072],
    ['llama-3.1-70b', 327_680],
    ['llama-3.1-405b', 516_096],
    ['mixtral-8x7b', 131_072],
    ['mixtral-8x22b', 229_376],
    ['qwen3-8b', 147_456],
    ['qwen3-32b', 262_144],
    ['qwen3-30b-a3b', 98_304],
    ['qwen3-235b-a22b', 192_512],
    ['deepseek-v3', 70_272],
  ])('%s: %i bytes per token and nothing fixed', (name, bytesPerToken) => {
    const size = kvSize(modelShape(name), BF16);
    expect(size).toEqual({ bytesPerToken, windows: [], stateBytes: 0 });
  });

  test('gpt-oss-120b: half its layers stop growing at 128 tokens', () => {
    const size = kvSize(modelShape('gpt-oss-120b'), BF16);
    expect(size.bytesPerToken).toBe(36_864);
    expect(fixedKvBytes(size)).toBe(128 * 36_864);
    expect(kvBytesAt(size, 100)).toBe(100 * 73_728);
    expect(kvBytesAt(size, 1_000)).toBe(1_128 * 36_864);
  });

  test('gemma-4-26b-a4b: 0.82 GiB at 32k, where counting all layers alike gives 7.5', () => {
    const size = kvSize(modelShape('gemma-4-26b-a4b'), BF16);
    expect(size.bytesPerToken).toBe(20_480);
    expect(fixedKvBytes(size)).toBe(25 * 1_024 * 2 * 8 * 256 * 2);
    expect(kvBytesAt(size, 32_768) / 1_024 ** 3).toBeCloseTo(0.82, 2);
  });

  test('qwen3.5-27b: 16 layers grow, 48 keep 144 MiB of state and 2.9 MB of history', () => {
    const size = kvSize(modelShape('qwen3.5-27b'), BF16);
    expect(size.bytesPerToken).toBe(65_536);
    expect(size.stateBytes).toBe(144 * MIB + 48 * 10_240 * 3 * 2);
  });

  test('nemotron-3-nano-30b: 6 layers grow, 23 keep 48 MB of state', () => {
    const size = kvSize(modelShape('nemotron-3-nano-30b'), BF16);
    expect(size.bytesPerToken).toBe(6_144);
    expect(size.stateBytes).toBe(23 * (64 * 64 * 128 * 4 + 6_144 * 3 * 2));
  });

  test('a head cannot be split: more devices than heads keep copies', () => {
    const shape = modelShape('qwen3-30b-a3b');
    const perToken = (tensorParallel: number): number =>
      kvSize(shape, { tensorParallel, bytesPerElement: 2 }).bytesPerToken;
    expect([1, 2, 4, 8].map(perToken)).toEqual([98_304, 49_152, 24_576, 24_576]);
  });

  test('a latent vector serves all heads, so every device keeps it whole', () => {
    const size = kvSize(modelShape('deepseek-v3'), { tensorParallel: 8, bytesPerElement: 2 });
    expect(size.bytesPerToken).toBe(70_272);
  });
});

describe('parameters, in billions, both embeddings counted', () => {
  test.each([
    ['llama-3.1-8b', 8.03, 8.03],
    ['llama-3.1-70b', 70.6, 70.6],
    ['llama-3.1-405b', 405.9, 405.9],
    ['mixtral-8x7b', 46.7, 12.9],
    ['mixtral-8x22b', 140.6, 39.1],
    ['qwen3-32b', 32.8, 32.8],
    ['qwen3-30b-a3b', 30.5, 3.3],
    ['qwen3-235b-a22b', 235, 22],
    ['deepseek-v3', 671, 37.6],
    ['gpt-oss-120b', 117, 5.7],
    ['nemotron-3-nano-30b', 31.6, 3.6],
  ])('%s has %d, of which a token passes %d', (name, total, active) => {
    const counted = countParameters(modelShape(name));
    // Norms, biases and a router's corrections are left out.
    expect(Math.abs(counted.total / 1e9 / total - 1)).toBeLessThan(0.01);
    expect(Math.abs(counted.active / 1e9 / active - 1)).toBeLessThan(0.05);
  });
});

describe('weights', () => {
  test('16-bit weights take two bytes a parameter', () => {
    const shape = modelShape('llama-3.1-8b');
    expect(weightBytes(shape)).toBe(2 * countParameters(shape).total);
  });

  test('gpt-oss keeps its experts in 4.25 bits: 61 to 66 GB in all', () => {
    const bytes = weightBytes(modelShape('gpt-oss-120b'));
    expect(bytes / 1e9).toBeGreaterThan(61);
    expect(bytes / 1e9).toBeLessThan(66);
  });

  test('deepseek-v3 keeps matrices in 8 bits', () => {
    expect(weightBytes(modelShape('deepseek-v3')) / 1e9).toBeCloseTo(672, -1);
  });
});

describe('KV blocks', () => {
  const fits = (name: string, memoryBytes: number, parallelism: Parallelism = ONE_DEVICE) =>
    kvBlocks({
      shape: modelShape(name),
      device: { ...(DEVICE_SHEETS['rtx-4090'] as DeviceSheet), memoryBytes },
      parallelism,
      memoryShare: 0.9,
      reservedBytes: 1.2 * 1_024 ** 3,
      blockTokens: 16,
    });

  test('Llama-3.1-8B on an RTX 4090: vLLM 0.19 had 2,588, here within 1 %', () => {
    const blocks = fits('llama-3.1-8b', 25_250_627_584) as number;
    expect(Math.abs(blocks / 2_588 - 1)).toBeLessThan(0.01);
  });

  test('a model that does not fit has none; two devices have more than twice as many', () => {
    expect(fits('llama-3.1-70b', 80e9)).toBe(0);
    const one = fits('llama-3.1-8b', 25e9) as number;
    const two = fits('llama-3.1-8b', 25e9, { tensor: 2, expertRanks: 1 }) as number;
    expect(two).toBeGreaterThan(2 * one);
  });

  test('ranks that share experts keep half of them each', () => {
    expect(fits('qwen3-30b-a3b', 60e9)).toBe(0);
    expect(fits('qwen3-30b-a3b', 60e9, { tensor: 1, expertRanks: 2 })).toBeGreaterThan(5_000);
  });

  test('where layers stop growing, a block has no size', () => {
    expect(fits('gpt-oss-120b', 200e9)).toBeNull();
    expect(fits('qwen3.5-27b', 200e9)).toBeNull();
  });
});
