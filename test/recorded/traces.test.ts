/** Published traces, read whole: the figures of the data's own README, and a replay of each. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  parseAzureTrace,
  parseLengthFile,
  parseMooncakeTrace,
  type Imported,
  type ImportedTrace,
} from '../../src/importers/index.ts';
import {
  lengthMean,
  planSchedule,
  truncateRows,
  type LengthDistribution,
  type TraceRow,
} from '../../src/workload/index.ts';
import { NO_SHARED_DATA, sharedData } from '../support/shared-data.ts';

const TRACES = sharedData('traces');
const SEEDS = { arrivals: 1, lengths: 2, prompts: 3, text: 4 };

function read<T>(path: string, parse: (text: string, file: string) => Imported<T>) {
  const result = parse(readFileSync(`${TRACES}/${path}`, 'utf8'), path);
  if (result.kind === 'problems') throw new Error(JSON.stringify(result.problems));
  return result;
}

function azure(name: string) {
  return read<ImportedTrace>(`azure-llm-2023/AzureLLMInferenceTrace_${name}.csv`, (text, file) =>
    parseAzureTrace(text, { file, badRows: 'fail' }),
  );
}

function mooncake(name: string) {
  return read<ImportedTrace>(`mooncake-fast25/${name}.jsonl`, (text, file) =>
    parseMooncakeTrace(text, { file, badRows: 'fail' }),
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** Mean, p50, p95, p99 by nearest rank, maximum. */
function figures(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  const ranks = [0.5, 0.95, 0.99, 1].map((q) => sorted[Math.ceil(q * sorted.length) - 1] as number);
  return [round(mean(values), 3), ...ranks];
}

function gapCv(rows: readonly TraceRow[]): number {
  const gaps = rows.slice(1).map(({ atNs }, i) => atNs - rows[i]!.atNs);
  const average = mean(gaps);
  return Math.sqrt(mean(gaps.map((gap) => (gap - average) ** 2))) / average;
}

/** Blocks, and those of them a cache without end would hold: leading ids seen before. */
function prefixHits(rows: readonly TraceRow[]): { blocks: number; hits: number } {
  const seen = new Set<number>();
  let blocks = 0;
  let hits = 0;
  for (const { blockIds } of rows) {
    const ids = blockIds ?? [];
    const firstNew = ids.findIndex((id) => !seen.has(id));
    blocks += ids.length;
    hits += firstNew === -1 ? ids.length : firstNew;
    for (const id of ids) seen.add(id);
  }
  return { blocks, hits };
}

describe.skipIf(TRACES === null)(`published traces (skips: ${NO_SHARED_DATA})`, () => {
  test.each([
    {
      name: 'code',
      rows: 8_819,
      spanS: 3_435.948,
      meanRps: 2.5667,
      cv: 13.15,
      prompt: [2_047.848, 1_469, 7_315, 7_436, 7_437],
      output: [27.883, 13, 90, 252, 1_899],
    },
    {
      name: 'conv',
      rows: 19_366,
      spanS: 3_501.722,
      meanRps: 5.5304,
      cv: 1.094,
      prompt: [1_154.697, 1_020, 4_083, 4_142, 14_050],
      output: [211.126, 129, 451, 601, 1_000],
    },
  ])('azure $name', ({ name, rows: count, spanS, meanRps, cv, prompt, output }) => {
    const { value, notes } = azure(name);
    const { rows, skippedRows } = value;
    const lastS = rows.at(-1)!.atNs / 1e9;
    expect({ count: rows.length, skippedRows, firstNs: rows[0]!.atNs }).toEqual({
      count,
      skippedRows: 0,
      firstNs: 0,
    });
    expect(round(lastS, 3)).toBe(spanS);
    expect(round(count / lastS, 4)).toBe(meanRps);
    expect(gapCv(rows)).toBeCloseTo(cv, 2);
    expect(figures(rows.map(({ promptTokens }) => promptTokens))).toEqual(prompt);
    expect(figures(rows.map(({ outputTokens }) => outputTokens))).toEqual(output);
    expect(rows.every(({ atNs }) => atNs % 100 === 0)).toBe(true);
    expect(notes.filter((note) => note.includes('out of order'))).toEqual([]);
  });

  test('mooncake conversation, first 6,391 rows', () => {
    const { value, notes } = mooncake('conversation_trace.head');
    const { rows } = value;
    expect(rows).toHaveLength(6_391);
    expect(rows.at(-1)!.atNs).toBe(1_995_000e6);
    expect(new Set(rows.map(({ atNs }) => atNs)).size).toBe(666);
    expect(notes).toEqual([
      '5725 arrivals of 6391 at the same instant as another; replayed so, no jitter is added',
    ]);
    const [promptMean, promptP50, , promptP99, promptMax] = figures(
      rows.map((r) => r.promptTokens),
    );
    expect([promptMean, promptP50, promptP99, promptMax]).toEqual([
      12_672.236, 7_474, 91_305, 124_847,
    ]);
    const outputs = rows.map(({ outputTokens }) => outputTokens);
    const [outputMean, outputP50, , , outputMax] = figures(outputs);
    expect([outputMean, outputP50, outputMax, Math.min(...outputs)]).toEqual([
      346.258, 356, 2_000, 1,
    ]);
    expect(prefixHits(rows)).toEqual({ blocks: 161_207, hits: 55_327 });
  });

  test('mooncake synthetic', () => {
    const { rows } = mooncake('synthetic_trace').value;
    expect(rows).toHaveLength(3_993);
    expect(rows.at(-1)!.atNs).toBe(1_022_025e6);
    const [promptMean, , , promptP99, promptMax] = figures(rows.map((r) => r.promptTokens));
    expect([promptMean, promptP99, promptMax]).toEqual([15_325.477, 66_458, 191_378]);
    expect(round(mean(rows.map(({ outputTokens }) => outputTokens)), 3)).toBe(149.119);
    expect(prefixHits(rows)).toEqual({ blocks: 121_877, hits: 77_953 });
  });

  test('ten minutes of azure conversations at ten times the speed', () => {
    const { rows } = azure('conv').value;
    const shape = {
      kind: 'trace',
      timeScale: 10,
      fromNs: 600e9,
      durationNs: 600e9,
      maxRequests: null,
    } as const;
    const source = { kind: 'trace', path: 'conv', rows } as const;
    const { requests, stopNs } = planSchedule({ source, shape, seeds: SEEDS });
    const inWindow = rows.filter(({ atNs }) => atNs >= 600e9 && atNs < 1_200e9);
    expect(stopNs).toBe(60e9);
    expect(
      requests.map(({ promptTokens, outputTokensMax }) => [promptTokens, outputTokensMax]),
    ).toEqual(inWindow.map(({ promptTokens, outputTokens }) => [promptTokens, outputTokens]));
    for (const [i, { release }] of requests.entries()) {
      if (release.kind !== 'at') throw new Error('a replay releases by instant');
      expect(release.atNs).toBe(Math.floor((inWindow[i]!.atNs - 600e9) / 10));
    }
  });

  test('a replay of mooncake keeps its prefix hits, also below a cap', () => {
    const all = mooncake('conversation_trace.head').value.rows;
    const caps = { maxPromptTokens: 8_192, maxOutputTokens: null };
    const { rows, truncatedPrompts } = truncateRows(all, caps);
    expect(truncatedPrompts).toBe(all.filter(({ promptTokens }) => promptTokens > 8_192).length);
    const source = { kind: 'trace', path: 'mooncake', rows } as const;
    const shape = {
      kind: 'trace',
      timeScale: 1,
      fromNs: 0,
      durationNs: 3_600e9,
      maxRequests: null,
    } as const;
    const { requests } = planSchedule({ source, shape, seeds: SEEDS });
    const planned = requests.map(({ prompt }, i): TraceRow => ({
      ...rows[i]!,
      blockIds: prompt.kind === 'blocks' ? prompt.blockIds : null,
    }));
    expect(prefixHits(planned)).toEqual(prefixHits(rows));
  });

  test.each(['azure', 'lmsys', 'lmsys_multiturn', 'agent_heavy'])('length curve %s', (name) => {
    const { value } = read<LengthDistribution>(`length-cdfs/${name}_cdf.json`, (text, file) =>
      parseLengthFile(text, { file }),
    );
    if (value.kind !== 'empirical') throw new Error('a curve is empirical');
    expect(value.values.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 6);
    expect(lengthMean(value)).toBeGreaterThan(64);
  });
});
