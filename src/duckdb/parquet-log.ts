/** Judges Parquet where it lies: the objective as SQL, in bounded memory. */
import { printable, ProblemsError, usageProblem } from '../base/index.ts';
import {
  binCountOf,
  binsSql,
  claimsSql,
  countedSql,
  identifier,
  JUDGED_COLUMNS,
  mappedColumns,
  mappedSql,
  quoted,
  sliceCountsOf,
  slicesSql,
  type LogCounts,
  type LogMapping,
  type SourceFault,
  type SourceFinding,
  type SqlRow,
  type WindowSpec,
} from '../logs/index.ts';
import type { Objective } from '../slo/index.ts';
import type { SqlDatabase } from './open-duckdb.ts';

/** What was found wrong with rows of a Parquet log: the reason, how many, and one of them. */
export interface RejectedRows {
  readonly reason: string;
  readonly count: number;
  readonly firstRow: number;
}

export interface ParquetLog {
  readonly rows: number;
  readonly rejected: readonly RejectedRows[];
  /** Sound rows in which a judged column is not NULL. */
  readonly present: Readonly<Record<string, number>>;
  /** Where the source's own time per token does not fit its instants. */
  readonly findings: readonly SourceFinding[];
  /** The sound rows, as a table of the judged columns. */
  readonly table: string;
}

/**
 * Opens Parquet files with the user's columns (a mapping) or our own.
 * Errors: `ProblemsError` when the mapping names a column that the files lack.
 */
export async function openParquetLog(
  database: SqlDatabase,
  files: readonly string[],
  mapping: LogMapping | null,
): Promise<ParquetLog> {
  const source = `read_parquet([${files.map(quoted).join(', ')}], file_row_number = true)`;
  const described = await database.rows(`DESCRIBE SELECT * FROM ${source}`);
  const columns = described.map((row) => String(row['column_name']));
  if (mapping === null) return ownLog(database, files, source, columns);
  requireColumns(mapping, columns, files);
  return mappedLog(database, source, mapping);
}

/** Files with goodput's own columns: all rows are sound. */
async function ownLog(
  database: SqlDatabase,
  files: readonly string[],
  source: string,
  columns: readonly string[],
): Promise<ParquetLog> {
  const table = `(${ownSql(source, columns)})`;
  // A column that is not there is in no row.
  const known = PRESENT.filter((name) => columns.includes(name));
  const presence =
    (await presenceInFooters(database, files, known)) ??
    presenceOf((await database.rows(`SELECT count(*) AS n, ${counted(known)} FROM ${table}`))[0]);
  return { ...presence, rejected: [], findings: [], table };
}

/** Files with the user's columns: rows by what is wrong with them, NULL being nothing. */
async function mappedLog(
  database: SqlDatabase,
  source: string,
  mapping: LogMapping,
): Promise<ParquetLog> {
  const byFault = await database.rows(
    `SELECT fault, count(*) AS n, min(file_row_number) AS first, ${counted(PRESENT)}
     FROM (${mappedSql(source, mapping, ['file_row_number'])}) GROUP BY fault ORDER BY n DESC`,
  );
  const broken = byFault.filter(({ fault }) => fault !== null);
  const judged = mappedSql(source, mapping);
  return {
    ...presenceOf(byFault.find(({ fault }) => fault === null)),
    rejected: broken.map((row) => ({
      reason: String(row['fault']),
      count: Number(row['n']),
      firstRow: Number(row['first']) + 1,
    })),
    findings: await findingsOf(database, claimsSql(source, mapping)),
    // Where no row is broken, none need be looked at again.
    table: broken.length === 0 ? `(${judged})` : `(SELECT * FROM (${judged}) WHERE fault IS NULL)`,
  };
}

type Presence = Pick<ParquetLog, 'rows' | 'present'>;

/** From the files' own footers, which hold the number of NULLs; `null` where one leaves it out. */
async function presenceInFooters(
  database: SqlDatabase,
  files: readonly string[],
  names: readonly string[],
): Promise<Presence | null> {
  const columns = await database.rows(
    `SELECT path_in_schema AS name, sum(num_values) AS n,
       sum(num_values - stats_null_count) AS present, bool_and(stats_null_count IS NOT NULL) AS told
     FROM parquet_metadata([${files.map(quoted).join(', ')}])
     WHERE path_in_schema IN (${names.map(quoted).join(', ')}) GROUP BY name`,
  );
  if (columns.length < names.length || columns.some(({ told }) => told !== true)) return null;
  const present = columns.map((column) => [String(column['name']), column['present']] as const);
  return presenceOf({ n: columns[0]?.['n'], ...Object.fromEntries(present) });
}

function counted(names: readonly string[]): string {
  return names.map((name) => `count(${name}) AS ${name}`).join(', ');
}

function presenceOf(row: SqlRow | undefined): Presence {
  const count = (name: string): number => Number(row?.[name] ?? 0);
  return {
    rows: count('n'),
    present: Object.fromEntries(PRESENT.map((name) => [name, count(name)])),
  };
}

async function findingsOf(database: SqlDatabase, sql: string | null): Promise<SourceFinding[]> {
  if (sql === null) return [];
  const rows = await database.rows(sql);
  const checked = rows.reduce((sum, row) => sum + Number(row['n']), 0);
  return rows.flatMap(({ finding, n, ratio }) =>
    finding === null
      ? []
      : [{ fault: finding as SourceFault, rows: Number(n), checked, ratioMean: Number(ratio) }],
  );
}

/** Columns whose coverage is told. */
const PRESENT = [
  'start_us',
  'ttft_planned_ns',
  'e2e_planned_ns',
  'gap_max_ns',
  'prompt_tokens',
  'output_tokens',
  'finish',
  'http_status',
  'model',
  'tenant',
] as const;

/** The counts of a Parquet log by one objective. */
export async function countParquetLog(
  database: SqlDatabase,
  { table }: Pick<ParquetLog, 'table'>,
  objective: Objective,
  by: WindowSpec,
): Promise<LogCounts> {
  const keys = by.keys.length;
  await database.rows(`CREATE TEMP TABLE counted AS ${countedSql(table, objective, by)}`);
  try {
    const slices = await database.rows(slicesSql('counted', objective, by));
    const bins = await database.rows(binsSql('counted', objective, by));
    return {
      slices: slices.map((row) => sliceCountsOf(row, keys)),
      bins: bins.map((row) => binCountOf(row, keys)),
    };
  } finally {
    await database.rows('DROP TABLE counted');
  }
}

/** A column that the files lack is NULL in every row. */
function ownSql(source: string, columns: readonly string[]): string {
  if (!columns.includes('start_us') || !columns.includes('outcome')) {
    throw new ProblemsError([
      usageProblem(
        'E_USAGE_MISSING',
        `the Parquet files have none of goodput's columns (${printable(columns.slice(0, 12).join(', '))})`,
        'say which of them hold what in a mapping file: --mapping FILE',
      ),
    ]);
  }
  const selected = Object.entries(JUDGED_COLUMNS).map(([name, type]) =>
    columns.includes(name)
      ? `CAST(${identifier(name)} AS ${type}) AS ${name}`
      : `${EMPTY.has(name) ? "''" : `CAST(NULL AS ${type})`} AS ${name}`,
  );
  return `SELECT ${selected.join(', ')} FROM ${source}`;
}

/** Lists that are empty rather than unknown. */
const EMPTY: ReadonlySet<string> = new Set(['error_evidence', 'checks_passed', 'checks_failed']);

function requireColumns(
  mapping: LogMapping,
  columns: readonly string[],
  files: readonly string[],
): void {
  const missing = mappedColumns(mapping).filter(({ column }) => !columns.includes(column));
  if (missing.length === 0) return;
  throw new ProblemsError(
    missing.map(({ key, column }) =>
      usageProblem(
        'E_USAGE_VALUE',
        `the mapping's ${key}: ${printable(files[0] ?? '')} has no column ${printable(column)}`,
        `it has ${printable(columns.filter((name) => name !== 'file_row_number').join(', '), 400)}`,
      ),
    ),
  );
}
