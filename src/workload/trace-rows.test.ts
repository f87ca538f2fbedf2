import { expect, test } from 'vitest';
import type { TraceRow } from './spec.ts';
import { simultaneousArrivals, truncateRows } from './trace-rows.ts';

function row(promptTokens: number, outputTokens: number, blockIds: number[] | null): TraceRow {
  const blockTokens = blockIds === null ? null : 512;
  return { atNs: 0, promptTokens, outputTokens, blockIds, blockTokens, session: null };
}

test('cuts what is longer than the caps, with its blocks, and counts it', () => {
  const rows = [row(2_000, 50, [1, 2, 3, 4]), row(1_025, 10, null), row(512, 200, [1])];
  expect(truncateRows(rows, { maxPromptTokens: 1_025, maxOutputTokens: 100 })).toEqual({
    rows: [row(1_025, 50, [1, 2, 3]), row(1_025, 10, null), row(512, 100, [1])],
    truncatedPrompts: 1,
    truncatedOutputs: 1,
  });
});

test('no caps change nothing', () => {
  const rows = [row(2_000, 50, [1, 2, 3, 4])];
  expect(truncateRows(rows, { maxPromptTokens: null, maxOutputTokens: null })).toEqual({
    rows,
    truncatedPrompts: 0,
    truncatedOutputs: 0,
  });
});

test('arrivals at the instant of an earlier one', () => {
  const at = (...instants: number[]): { atNs: number }[] => instants.map((atNs) => ({ atNs }));
  expect(simultaneousArrivals(at())).toBe(0);
  expect(simultaneousArrivals(at(0, 5, 5, 5, 9))).toBe(2);
});
