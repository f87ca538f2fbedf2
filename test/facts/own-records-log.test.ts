/** goodput's own records, read as a log: their windows are clock time, or there are none. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readLog } from '../../src/cli/read-log.ts';
import { recordLine } from '../../src/record/index.ts';
import { manifestOf } from '../support/manifest-builder.ts';
import { recordOf } from '../support/record-builder.ts';

const folder = mkdtempSync(join(tmpdir(), 'goodput-own-'));
afterAll(() => rmSync(folder, { recursive: true }));

const lines = [0, 2_500_000_000]
  .map((plannedNs) => recordLine(recordOf({ plannedNs, arrivalsNs: [plannedNs + 1_000_000] })))
  .map((line) => `${line.trimEnd()}\n`);
const file = join(folder, 'records-0.ndjson');

async function startsUs(windowed: boolean): Promise<number[]> {
  const starts: number[] = [];
  const options = { format: null, rejects: null, windowed };
  await readLog(file, options, (_, startUs) => starts.push(startUs));
  return starts;
}

it('takes the start of the run from the manifest beside them, and refuses windows without', async () => {
  writeFileSync(file, lines.join(''));
  expect(await startsUs(false)).toEqual([0, 2_500_000]);
  await expect(startsUs(true)).rejects.toThrow(/no manifest\.json beside them.*/);
  const manifest = join(folder, 'manifest.json');
  writeFileSync(manifest, '{"name": "an extension"}');
  await expect(startsUs(true)).rejects.toThrow(/no manifest\.json/);
  writeFileSync(manifest, JSON.stringify(manifestOf({ startedAt: '2026-11-20T10:00:00.000Z' })));
  const originUs = Date.UTC(2026, 10, 20, 10) * 1e3;
  expect(await startsUs(true)).toEqual([originUs, originUs + 2_500_000]);
});

it('counts broken records and writes them aside as they stood', async () => {
  const sound = lines[0] as string;
  writeFileSync(file, `${sound}${sound.slice(0, 100)}\n{"schemaVersion": 1}\n${sound}`);
  const rejects: string[] = [];
  const report = await readLog(file, { format: null, rejects, windowed: false }, () => undefined);
  expect(report).toMatchObject({ requests: 2, rejected: 2 });
  expect(report.samples.map(({ line }) => line)).toEqual([2, 3]);
  expect(rejects.map((row) => (JSON.parse(row) as { row: unknown }).row)).toEqual([
    sound.slice(0, 100),
    '{"schemaVersion": 1}',
  ]);
});
