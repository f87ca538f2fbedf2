import { describe, expect, test } from 'vitest';
import { type RunSpec, runSpecFromFlags } from '../config/index.ts';
import {
  measurePairs,
  type MeasuredWindow,
  type PairWindow,
  seedsOfPair,
} from './measure-pairs.ts';

function spec(flags: Readonly<Record<string, string>> = {}): RunSpec {
  const parsed = runSpecFromFlags(
    { url: 'http://127.0.0.1:1', rate: '4', ...flags },
    { env: {}, readFile: () => '' },
  );
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.spec;
}

/** A window that sent ten requests, two of a hundred tokens each way. */
function windowOf({ pair, side }: PairWindow, interrupted = false): MeasuredWindow {
  const tokens = { mean: 50, n: 10 };
  const point = {
    ledger: { scheduled: 12, dropped: 2 },
    promptTokens: tokens,
    outputTokens: tokens,
  };
  const summary = { points: [point] };
  return { dir: `${pair}${side}`, interrupted, manifest: {}, summary } as unknown as MeasuredWindow;
}

async function watched(pairs: number, flags: Readonly<Record<string, string>> = {}, stopAt = -1) {
  const log: string[] = [];
  const windows: PairWindow[] = [];
  const measured = await measurePairs(spec(flags), pairs, {
    enter: async (side) => void log.push(`enter ${side}`),
    reset: async ({ side }) => void log.push(`reset ${side}`),
    measure: async (window) => {
      log.push(side(window));
      windows.push(window);
      return windowOf(window, windows.length - 1 === stopAt);
    },
  });
  return { log, windows, measured };
}

const side = (window: PairWindow): string => `${window.side}${window.pair}`;

describe('measurePairs', () => {
  test('measures A B B A and switches once a pair', async () => {
    const { log } = await watched(4);
    expect(log.filter((line) => /^[ab]\d/.test(line))).toEqual([
      'a0',
      'b0',
      'b1',
      'a1',
      'a2',
      'b2',
      'b3',
      'a3',
    ]);
    expect(log.filter((line) => line.startsWith('enter'))).toEqual([
      'enter a',
      'enter b',
      'enter a',
      'enter b',
      'enter a',
    ]);
    expect(log.slice(0, 3)).toEqual(['enter a', 'reset a', 'a0']);
  });

  test('both windows of a pair have the same seeds, and no two pairs do', async () => {
    const { windows } = await watched(6);
    const seeds = windows.map(({ pair, spec: { seeds: of } }) => [pair, of.arrivals] as const);
    for (const [pair, arrivals] of seeds) {
      expect(arrivals).toBe(seedsOfPair(spec().seeds, pair).arrivals);
    }
    expect(new Set(seeds.map(([, arrivals]) => arrivals)).size).toBe(6);
  });

  test('the budget is that of all windows: each gets what the earlier ones left', async () => {
    const { windows } = await watched(2, {
      duration: '2s',
      input: '20',
      output: '20',
      maxRequests: '35',
      maxTokens: '1800',
      maxCost: '0.01',
      inputPrice: '2',
      outputPrice: '4',
    });
    const left = windows.map(({ spec: { budget } }) => budget);
    expect(left.map(({ maxRequests }) => maxRequests)).toEqual([35, 25, 15, 5]);
    expect(left.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1800, 1300, 800, 300]);
    // 500 tokens at 2 and 500 at 4 USD per million: 0.003 USD a window.
    expect(left[3]?.maxCostUsd).toBeCloseTo(0.001, 12);
  });

  test('an interrupted window leaves the whole pairs before it', async () => {
    const { measured } = await watched(4, {}, 3);
    expect(measured.interrupted).toBe(true);
    expect(measured.pairs.map(({ a, b }) => [a.dir, b.dir])).toEqual([['0a', '0b']]);
  });
});
