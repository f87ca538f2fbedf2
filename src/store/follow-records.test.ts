import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordOf } from '../../test/support/record-builder.ts';
import { recordLine } from '../record/index.ts';
import { followRecords, type RecordFollower } from './follow-records.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'goodput-follow-'));
  path = join(dir, 'records-0.ndjson');
});
afterEach(() => rmSync(dir, { recursive: true }));

async function indexes(follower: RecordFollower): Promise<number[]> {
  const found: number[] = [];
  for await (const { scheduleIndex } of follower.next()) found.push(scheduleIndex);
  return found;
}
const line = (scheduleIndex: number): string => `${recordLine(recordOf({ scheduleIndex }))}\n`;

it('gives every record once, as the file grows', async () => {
  const follower = followRecords(dir, 0);
  expect(await indexes(follower)).toEqual([]);
  appendFileSync(path, line(0) + line(1));
  expect(await indexes(follower)).toEqual([0, 1]);
  expect(await indexes(follower)).toEqual([]);
  appendFileSync(path, line(2));
  expect(await indexes(follower)).toEqual([2]);
});

it('waits for the end of a line, wherever the writer stopped', async () => {
  const follower = followRecords(dir, 0);
  const text = line(7);
  for (const part of [text.slice(0, 50), text.slice(50, -1)]) {
    appendFileSync(path, part);
    expect(await indexes(follower)).toEqual([]);
  }
  appendFileSync(path, '\n');
  expect(await indexes(follower)).toEqual([7]);
});

it('passes over what is no record, and records of another point', async () => {
  const other = `${recordLine(recordOf({ pointIndex: 3, scheduleIndex: 9 }))}\n`;
  appendFileSync(path, `nonsense\n${other}${line(1)}`);
  expect(await indexes(followRecords(dir, 0))).toEqual([1]);
});
