import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EnvironmentError } from '../base/index.ts';
import { LineFile } from './line-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'goodput-store-'));
  path = join(folder, 'lines');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('writes lines in order and makes no file for none', async () => {
  const file = new LineFile(path);
  await file.close();
  expect(() => readFileSync(path)).toThrow('ENOENT');
  void file.append('one');
  void file.append('twö');
  await file.flush();
  expect(readFileSync(path, 'utf8')).toBe('one\ntwö\n');
  void file.append('three');
  await file.close();
  expect(readFileSync(path, 'utf8')).toBe('one\ntwö\nthree\n');
});

it('asks the caller to wait when much is unwritten, and loses nothing', async () => {
  const file = new LineFile(path);
  const line = 'x'.repeat(999_999);
  const waits = Array.from({ length: 30 }, () => file.append(line)).filter(
    (wait) => wait !== undefined,
  );
  expect(waits.length).toBeGreaterThan(10);
  void file.append('last');
  await Promise.all(waits);
  await file.close();
  expect(readFileSync(path).length).toBe(30_000_000 + 5);
});

it('takes lines while it writes and has them all in the file after a flush', async () => {
  const file = new LineFile(path);
  const count = 3_000;
  for (let index = 0; index < count; index += 1) {
    void file.append(String(index));
    // Breathers of different lengths meet the writer in all its states.
    for (let breather = 0; breather < index % 7; breather += 1) await Promise.resolve();
    if (index % 100 === 0) void file.flush();
  }
  await file.flush();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines).toEqual(Array.from({ length: count }, (_, index) => String(index)));
  await file.close();
});

it('fails with the file and the reason, and writes nothing after a hole', async () => {
  const file = new LineFile(join(folder, 'absent', 'lines'));
  void file.append('one');
  await expect(file.flush()).rejects.toThrow(EnvironmentError);
  expect(() => file.append('two')).toThrow(/cannot write .*absent.*: ENOENT/);
  await expect(file.close()).rejects.toThrow('ENOENT');
});

it('never writes into a file that is there already', async () => {
  const first = new LineFile(path);
  void first.append('one');
  await first.close();
  const second = new LineFile(path);
  void second.append('two');
  await expect(second.close()).rejects.toThrow('EEXIST');
  expect(readFileSync(path, 'utf8')).toBe('one\n');
});
