import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { collect } from '../../test/support/collect.ts';
import { EnvironmentError } from '../base/index.ts';
import { type Line, readLines } from './read-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'goodput-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function linesOf(content: string, limitBytes = 1_000_000): Promise<Line[]> {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  return collect(readLines(path, limitBytes));
}

it('numbers lines and tells whether the last one ended', async () => {
  expect(await linesOf('a\n\nb')).toEqual([
    { text: 'a', number: 1, ended: true, overLimit: false },
    { text: '', number: 2, ended: true, overLimit: false },
    { text: 'b', number: 3, ended: false, overLimit: false },
  ]);
  expect(await linesOf('')).toEqual([]);
});

it('ends lines at line feeds only', async () => {
  const [line] = await linesOf('a\u2028b\rc\n');
  expect(line?.text).toBe('a\u2028b\rc');
});

it('gives back what was joined, however long the lines', async () => {
  const text = fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', ' '));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1 }), fc.nat(3), async (lines, factor) => {
      const long = lines.map((line) => line.repeat(10 ** factor));
      const read = await linesOf(long.map((line) => `${line}\n`).join(''));
      expect(read.map((line) => line.text)).toEqual(long);
    }),
    { numRuns: 50 },
  );
});

it('cuts and marks a line over the limit, and goes on after it', async () => {
  const read = await linesOf(`${'x'.repeat(600_000)}\nshort\n`, 8);
  expect(read.map(({ text, overLimit }) => [text, overLimit])).toEqual([
    ['xxxxxxxx', true],
    ['short', false],
  ]);
});

it('says which file it could not read', async () => {
  const reading = collect(readLines(join(folder, 'absent'), 10));
  await expect(reading).rejects.toThrow(EnvironmentError);
});
