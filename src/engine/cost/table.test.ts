import { expect, test } from 'vitest';
import { InvariantError } from '../../base/index.ts';
import type { StepLoad } from '../engine.ts';
import type { Calibration } from './calibration.ts';
import { type Grid, tableCostModel } from './table.ts';

const CALIBRATION: Calibration = { provenance: 'test', hull: null, residuals: [] };
const DECODE: Grid = {
  sequences: [1, 4],
  contextTokens: [100, 300],
  seconds: [
    [10, 12],
    [13, 21],
  ],
};
const MODEL = tableCostModel({
  prefill: { at: [100, 200, 400], seconds: [5, 6, 10] },
  decode: DECODE,
  calibration: CALIBRATION,
});

function cost(prefillTokens: number, decodeSequences: number, decodeContextTokens: number): number {
  const load: StepLoad = {
    computedTokens: prefillTokens + decodeSequences,
    contextTokens: decodeContextTokens,
    decodeSequences,
    decodeContextTokens,
    prefillSequences: 0,
    prefillTokens,
    completedPrompts: 0,
    attentionPairs: 0,
  };
  return MODEL.stepSeconds(load);
}

test('measured points are given back', () => {
  expect([100, 200, 400].map((tokens) => cost(tokens, 0, 0))).toEqual([5, 6, 10]);
  expect([cost(0, 1, 100), cost(0, 1, 300), cost(0, 4, 400), cost(0, 4, 1_200)]).toEqual([
    10, 12, 13, 21,
  ]);
});

test('between them lies a straight line, in both directions', () => {
  expect(cost(300, 0, 0)).toBe(8);
  expect(cost(0, 1, 200)).toBe(11);
  expect(cost(0, 2, 200)).toBe(11);
  expect(cost(0, 2, 400)).toBe(11 + (17 - 11) / 3);
});

test('beyond the last point the last line goes on; below the first nothing gets cheaper', () => {
  expect(cost(500, 0, 0)).toBe(12);
  expect(cost(0, 1, 500)).toBe(14);
  expect(cost(10, 0, 0)).toBe(5);
  expect(cost(0, 1, 1)).toBe(10);
});

test('a step that does both reads the weights once', () => {
  expect(cost(200, 1, 100)).toBe(6 + 10 - 5);
});

test('a table out of order, or with holes, is the caller’s bug', () => {
  const make = (prefill: { at: number[]; seconds: number[] }) => () =>
    tableCostModel({ prefill, decode: DECODE, calibration: CALIBRATION });
  expect(make({ at: [2, 1], seconds: [1, 2] })).toThrow(InvariantError);
  expect(make({ at: [1, 2], seconds: [1] })).toThrow(/1 durations for 2 points/);
});
