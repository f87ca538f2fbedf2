import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EnvironmentError, ProblemsError } from '../base/index.ts';
import { manifestOf } from '../../test/support/manifest-builder.ts';
import { scheduleOf, atSeconds } from '../../test/support/point-run.ts';
import { recordOf } from '../../test/support/record-builder.ts';
import { writeFailure } from './file-errors.ts';
import { createRunFolder } from './run-folder.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'goodput-store-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

describe('createRunFolder', () => {
  it('makes the folder and its parents, and takes an empty one', async () => {
    const dir = join(parent, 'a/b');
    await createRunFolder(dir, { force: false });
    await createRunFolder(dir, { force: false });
    expect(readdirSync(dir)).toEqual([]);
  });

  it('refuses a folder with anything else in it, forced or not', async () => {
    writeFileSync(join(parent, 'thesis.tex'), '');
    for (const force of [false, true]) {
      const creating = createRunFolder(parent, { force });
      await expect(creating).rejects.toThrow(ProblemsError);
      await expect(creating).rejects.toThrow('is not empty and holds no run');
    }
    writeFileSync(join(parent, 'manifest.json'), '{"name":"a web app"}');
    await expect(createRunFolder(parent, { force: true })).rejects.toThrow('holds no run');
    expect(readdirSync(parent)).toHaveLength(2);
  });

  it('replaces a run only when forced, and only the files of the run', async () => {
    const run = await createRunFolder(parent, { force: false });
    await run.writeManifest(manifestOf());
    void run.appendRecord(recordOf());
    await run.close();
    writeFileSync(join(parent, 'notes.txt'), 'mine');
    await expect(createRunFolder(parent, { force: false })).rejects.toThrow('already holds a run');
    await createRunFolder(parent, { force: true });
    expect(readdirSync(parent)).toEqual(['notes.txt']);
  });

  it('refuses a file in the place of the folder', async () => {
    const path = join(parent, 'file');
    writeFileSync(path, '');
    await expect(createRunFolder(path, { force: true })).rejects.toThrow('is a file, not a folder');
    await expect(createRunFolder(join(path, 'below'), { force: true })).rejects.toThrow(
      EnvironmentError,
    );
  });
});

describe('a run folder', () => {
  it('keeps the records of each point in its own file', async () => {
    const run = await createRunFolder(parent, { force: false });
    for (const pointIndex of [0, 1, 0]) void run.appendRecord({ ...recordOf(), pointIndex });
    await run.close();
    const lines = (name: string): number =>
      readFileSync(join(parent, name), 'utf8').split('\n').length - 1;
    expect([lines('records-0.ndjson'), lines('records-1.ndjson')]).toEqual([2, 1]);
  });

  it('writes the schedules of all points into one file', async () => {
    const run = await createRunFolder(parent, { force: false });
    await run.writeSchedule(0, scheduleOf(atSeconds(0, 1)));
    await run.writeSchedule(1, scheduleOf(atSeconds(2)));
    await run.close();
    const lines = readFileSync(join(parent, 'schedule.ndjson'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { pointIndex: 0, requestCount: 2, hash: 'test', stopNs: 60e9, slots: null },
      { pointIndex: 0, index: 0, release: { kind: 'at', atNs: 0 } },
      { pointIndex: 0, index: 1, release: { kind: 'at', atNs: 1e9 } },
      { pointIndex: 1, requestCount: 1 },
      { pointIndex: 1, index: 0, release: { kind: 'at', atNs: 2e9 } },
    ]);
  });

  it('replaces the manifest as a whole and leaves nothing beside it', async () => {
    const run = await createRunFolder(parent, { force: false });
    await run.writeManifest(manifestOf({ points: [] }));
    await run.writeManifest(manifestOf());
    expect(JSON.parse(readFileSync(join(parent, 'manifest.json'), 'utf8'))).toEqual(manifestOf());
    expect(readdirSync(parent)).toEqual(['manifest.json']);
  });

  it('says what could not be written', async () => {
    const run = await createRunFolder(parent, { force: false });
    mkdirSync(join(parent, 'manifest.json'));
    await expect(run.writeManifest(manifestOf())).rejects.toMatchObject({
      name: 'EnvironmentError',
      code: 'E_FILE_WRITE',
    });
  });
});

it.each([
  ['ENOSPC', 'the disk is full'],
  ['EACCES', 'no permission'],
  ['EROFS', 'read-only'],
])('hints what to do about %s', (code, hint) => {
  const failure = writeFailure('runs/x', Object.assign(new Error('refused'), { code }));
  expect(failure.message).toBe(`cannot write runs/x: ${code}`);
  expect(failure.hint).toContain(hint);
});
