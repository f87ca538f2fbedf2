/** Judges Parquet where it lies: the objective as SQL, in bounded memory. */
import { printable, ProblemsError, usageProblem } from '../base/index.ts';
import {
  binCountOf,
  binsSql,
  claimsSql,
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
  if (mapping !== null) requireColumns(mapping, columns, files);
  const judged = mapping === null ? ownSql(source, columns) : mappedSql(source, mapping);
  const table =
    mapping === null ? `(${judged})` : `(SELECT * FROM (${judged}) WHERE fault IS NULL)`;
  // A column that is not there is in no row: to count it would only read the rest.
  const known = PRESENT.filter((name) => mapping !== null || columns.includes(name));
  const present = known.map((name) => `count(${name}) AS ${name}`).join(', ');
  const [counts] = await database.rows(`SELECT count(*) AS n, ${present} FROM ${table}`);
  const rejected =
    mapping === null
      ? []
      : await database.rows(
          `SELECT fault, count(*) AS n, min(file_row_number) AS first
           FROM (${mappedSql(source, mapping, ['file_row_number'])})
           WHERE fault IS NOT NULL GROUP BY fault ORDER BY n DESC`,
        );
  return {
    rows: Number(counts?.['n']),
    rejected: rejected.map((row) => ({
      reason: String(row['fault']),
      count: Number(row['n']),
      firstRow: Number(row['first']) + 1,
    })),
    findings: mapping === null ? [] : await findingsOf(database, claimsSql(source, mapping)),
    present: Object.fromEntries(PRESENT.map((name) => [name, Number(counts?.[name] ?? 0)])),
    table,
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
  const slices = await database.rows(slicesSql(table, objective, by));
  const bins = await database.rows(binsSql(table, objective, by));
  return {
    slices: slices.map((row) => sliceCountsOf(row, keys)),
    bins: bins.map((row) => binCountOf(row, keys)),
  };
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
