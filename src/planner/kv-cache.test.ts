import { expect, test } from 'vitest';
import { kvBytes } from './kv-cache.ts';

test('a 70B model with 8 KV heads keeps 320 KiB a token in 16 bits', () => {
  const perToken = {
    layers: 80,
    batch: 1,
    tokens: 1,
    kvHeads: 8,
    headDim: 128,
    bytesPerElement: 2,
  };
  expect(kvBytes(perToken)).toBe(320 * 1024);
  // With its 64 query heads it would be eight times as much.
  expect(kvBytes({ ...perToken, kvHeads: 64 })).toBe(8 * kvBytes(perToken));
});

test('grows with batch, tokens and element size alike', () => {
  const shape = { layers: 2, batch: 3, tokens: 5, kvHeads: 7, headDim: 11, bytesPerElement: 1 };
  expect(kvBytes(shape)).toBe(2 * 2 * 3 * 5 * 7 * 11);
});
