/** The run folder under a real crash and a real refusal of the file system. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRun } from '../../src/store/index.ts';
import { collect } from '../support/collect.ts';

const WRITER = fileURLToPath(new URL('store-writer.ts', import.meta.url));

let parent: string;
let dir: string;
let child: ChildProcess | null = null;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'goodput-store-'));
  dir = join(parent, 'run');
});
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(parent, { recursive: true });
});

async function placesInSchedule(): Promise<number[]> {
  const run = await openRun(dir);
  return (await collect(run.records())).map(({ scheduleIndex }) => scheduleIndex);
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

it.each([
  { records: 'few small', pauseMs: '20', events: '3' },
  { records: 'many large', pauseMs: '2', events: '400' },
])('keeps $records records but for the last second of a kill', async ({ pauseMs, events }) => {
  const writer = spawn(process.execPath, [WRITER, dir, pauseMs, events], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = writer;
  const handedOver: { readonly count: number; readonly atMs: number }[] = [];
  let firstAtMs: number | null = null;
  for await (const line of createInterface({ input: writer.stdout })) {
    const atMs = performance.now();
    firstAtMs ??= atMs;
    handedOver.push({ count: Number(line), atMs });
    if (atMs - firstAtMs > 2_500) writer.kill('SIGKILL');
  }
  if (writer.exitCode === null && writer.signalCode === null) await once(writer, 'exit');
  expect(writer.signalCode).toBe('SIGKILL');

  const lastAtMs = handedOver.at(-1)?.atMs ?? 0;
  const safe = handedOver.findLast(({ atMs }) => atMs < lastAtMs - 1_000)?.count ?? 0;
  const read = await placesInSchedule();
  expect(safe).toBeGreaterThan(0);
  expect(read.length).toBeGreaterThanOrEqual(safe);
  expect(read).toEqual(upTo(read.length));
});

it.skipIf(process.platform === 'win32')(
  'says so when the file system takes no more, and what it took stays readable',
  async () => {
    const writer = spawn(
      'sh',
      ['-c', 'ulimit -f 2000; exec "$0" "$@"', process.execPath, WRITER, dir, '0', '4000'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    child = writer;
    let last = '';
    let count = 0;
    for await (const line of createInterface({ input: writer.stdout })) {
      last = line;
      if (!line.startsWith('failed')) count = Number(line);
    }
    if (writer.exitCode === null) await once(writer, 'exit');
    expect(writer.exitCode).toBe(0);
    expect(last).toMatch(/^failed E_FILE_WRITE cannot write .*records-0\.ndjson: EFBIG$/);
    const read = await placesInSchedule();
    expect(read.length).toBeGreaterThan(0);
    expect(read.length).toBeLessThan(count);
    expect(read).toEqual(upTo(read.length));
  },
);
