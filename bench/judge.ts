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
async function timed<T>(work: () => Promise<T>): Promise<{ result: T; wall: number; cpu: number }> {
  const startMs = performance.now();
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, wall: (performance.now() - startMs) / 1e3, cpu: (user + system) / 1e6 };
}

/** A week of chat traffic with long-tailed TTFT, made by the database itself. */
function weekSql(file: string): string {
  return `COPY (
    SELECT ${START_US} + i * ${Math.floor(WEEK_US / ROWS)} AS start_us,
      CASE WHEN random() < 0.99 THEN 'completed' ELSE 'failed' END AS outcome,
      CAST(exp(18.5 + 2 * random()) AS BIGINT) AS ttft_planned_ns,
      CAST(5e6 + 38e6 * random() AS BIGINT) AS tpot_ns,
      CAST(20000 * random() * random() AS INTEGER) AS prompt_tokens,
      CAST(1 + 800 * random() AS INTEGER) AS output_tokens,
      'stop' AS finish, ' answer ' AS kinds
    FROM range(${ROWS}) t(i)) TO '${file}' (FORMAT parquet)`;
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
  `Parquet: ${ROWS.toExponential(0)} rows of one week made by DuckDB, 8 columns, judged by an ` +
    'objective of TTFT by length, TPOT and attainment, in windows of 1 h by length: 2 threads, a ' +
    'memory limit of 900 MB. `--full` takes 10⁸ rows; else the time for 10⁸ is in proportion. ' +
    `NDJSON: ${LINES} lines as LiteLLM writes them, one thread.`,
]);
try {
  const parquet = join(folder, 'week.parquet');
  const maker = await openDuckDb({ threads: 2, memoryLimit: '900MB' });
  await maker.rows(weekSql(parquet));
  maker.close();
  const database = await openDuckDb({ threads: 2, memoryLimit: '900MB' });
  const inSql = await timed(async () => {
    const log = await openParquetLog(database, [parquet], null);
    return windowTable(await countParquetLog(database, log, objective, by), objective, by);
  });
  database.close();
  const peakMb = process.resourceUsage().maxRSS / 1e3;
  const ndjson = join(folder, 'spend.ndjson');
  writeFileSync(
    ndjson,
    Array.from({ length: LINES }, (_, index) => `${spendLine(index)}\n`).join(''),
  );
  const importOnly = await timed(() =>
    readLog(ndjson, { format: null, rejects: null, windowed: true }, () => undefined),
  );
  const tally = new LogTally(objective, by);
  const judged = await timed(() =>
    readLog(ndjson, { format: null, rejects: null, windowed: true }, (record, startUs) =>
      tally.add(record, startUs),
    ),
  );
  const row = (name: string, rows: number, { wall, cpu }: { wall: number; cpu: number }) => [
    name,
    rows,
    wall.toFixed(2),
    cpu.toFixed(2),
    (rows / wall).toExponential(2),
    ((wall * 1e8) / rows).toFixed(1),
    ((cpu * 1e8) / rows / 2).toFixed(1),
  ];
  printTable(
    ['work', 'rows', 'wall s', 'CPU s', 'rows/s', 'wall s for 10⁸', 'CPU s for 10⁸ on 2 cores'],
    [
      row('judge Parquet in DuckDB', ROWS, inSql),
      row('import NDJSON', LINES, importOnly),
      row('import and judge NDJSON', LINES, judged),
    ],
  );
  print([
    `Parquet file ${(statSync(parquet).size / 1e6).toFixed(0)} MB; peak resident memory of making ` +
      `and judging it ${peakMb.toFixed(0)} MB; ${inSql.result.windows.length} windows, attainment ` +
      `${((inSql.result.total.attainment.share ?? 0) * 100).toFixed(1)} %.`,
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
