/** The same rows as CSV, read line by line, and as Parquet, judged in the database: one table. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readLog } from '../../src/cli/read-log.ts';
import { parseLogMapping } from '../../src/config/index.ts';
import {
  countParquetLog,
  openDuckDb,
  openParquetLog,
  type SqlDatabase,
} from '../../src/duckdb/index.ts';
import { mappedFormat } from '../../src/importers/index.ts';
import {
  judgedRowOf,
  LogTally,
  windowTable,
  type JudgedRow,
  type LogMapping,
  type WindowSpec,
} from '../../src/logs/index.ts';
import { NS_PER_MS } from '../../src/base/index.ts';
import { failedEnd, recordOf } from '../support/record-builder.ts';
import { sqlTable } from '../support/sql-rows.ts';
import { objectiveOf } from '../support/summary-builder.ts';

const FOLDER = fileURLToPath(new URL('../fixtures/logs/', import.meta.url));
const BY: WindowSpec = { windowUs: 2_000_000, keys: ['bucket', 'tenant'] };
const OBJECTIVE = objectiveOf('ttft<=500ms, tpot<=40ms, e2e<=2s, p95(ttft)<=1s, attainment>=95%');
const temporary = mkdtempSync(join(tmpdir(), 'goodput-parquet-'));
let database: SqlDatabase;

beforeAll(async () => {
  database = await openDuckDb({ threads: 2, memoryLimit: '500MB' });
});
afterAll(() => {
  database.close();
  rmSync(temporary, { recursive: true });
});

function mapping(): LogMapping {
  const file = `${FOLDER}own-columns.yaml`;
  const parsed = parseLogMapping(readFileSync(file, 'utf8'), { file, env: {} });
  if ('problems' in parsed) throw new Error(parsed.problems[0]?.message);
  return parsed.mapping;
}

async function inParquet(name: string, types: string): Promise<string> {
  const file = join(temporary, name);
  await database.rows(
    `COPY (SELECT ${types} FROM read_csv('${FOLDER}own-columns.csv', all_varchar = true)) TO '${file}' (FORMAT parquet)`,
  );
  return file;
}

it.each([
  ['texts', '*'],
  [
    'numbers',
    '* REPLACE (CAST(ttft_ms AS DOUBLE) AS ttft_ms, CAST(tokens_out AS INTEGER) AS tokens_out)',
  ],
])('gives the same windows for columns of %s', async (name, types) => {
  const tally = new LogTally(OBJECTIVE, BY);
  const format = mappedFormat(mapping());
  const read = await readLog(
    `${FOLDER}own-columns.csv`,
    { format, rejects: null, windowed: true },
    (record, at) => tally.add(record, at),
  );
  const log = await openParquetLog(
    database,
    [await inParquet(`${name}.parquet`, types)],
    mapping(),
  );
  expect(log.rows).toBe(read.requests);
  expect(log.rejected.toSorted((a, b) => a.firstRow - b.firstRow)).toEqual([
    { reason: 'its first token is after its end', count: 1, firstRow: 5 },
    { reason: 'its start is no instant', count: 1, firstRow: 6 },
  ]);
  const counts = await countParquetLog(database, log, OBJECTIVE, BY);
  expect(windowTable(counts, OBJECTIVE, BY, 1)).toEqual(
    windowTable(tally.counts(), OBJECTIVE, BY, 1),
  );
});

it('tells a column that is not there, and the ones that are', async () => {
  const file = await inParquet('missing.parquet', '* EXCLUDE (team)');
  await expect(openParquetLog(database, [file], mapping())).rejects.toThrow(
    /the mapping's tenant: .* has no column team.*\n.*it has ts, ttft_ms/,
  );
});

it('finds in Parquet, as line by line, that a time per token holds the wait for the first', async () => {
  const claimed = join(temporary, 'claims.csv');
  // 300 ms, then 50 tokens of 40 ms: 2 300 ms in all.
  const claims = [40, 45.1, 20, 2_300, 90, 45.1, ''];
  const rows = claims.map((claim, at) => `2026-11-20 10:00:0${at}.000,300,2.3,51,${claim}`);
  writeFileSync(claimed, `ts,ttft_ms,took_s,tokens_out,claim\n${rows.join('\n')}\n`);
  const parsed: LogMapping = {
    ...mapping(),
    promptTokens: null,
    status: null,
    tenant: null,
    timePerToken: { column: 'claim', unit: 'ms' },
  };
  const file = join(temporary, 'claims.parquet');
  await database.rows(
    `COPY (SELECT * FROM read_csv('${claimed}', all_varchar = true)) TO '${file}' (FORMAT parquet)`,
  );
  const log = await openParquetLog(database, [file], parsed);
  const options = { format: mappedFormat(parsed), rejects: null, windowed: true };
  const { findings } = await readLog(claimed, options, () => undefined);
  const ordered = (all: typeof findings) => all.toSorted((a, b) => a.fault.localeCompare(b.fault));
  expect(ordered(log.findings)).toEqual(
    ordered(findings).map((one) => ({ ...one, ratioMean: expect.closeTo(one.ratioMean ?? 0, 9) })),
  );
  expect(findings.map(({ fault, rows: n, checked }) => [fault, n, checked])).toEqual([
    ['tpotIncludesTtft', 2, 6],
    ['tpotHalf', 1, 6],
    ['tpotIsWholeAnswer', 1, 6],
    ['tpotDiffers', 1, 6],
  ]);
});

it('judges Parquet of its own columns, and tells from the footers what is present', async () => {
  const records = Array.from({ length: 40 }, (_, at) =>
    recordOf({
      arrivalsNs: [(300 + 10 * at) * NS_PER_MS, (1_000 + 50 * at) * NS_PER_MS],
      usage: { promptTokens: at % 5 === 0 ? null : 100 * at, completionTokens: 20 },
      ...(at % 8 === 7 ? { end: failedEnd('httpStatus', { httpStatus: 503 }), usage: null } : {}),
      labels: { tenant: at % 3 === 0 ? null : `team-${at % 3}` },
    }),
  );
  const rows = records.map((record, at) => judgedRowOf(record, OBJECTIVE, at * 100_000));
  const tally = new LogTally(OBJECTIVE, BY);
  for (const [at, record] of records.entries()) tally.add(record, rows[at]?.start_us as number);
  const file = join(temporary, 'own.parquet');
  await database.rows(
    `COPY (SELECT * EXCLUDE (row) FROM ${sqlTable(rows)}) TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE 16)`,
  );
  const log = await openParquetLog(database, [file], null);
  expect(log.rows).toBe(40);
  for (const [name, count] of Object.entries(log.present)) {
    expect([name, count]).toEqual([
      name,
      rows.filter((row) => row[name as keyof JudgedRow] !== null).length,
    ]);
  }
  expect(new Set(Object.values(log.present)).size).toBeGreaterThan(3);
  const counts = await countParquetLog(database, log, OBJECTIVE, BY);
  expect(windowTable(counts, OBJECTIVE, BY, 1)).toEqual(
    windowTable(tally.counts(), OBJECTIVE, BY, 1),
  );
});

it('leaves nothing behind when a question fails', async () => {
  const rows = [judgedRowOf(recordOf({ arrivalsNs: [NS_PER_MS] }), OBJECTIVE, 0)];
  const log = { table: sqlTable(rows) };
  const failing: SqlDatabase = {
    ...database,
    rows: (sql) => database.rows(sql.includes('counted_by =') ? 'no SQL' : sql),
  };
  await expect(countParquetLog(failing, log, OBJECTIVE, BY)).rejects.toThrow('DuckDB');
  expect((await countParquetLog(database, log, OBJECTIVE, BY)).slices).toHaveLength(1);
});

it('counts what is present itself where a footer leaves the number of NULLs out', async () => {
  const rows = [0, 1, 2].map((at) =>
    judgedRowOf(recordOf({ arrivalsNs: [NS_PER_MS] }), OBJECTIVE, at * 100_000),
  );
  const file = join(temporary, 'untold.parquet');
  await database.rows(
    `COPY (SELECT * EXCLUDE (row, tenant), CASE row WHEN 1 THEN 'a' END AS tenant
       FROM ${sqlTable(rows)}) TO '${file}' (FORMAT parquet)`,
  );
  const asked: string[] = [];
  const untold: SqlDatabase = {
    ...database,
    async rows(sql) {
      asked.push(sql);
      const told = await database.rows(sql);
      // Writers may leave statistics out; DuckDB's own never does.
      if (!sql.includes('parquet_metadata')) return told;
      return told.map((row) => ({ ...row, present: null, told: false }));
    },
  };
  const log = await openParquetLog(untold, [file], null);
  expect(asked.some((sql) => sql.includes('count(tenant)'))).toBe(true);
  expect(log).toEqual(await openParquetLog(database, [file], null));
  expect([log.rows, log.present['tenant'], log.present['ttft_planned_ns']]).toEqual([3, 1, 3]);
});
