import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { RejectFile } from './reject-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'goodput-rejects-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('writes every row in order, long before the last, and nothing of an earlier time', () => {
  const path = join(folder, 'new', 'rejects.ndjson');
  const rejects = new RejectFile(path);
  const lines = Array.from({ length: 3_000 }, (_, at) => `${at} ${'x'.repeat(1_000)}`);
  for (const line of lines) rejects.push(line);
  expect(statSync(path).size).toBeGreaterThan(2_000_000);
  rejects.flush();
  expect(readFileSync(path, 'utf8')).toBe(`${lines.join('\n')}\n`);
  expect(statSync(path).mode & 0o777).toBe(0o600);

  writeFileSync(path, 'left over');
  new RejectFile(path).flush();
  expect(readFileSync(path, 'utf8')).toBe('');
});
