import { expect, test } from 'vitest';
import type { StepRow } from '../../record/index.ts';
import { stepContent } from './step-section.ts';

const ROW: StepRow = {
  pool: 'mixed',
  replicaIndex: 0,
  startNs: 0,
  durationNs: 240e9,
  stepCount: 24_000,
  prefillTokens: 0,
  decodeCount: 3,
  runningCount: 3,
  waitingCount: 2,
  usedBlockCount: null,
};

function contentOf(rows: readonly StepRow[], cutNs: number | null = null) {
  const { body, charts } = stepContent({ rows, cutNs }, '');
  const tables = new Map(charts.map(({ name, table }) => [name, table.rows]));
  return { text: body.text, tables, names: charts.map(({ name }) => name) };
}

test('a row of many steps counts for its share of every bin', () => {
  const { text, tables, names } = contentOf([ROW]);
  expect(names).toEqual(['step-duration', 'step-batch-0', 'step-queue']);
  expect(text).toContain('24,000 steps of 1 replica, in 240 bins of 1 s.');
  // Mean and longest in each of 240 bins: 10 ms.
  const durations = tables.get('step-duration') ?? [];
  expect(durations).toHaveLength(480);
  expect(durations.every((row) => row.includes(10))).toBe(true);
  expect(tables.get('step-queue')?.[0]).toEqual(expect.arrayContaining(['waiting', 2]));
});

test('steps of one bin are averaged by step, the queue by time; idle bins are empty', () => {
  const short = { ...ROW, durationNs: 1e8, stepCount: 1, prefillTokens: 512, decodeCount: 0 };
  const long = { ...ROW, startNs: 1e8, durationNs: 3e8, stepCount: 1, waitingCount: 6 };
  const last = { ...ROW, startNs: 239e9, durationNs: 1e9, stepCount: 100 };
  const { tables } = contentOf([short, long, last]);
  const first = (name: string): unknown => tables.get(name)?.[0];
  expect(first('step-duration')).toEqual(expect.arrayContaining([200]));
  expect(first('step-batch-0')).toEqual(expect.arrayContaining([256]));
  expect(first('step-queue')).toEqual(expect.arrayContaining([5]));
  expect(tables.get('step-duration')?.[1]?.at(-1) ?? null).toBeNull();
});

test('several replicas stand beside each other; what is left out is said', () => {
  const rows = [0, 1, 2, 3, 4].map((replicaIndex) => ({ ...ROW, replicaIndex, usedBlockCount: 7 }));
  const { text, names } = contentOf(rows, 12e9);
  expect(text).toContain('5 replicas');
  expect(text).toContain('The first 4 replicas are shown. Steps after 12 s were not kept.');
  expect(names.filter((name) => name.startsWith('step-batch-'))).toHaveLength(4);
  expect(names.at(-1)).toBe('step-blocks');
});

test('nothing is shown where no steps were kept', () => {
  expect(stepContent(null, '').charts).toEqual([]);
});
