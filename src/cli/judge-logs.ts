/** Judges production logs: files in, windows of attainment out. */
import { existsSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import {
  assertNever,
  EXIT_CODES,
  printable,
  ProblemsError,
  usageProblem,
  type ExitCode,
} from '../base/index.ts';
import { readObjective } from '../config/index.ts';
import { countParquetLog, openDuckDb, openParquetLog, type ParquetLog } from '../duckdb/index.ts';
import { mappedFormat, type ImportReport, type LogFormat } from '../importers/index.ts';
import {
  isoInstant,
  judgeTargets,
  LogViews,
  mergedCounts,
  parseWindowSpec,
  whatIfObjective,
  windowCounts,
  windowTable,
  type CoveredField,
  type LogCounts,
  type LogMapping,
  type LogWindow,
  type RequestView,
  type WindowSpec,
} from '../logs/index.ts';
import {
  csvLogReport,
  htmlLogReport,
  markdownLogReport,
  terminalLogReport,
  type LogJudgement,
} from '../report/index.ts';
import type { Objective } from '../slo/index.ts';
import type { CommandContext } from './context.ts';
import { writeTextFile } from './files.ts';
import { namedLogFormat, readLogMapping } from './log-options.ts';
import { OptionReader } from './option-reader.ts';
import { readLog } from './read-log.ts';
import { configContext } from './read-spec.ts';
import { RejectFile } from './reject-file.ts';
import { TOOL_VERSION } from './version.ts';

export interface JudgeLogsOptions {
  readonly slo?: string;
  readonly by: string;
  readonly logFormat?: string;
  readonly mapping?: string;
  readonly rejects?: string;
  readonly counts?: string;
  readonly html?: string;
  readonly whatIf: readonly string[];
  readonly leastCount: string;
  readonly threads?: string;
  readonly memory: string;
  readonly format: 'text' | 'json' | 'md' | 'csv';
  readonly requireProof: boolean;
  readonly quiet: boolean;
}

/** Whether `path` is to be opened as a run: a folder, or a name that no log file has. */
export function isRunFolder(path: string): boolean {
  return existsSync(path) ? statSync(path).isDirectory() : extname(path) === '';
}

/** Judges log files; gives the exit code. */
export async function judgeLogs(
  files: readonly string[],
  options: JudgeLogsOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const plan = readPlan(options, context);
  const all: [Objective, ...Objective[]] = [
    plan.objective,
    ...plan.whatIfs.map(({ objective }) => objective),
  ];
  const parquet = files.filter((file) => file.endsWith('.parquet'));
  const others = files.filter((file) => !file.endsWith('.parquet'));
  const parts: Judged[] = [];
  if (others.length > 0) parts.push(await judgeLines(others, all, plan));
  if (parquet.length > 0) parts.push(await judgeParquet(parquet, all, plan));
  const counts = all.map((_, at) =>
    mergedCounts(parts.map((part) => part.counts[at] as LogCounts)),
  );
  const [own, ...variants] = all.map((objective, at) =>
    windowTable(counts[at] as LogCounts, objective, plan.by, plan.leastCount),
  );
  const table = own as NonNullable<typeof own>;
  const judgement: LogJudgement = {
    objective: plan.objective,
    table,
    targets: judgeTargets((counts[0] as LogCounts).slices, table, plan.objective),
    imports: parts.flatMap((part) => part.imports),
    requests: requestsOf(parts, plan),
    whatIfs: variants.map((variant, at) => ({
      text: plan.whatIfs[at]?.text ?? '',
      table: variant,
    })),
  };
  const note = (text: string): void => {
    if (!options.quiet) context.stderr(`${text}\n`);
  };
  if (plan.countsFile !== null) {
    note(writeCounts(plan.countsFile, counts[0] as LogCounts, judgement));
  }
  if (options.html !== undefined) {
    writeTextFile(options.html, await htmlLogReport(judgement, TOOL_VERSION));
    note(`wrote ${printable(options.html)}`);
  }
  context.stdout(shown(judgement, options.format, context.columns));
  return exitCodeOf(judgement, options.requireProof);
}

/** Counts of each window of time, one a line: what a budget is of. Says what it wrote. */
function writeCounts(
  { path, windowUs }: CountsTarget,
  counts: LogCounts,
  { requests }: LogJudgement,
): string {
  const lines = windowCounts(counts, windowUs).map((window) => `${JSON.stringify(window)}\n`);
  writeTextFile(path, lines);
  const of = requests === null ? '' : '; they are of tries, not of the requests these were part of';
  return `wrote ${printable(path)}: counts of ${lines.length} window${lines.length === 1 ? '' : 's'}${of}`;
}

/** The second view, over all files: rows of files without joined tries are requests of one try. */
function requestsOf(parts: readonly Judged[], plan: Plan): LogJudgement['requests'] {
  const view = parts.find((part) => part.byRequest !== null)?.byRequest ?? null;
  if (view === null) return null;
  const all = parts.map((part) => part.byRequest?.counts ?? (part.counts[0] as LogCounts));
  const table = windowTable(mergedCounts(all), plan.objective, plan.by, plan.leastCount);
  return { ...view.joined, table };
}

interface Plan {
  readonly objective: Objective;
  readonly whatIfs: readonly { readonly text: string; readonly objective: Objective }[];
  readonly by: WindowSpec;
  readonly leastCount: number;
  readonly threads: number | null;
  readonly memory: string;
  readonly mapping: LogMapping | null;
  readonly format: LogFormat | null;
  readonly rejects: string | null;
  readonly countsFile: CountsTarget | null;
}

interface CountsTarget {
  readonly path: string;
  readonly windowUs: number;
}

interface Judged {
  readonly imports: LogJudgement['imports'];
  /** One per objective. */
  readonly counts: readonly LogCounts[];
  /** By the first objective; `null` where no tries were joined. */
  readonly byRequest: RequestView | null;
}

/** Errors: ProblemsError with every mistake of the options. */
function readPlan(options: JudgeLogsOptions, context: CommandContext): Plan {
  if (options.slo === undefined) {
    throw new ProblemsError([
      usageProblem(
        'E_USAGE_MISSING',
        'logs carry no objective: --slo is missing',
        "e.g. --slo 'ttft<=500ms, tpot<=40ms, attainment>=97%'",
      ),
    ]);
  }
  const reader = new OptionReader();
  const leastCount = reader.wholeNumber('--least-count', options.leastCount, 1);
  const threads =
    options.threads === undefined ? null : reader.wholeNumber('--threads', options.threads, 1);
  if (!/^\d+(\.\d+)? ?(MB|GB|MiB|GiB)$/.test(options.memory)) {
    reader.add(
      usageProblem(
        'E_USAGE_VALUE',
        `--memory ${printable(options.memory)} is not a size`,
        'write 1GiB or 900MB',
      ),
    );
  }
  const named = options.logFormat === undefined ? null : namedLogFormat(options.logFormat);
  if (named !== null && 'code' in named) reader.add(named);
  const by = parseWindowSpec(options.by);
  if ('problems' in by) for (const problem of by.problems) reader.add(problem);
  const countsFile = 'problems' in by ? null : countsTarget(options.counts, by, reader);
  reader.finish();
  const read = readObjective(options.slo, configContext(context));
  if ('problems' in read) throw new ProblemsError(read.problems);
  const { objective } = read;
  if (limitsFirstAnswer(objective)) throw notInLogs();
  const whatIfs = options.whatIf.map((text) => {
    const variant = whatIfObjective(objective, text);
    if ('problems' in variant) throw new ProblemsError(variant.problems);
    if (limitsFirstAnswer(variant.objective)) throw notInLogs();
    return { text, objective: variant.objective };
  });
  const mapping = options.mapping === undefined ? null : readLogMapping(options.mapping, context);
  return {
    objective,
    whatIfs,
    by: by as WindowSpec,
    leastCount,
    threads,
    memory: options.memory,
    mapping,
    format: mapping === null ? (named as LogFormat | null) : mappedFormat(mapping),
    rejects: options.rejects ?? null,
    countsFile,
  };
}

function countsTarget(
  path: string | undefined,
  { windowUs }: WindowSpec,
  reader: OptionReader,
): CountsTarget | null {
  if (path === undefined) return null;
  if (windowUs !== null) return { path, windowUs };
  reader.add(
    usageProblem(
      'E_USAGE_CONFLICT',
      '--counts are of windows of time, and --by names no length',
      'write --by 1h',
    ),
  );
  return null;
}

/** Line by line: each request is judged as it is read. */
async function judgeLines(
  files: readonly string[],
  objectives: readonly [Objective, ...Objective[]],
  { by, format, rejects }: Plan,
): Promise<Judged> {
  const views = new LogViews(objectives, by);
  const imports: (ImportReport & { readonly file: string })[] = [];
  const rejected = rejects === null ? null : new RejectFile(rejects);
  for (const file of files) {
    const windowed = by.windowUs !== null;
    const options = { format, rejects: rejected, windowed };
    const report = await readLog(file, options, (record, startUs) => {
      views.add(record, startUs);
    });
    imports.push({ file, ...report });
  }
  rejected?.flush();
  const { byTry, byRequest } = views.finish();
  return { imports, counts: byTry, byRequest };
}

/** In the database: the objective is SQL. */
async function judgeParquet(
  files: readonly string[],
  objectives: readonly Objective[],
  plan: Plan,
): Promise<Judged> {
  const database = await openDuckDb({ threads: plan.threads, memoryLimit: plan.memory });
  try {
    const log = await openParquetLog(database, files, plan.mapping);
    const counts: LogCounts[] = [];
    for (const objective of objectives) {
      counts.push(await countParquetLog(database, log, objective, plan.by));
    }
    return { imports: [parquetReport(files, log, plan.mapping)], counts, byRequest: null };
  } finally {
    database.close();
  }
}

const COLUMN_OF: Readonly<Record<CoveredField, string>> = {
  startUs: 'start_us',
  ttftNs: 'ttft_planned_ns',
  e2eNs: 'e2e_planned_ns',
  gapsNs: 'gap_max_ns',
  promptTokens: 'prompt_tokens',
  outputTokens: 'output_tokens',
  finishReason: 'finish',
  httpStatus: 'http_status',
  model: 'model',
  tenant: 'tenant',
};

function parquetReport(
  files: readonly string[],
  log: ParquetLog,
  mapping: LogMapping | null,
): LogJudgement['imports'][number] {
  const fields = mapping === null ? null : mappedFormat(mapping).fields;
  return {
    file: files.length === 1 ? (files[0] as string) : `${files[0]} and ${files.length - 1} more`,
    format: 'parquet',
    title:
      mapping === null ? "Parquet with goodput's columns" : 'Parquet, columns by the mapping file',
    requests: log.rows,
    rejected: log.rejected.reduce((sum, { count }) => sum + count, 0),
    samples: log.rejected.map(({ reason, firstRow }) => ({ line: firstRow, reason })),
    fields: (Object.entries(COLUMN_OF) as [CoveredField, string][]).map(([field, column]) => {
      const present = log.present[column] ?? 0;
      const own = { how: present > 0 ? 'measured' : 'absent', from: column } as const;
      const origin =
        fields === null ? own : (fields[field] ?? { how: 'absent' as const, from: '' });
      return { field, ...origin, present };
    }),
    findings: log.findings,
  };
}

function shown(judgement: LogJudgement, format: JudgeLogsOptions['format'], width: number): string {
  switch (format) {
    case 'text':
      return terminalLogReport(judgement, width);
    case 'md':
      return markdownLogReport(judgement);
    case 'csv':
      return csvLogReport(judgement);
    case 'json':
      return jsonOf(judgement);
    default:
      return assertNever(format);
  }
}

/** All windows, with their instants as text too. */
function jsonOf(judgement: LogJudgement): string {
  const dated = (one: LogWindow): object => ({
    from: one.fromUs === null ? null : isoInstant(one.fromUs),
    to: one.toUs === null ? null : isoInstant(one.toUs),
    ...one,
  });
  const tableOf = ({ windows, strata, total, ...rest }: LogJudgement['table']): object => ({
    ...rest,
    windows: windows.map(dated),
    strata: strata.map(dated),
    total: dated(total),
  });
  const value = {
    kind: 'logJudgement',
    schemaVersion: 1,
    ...judgement,
    table: tableOf(judgement.table),
    requests:
      judgement.requests === null
        ? null
        : { ...judgement.requests, table: tableOf(judgement.requests.table) },
    whatIfs: judgement.whatIfs.map(({ text, table }) => ({ text, table: tableOf(table) })),
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

function exitCodeOf({ targets, table }: LogJudgement, requireProof: boolean): ExitCode {
  if (targets.some(({ state }) => state === 'missed')) return EXIT_CODES.objectiveMissed;
  if (!requireProof || targets.length === 0) return EXIT_CODES.fine;
  const { interval } = table.total.attainment;
  const proven =
    targets.every(({ state }) => state === 'met') &&
    interval !== null &&
    interval.low >= table.targetShare;
  return proven ? EXIT_CODES.fine : EXIT_CODES.notProven;
}

function limitsFirstAnswer({ request, population }: Objective): boolean {
  return (
    request.firstAnswerNs !== null ||
    population.quantiles.some(({ measure }) => measure === 'firstAnswer')
  );
}

function notInLogs(): ProblemsError {
  return new ProblemsError([
    usageProblem(
      'E_UNSUPPORTED',
      'a log does not tell the first answer from the thinking before it',
      'judge ttft<=…, or judge a load test: goodput judge RUN',
    ),
  ]);
}
