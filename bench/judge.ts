/** How fast are logs judged: Parquet in DuckDB, and NDJSON line by line? */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLog } from '../src/cli/read-log.ts';
import { countParquetLog, openDuckDb, openParquetLog } from '../src/duckdb/index.ts';
import { LogTally, parseWindowSpec, windowTable, type WindowSpec } from '../src/logs/index.ts';
import { objectiveOf } from '../test/support/summary-builder.ts';
import { print, printTable, printTitle, QUICK } from './support/report.ts';

const FULL = process.argv.includes('--full');
const ROWS = QUICK ? 20_000 : FULL ? 100_000_000 : 10_000_000;
const LINES = QUICK ? 2_000 : 1_000_000;
const WEEK_US = 604_800_000_000;
const START_US = 1_764_547_200_000_000;

const objective = objectiveOf('ttft[0-4k]<=500ms, ttft[4k+]<=2s, tpot<=40ms, attainment>=95%');
const by = parseWindowSpec('1h,bucket') as WindowSpec;
const folder = mkdtempSync(join(tmpdir(), 'goodput-bench-'));

/** Wall and processor seconds of some work. */
async function timed<T>(
  work: () => T | Promise<T>,
): Promise<{ result: T; wall: number; cpu: number }> {
  const startMs = performance.now();
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, wall: (performance.now() - startMs) / 1e3, cpu: (user + system) / 1e6 };
}

const COLUMNS = [
  'start_us',
  'outcome',
  'http_status',
  'ttft_planned_ns',
  'tpot_ns',
  'tpot_reason',
  'prompt_tokens',
  'finish',
  'kinds',
];

/**
 * A week of chat traffic, made by the database itself: log-normal lengths and latencies, slower by
 * day and with the prompt, 1 % that failed, timed out or were cancelled, a few answers of one token,
 * 3 % cut at their limit, and columns that nobody asks for.
 */
function weekSql(file: string): string {
  const normal = 'sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())';
  return `COPY (
    SELECT start_us, outcome, http_status,
      CASE WHEN answered OR cut_late THEN ttft_ns END AS ttft_planned_ns,
      CASE WHEN answered THEN ttft_ns + CAST(tpot_ns * (tokens - 1) AS BIGINT) END AS e2e_planned_ns,
      CASE WHEN answered AND tokens > 1 THEN tpot_ns END AS tpot_ns,
      CASE WHEN tokens = 1 THEN 'oneToken' END AS tpot_reason,
      prompt_tokens, CASE WHEN answered THEN tokens END AS output_tokens,
      CASE WHEN answered THEN CASE WHEN at_limit THEN 'length' ELSE 'stop' END END AS finish,
      CASE WHEN answered THEN ' answer ' ELSE '' END AS kinds,
      'tenant-' || CAST(floor(8 * share) AS INTEGER) AS tenant, 'llama-3.1-8b' AS model
    FROM (
      SELECT *, outcome = 'completed' AS answered,
        CAST((120e6 + 30e3 * prompt_tokens) * busy * exp(0.35 * z1) AS BIGINT) AS ttft_ns,
        18e6 * sqrt(busy) * exp(0.12 * z2) AS tpot_ns
      FROM (
        SELECT ${START_US} + i * ${Math.floor(WEEK_US / ROWS)} AS start_us,
          CASE WHEN fate < 0.99 THEN 'completed' WHEN fate < 0.995 THEN 'failed'
            WHEN fate < 0.998 THEN 'timedOut' ELSE 'cancelled' END AS outcome,
          CASE WHEN fate < 0.99 THEN 200 WHEN fate < 0.995 THEN 500 END AS http_status,
          1 + CAST(exp(6.5 + 1.2 * z3) AS BIGINT) AS prompt_tokens,
          1 + CAST(exp(5.2 + 0.9 * z4) AS INTEGER) AS tokens,
          1 + 0.8 * sin(14 * pi() * i / ${ROWS}) ** 2 AS busy,
          share, z1, z2, random() < 0.5 AS cut_late, random() < 0.03 AS at_limit
        FROM (
          SELECT i, random() AS fate, random() ** 2 AS share, ${normal} AS z1, ${normal} AS z2,
            ${normal} AS z3, ${normal} AS z4
          FROM range(${ROWS}) t(i)
        )
      )
    )) TO '${file}' (FORMAT parquet)`;
}

/** A bare reading of the columns that are judged: what no judge can be faster than. */
function bareSql(file: string): string {
  const texts = new Set(['outcome', 'tpot_reason', 'finish', 'kinds']);
  const read = COLUMNS.map((name) =>
    texts.has(name) ? `max(strlen(${name}))` : `sum(${name})`,
  ).join(', ');
  return `SELECT count(*), ${read} FROM read_parquet('${file}')`;
}

/** Lines as LiteLLM's spend log has them, without texts. */
function spendLine(index: number): string {
  const iso = (atMs: number): string => new Date(atMs).toISOString();
  const startMs = START_US / 1e3 + index * 600;
  return JSON.stringify({
    request_id: `chatcmpl-${index}`,
    call_type: 'acompletion',
    startTime: iso(startMs),
    completionStartTime: iso(startMs + 200 + (index % 400)),
    endTime: iso(startMs + 5_000 + (index % 4_000)),
    status: 'success',
    model: 'llama-3.1-8b',
    team_id: `team-${index % 7}`,
    prompt_tokens: 300 + (index % 5_000),
    completion_tokens: 100 + (index % 200),
    total_tokens: 400,
  });
}

printTitle('Logs through the judge', [
  `Parquet: ${ROWS.toExponential(0)} rows of one week made by DuckDB, 13 columns, judged by an ` +
    'objective of TTFT by length, TPOT and attainment, in windows of 1 h by length: 2 threads, a ' +
    'memory limit of 900 MB. `--full` takes 10⁸ rows; else the time for 10⁸ is in proportion. The ' +
    `bare reading sums the ${COLUMNS.length} columns that are judged, and nothing else; it is taken before and after. ` +
    `NDJSON: ${LINES} lines as LiteLLM writes them, one thread; the bare reading is JSON.parse.`,
]);
try {
  const parquet = join(folder, 'week.parquet');
  const maker = await openDuckDb({ threads: 2, memoryLimit: '900MB' });
  await maker.rows(weekSql(parquet));
  maker.close();
  const peakBeforeMb = process.resourceUsage().maxRSS / 1e3;
  const database = await openDuckDb({ threads: 2, memoryLimit: '900MB' });
  const bareBefore = await timed(() => database.rows(bareSql(parquet)));
  const inSql = await timed(async () => {
    const log = await openParquetLog(database, [parquet], null);
    return windowTable(await countParquetLog(database, log, objective, by), objective, by);
  });
  const bareAfter = await timed(() => database.rows(bareSql(parquet)));
  const bare = bareBefore.cpu < bareAfter.cpu ? bareBefore : bareAfter;
  database.close();
  const peakMb = process.resourceUsage().maxRSS / 1e3;
  const ndjson = join(folder, 'spend.ndjson');
  const lines = Array.from({ length: LINES }, (_, index) => spendLine(index));
  writeFileSync(ndjson, `${lines.join('\n')}\n`);
  const parseOnly = await timed(() => {
    for (const line of lines) JSON.parse(line);
  });
  const importOnly = await timed(() =>
    readLog(ndjson, { format: null, rejects: null, windowed: true }, () => undefined),
  );
  const tally = new LogTally(objective, by);
  const judged = await timed(() =>
    readLog(ndjson, { format: null, rejects: null, windowed: true }, (record, startUs) =>
      tally.add(record, startUs),
    ),
  );
  interface Timed {
    readonly wall: number;
    readonly cpu: number;
  }
  const row = (name: string, rows: number, { wall, cpu }: Timed, least: Timed) => [
    name,
    rows,
    wall.toFixed(2),
    cpu.toFixed(2),
    (rows / wall).toExponential(2),
    (rows / cpu).toExponential(2),
    (cpu / least.cpu).toFixed(2),
    ((wall * 1e8) / rows).toFixed(1),
    ((cpu * 1e8) / rows / 2).toFixed(1),
  ];
  printTable(
    [
      'work',
      'rows',
      'wall s',
      'CPU s',
      'rows/s',
      'rows/CPU s',
      'CPU to bare',
      'wall s for 10⁸',
      'CPU s for 10⁸ on 2 cores',
    ],
    [
      row('bare reading of Parquet', ROWS, bare, bare),
      row('judge Parquet in DuckDB', ROWS, inSql, bare),
      row('bare JSON.parse', LINES, parseOnly, parseOnly),
      row('import NDJSON', LINES, importOnly, parseOnly),
      row('import and judge NDJSON', LINES, judged, parseOnly),
    ],
  );
  print([
    `Parquet file ${(statSync(parquet).size / 1e6).toFixed(0)} MB; peak resident memory ` +
      `${peakBeforeMb.toFixed(0)} MB after making it, ${peakMb.toFixed(0)} MB after judging it; ` +
      `${inSql.result.windows.length} windows, attainment ` +
      `${((inSql.result.total.attainment.share ?? 0) * 100).toFixed(1)} %.`,
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
