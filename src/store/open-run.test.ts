import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Problem, ProblemsError } from '../base/index.ts';
import { recordLine, type RequestRecord } from '../record/index.ts';
import { collect } from '../../test/support/collect.ts';
import { manifestOf } from '../../test/support/manifest-builder.ts';
import { recordOf } from '../../test/support/record-builder.ts';
import { type OpenRun, openRun } from './open-run.ts';
import { createRunFolder } from './run-folder.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'goodput-store-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

function numbered(count: number, pointIndex = 0): RequestRecord[] {
  return Array.from({ length: count }, (_, scheduleIndex) => ({
    ...recordOf(),
    pointIndex,
    scheduleIndex,
  }));
}

async function writeRun(records: readonly RequestRecord[]): Promise<void> {
  const run = await createRunFolder(dir, { force: false });
  await run.writeManifest(manifestOf());
  for (const record of records) await run.appendRecord(record);
  await run.close();
}

async function readAll(run: OpenRun, pointIndex?: number): Promise<RequestRecord[]> {
  return collect(run.records(pointIndex));
}

async function problemsOf(action: Promise<unknown>): Promise<readonly Problem[]> {
  const error: unknown = await action.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProblemsError);
  return (error as ProblemsError).problems;
}

describe('a sound run', () => {
  it('gives back what was written, point by point', async () => {
    const records = [...numbered(3, 0), ...numbered(2, 1), ...numbered(1, 10)];
    await writeRun(records);
    const run = await openRun(dir);
    expect(run.manifest).toEqual(manifestOf());
    expect(run.pointIndexes).toEqual([0, 1, 10]);
    expect(await readAll(run)).toEqual(records);
    expect(await readAll(run, 1)).toEqual(numbered(2, 1));
    expect(await readAll(run, 7)).toEqual([]);
    expect(run.problems).toEqual([]);
    expect(await run.summary()).toBeNull();
  });

  it('accepts a last record that only lacks its line feed', async () => {
    await writeRun(numbered(1));
    appendFileSync(join(dir, 'records-0.ndjson'), recordLine({ ...recordOf(), scheduleIndex: 1 }));
    const run = await openRun(dir);
    expect(await readAll(run)).toHaveLength(2);
    expect(run.problems).toEqual([]);
  });
});

describe('a run that crashed', () => {
  it.each([1, 40, 400])(
    'reads all but a last record cut after %d characters, and says so',
    async (at) => {
      await writeRun(numbered(3));
      appendFileSync(join(dir, 'records-0.ndjson'), recordLine(recordOf()).slice(0, at));
      const run = await openRun(dir);
      expect(await readAll(run)).toEqual(numbered(3));
      expect(await readAll(run)).toEqual(numbered(3));
      expect(run.problems).toMatchObject([
        { code: 'E_RECORD_FORMAT', place: { file: join(dir, 'records-0.ndjson'), line: 4 } },
      ]);
    },
  );

  it('takes a tail of zeros, as a power loss leaves it, for a cut record', async () => {
    await writeRun(numbered(1));
    appendFileSync(join(dir, 'records-0.ndjson'), '\0'.repeat(100));
    const run = await openRun(dir);
    expect(await readAll(run)).toEqual(numbered(1));
    expect(run.problems).toHaveLength(1);
  });
});

describe('a damaged run', () => {
  it('reports all unsound lines together, with their places', async () => {
    const good = recordLine(recordOf());
    writeFileSync(join(dir, 'manifest.json'), JSON.stringify(manifestOf()));
    writeFileSync(
      join(dir, 'records-0.ndjson'),
      [good, good.slice(0, 50), good, '{"schemaVersion":99}', ''].join('\n'),
    );
    const run = await openRun(dir);
    const problems = await problemsOf(readAll(run));
    expect(problems.map(({ place, message }) => [place?.line, message])).toEqual([
      [2, expect.stringContaining('cut short')],
      [4, expect.stringContaining('format 99')],
    ]);
  });

  it('shows the first problems of many and counts the rest', async () => {
    writeFileSync(join(dir, 'manifest.json'), JSON.stringify(manifestOf()));
    writeFileSync(join(dir, 'records-0.ndjson'), 'junk\n'.repeat(500));
    const problems = await problemsOf(openRun(dir).then((run) => readAll(run)));
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)?.message).toBe('480 more lines are not sound records');
  });

  it('does not mix up points', async () => {
    await writeRun(numbered(1));
    writeFileSync(join(dir, 'records-1.ndjson'), `${recordLine(recordOf())}\n`);
    const problems = await problemsOf(openRun(dir).then((run) => readAll(run)));
    expect(problems[0]?.message).toBe("the record is of point 0, not of this file's 1");
  });
});

describe('what is not a run', () => {
  const open = (): Promise<readonly Problem[]> => problemsOf(openRun(dir));
  const writeManifest = (value: unknown): void =>
    writeFileSync(join(dir, 'manifest.json'), JSON.stringify(value));

  it('is a folder without a manifest, or no folder at all', async () => {
    expect(await open()).toMatchObject([
      { code: 'E_RUN_FORMAT', hint: expect.stringContaining('goodput run') },
    ]);
    await expect(openRun(join(dir, 'absent'))).rejects.toThrow('is not a run');
  });

  it('has someone else’s manifest, or none that can be read', async () => {
    writeManifest({ name: 'a web app' });
    expect(await open()).toMatchObject([{ message: 'this is not the manifest of a goodput run' }]);
    writeFileSync(join(dir, 'manifest.json'), '{');
    expect(await open()).toMatchObject([{ code: 'E_RUN_FORMAT' }]);
  });

  it('is of a later format', async () => {
    writeManifest({ ...manifestOf(), schemaVersion: 2 });
    expect(await open()).toMatchObject([{ message: expect.stringContaining('format 2') }]);
  });

  it('has a manifest with holes: all are named', async () => {
    writeManifest({ ...manifestOf(), runId: 5, host: { cpus: 'two' } });
    const text = (await open()).map(({ message }) => message).join('\n');
    for (const path of ['runId', 'host.cpus', 'host.cpuModel', 'host.os'])
      expect(text).toContain(path);
  });

  it('has a summary of another format', async () => {
    await writeRun([]);
    writeFileSync(join(dir, 'summary.json'), '{"schemaVersion":7}');
    expect(await problemsOf(openRun(dir).then((run) => run.summary()))).toMatchObject([
      { code: 'E_RUN_FORMAT' },
    ]);
  });
});
