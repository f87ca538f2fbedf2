/** A log file as values with their lines: NDJSON, one JSON document, or CSV; each may be `.gz`. */
import { createReadStream, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import { EnvironmentError, NS_PER_US, printable, ProblemsError } from '../base/index.ts';
import {
  isObject,
  LogImport,
  OWN_RECORDS,
  recogniseLog,
  type ImportReport,
  type LogFormat,
} from '../importers/index.ts';
import { recordOfLogged } from '../logs/index.ts';
import { isRecordProblem, parseRecordLine, type RequestRecord } from '../record/index.ts';
import { MANIFEST_FILE, openRun, readLineBatches } from '../store/index.ts';
import { readTextFile } from './files.ts';

/** A longer line is cut, and then no JSON. */
const LINE_LIMIT_BYTES = 64 * 1_024 * 1_024;

/** Takes the requests of a log, each with its start in microseconds since 1970 (0 = none told). */
export type RecordSink = (record: RequestRecord, startUs: number) => void;

/** Takes broken rows. */
interface Rejects {
  readonly push: (line: string) => unknown;
}

export interface ReadLogOptions {
  /** `null` = recognised by the first value. */
  readonly format: LogFormat | null;
  /** Gets every broken row as a line of JSON; `null` = they are only counted. */
  readonly rejects: Rejects | null;
  /** Whether starts must be clock time: own records without their manifest are refused then. */
  readonly windowed: boolean;
}

/**
 * Feeds every sound request of `file` to `sink`.
 * Errors: `ProblemsError` `E_LOG_FORMAT` when no format knows the file, or when its starts are no
 * clock time and that is needed.
 */
export async function readLog(
  file: string,
  options: ReadLogOptions,
  sink: RecordSink,
): Promise<ImportReport> {
  const name = file.replace(/\.gz$/, '');
  const intake = new LogIntake(file, { ...options, originUs: await runOriginUs(file) }, sink);
  if (name.endsWith('.csv')) await readCsv(file, intake);
  else if (!name.endsWith('.json') || !readDocument(file, intake)) await readNdjson(file, intake);
  return intake.report();
}

/** When the run started whose manifest is beside `file`, in microseconds since 1970; else `null`. */
async function runOriginUs(file: string): Promise<number | null> {
  const dir = dirname(file);
  if (!existsSync(join(dir, MANIFEST_FILE))) return null;
  try {
    const { manifest } = await openRun(dir);
    return Date.parse(manifest.startedAt) * 1e3;
  } catch (error) {
    // Other tools have files of that name too.
    if (error instanceof ProblemsError) return null;
    throw error;
  }
}

interface IntakeOptions extends ReadLogOptions {
  /** Of own records: microseconds since 1970 at their instant 0. */
  readonly originUs: number | null;
}

/** The state of one file on its way in. */
class LogIntake {
  readonly #file: string;
  readonly #sink: RecordSink;
  readonly #rejects: Rejects | null;
  readonly #windowed: boolean;
  readonly #originUs: number | null;
  readonly #early: { readonly line: number; readonly reason: string }[] = [];
  #import: LogImport | null = null;
  #index = 0;

  constructor(file: string, options: IntakeOptions, sink: RecordSink) {
    const { format } = options;
    this.#file = file;
    this.#sink = sink;
    this.#rejects = options.rejects;
    this.#windowed = options.windowed;
    this.#originUs = options.originUs;
    if (format !== null) this.#open(format);
  }

  line(text: string, line: number): void {
    if (text === '' || (text.charCodeAt(0) <= 32 && text.trim() === '')) return;
    if (this.#import?.format === OWN_RECORDS) {
      this.#ownRecord(text, line, this.#import);
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#reject(line, 'it is not JSON', text);
      return;
    }
    this.value(value, line);
  }

  value(value: unknown, line: number): void {
    const intake = this.#import ?? this.#open(this.#recognise(value, line));
    if (intake.format === OWN_RECORDS) {
      this.#ownRecord(JSON.stringify(value), line, intake);
      return;
    }
    const before = intake.rejectedCount;
    for (const request of intake.take(value, line)) {
      const startUs = request.startUs ?? 0;
      this.#sink(recordOfLogged(request, { index: this.#index, originUs: startUs }), startUs);
      this.#index += 1;
    }
    if (intake.rejectedCount > before) this.#writeAside(line, intake.lastReason, value);
  }

  report(): ImportReport {
    const report = (this.#import ?? this.#open(OWN_RECORDS)).report();
    if (report.requests > 0 || report.findings.length > 0) return report;
    throw new ProblemsError([
      {
        code: 'E_LOG_FORMAT',
        message: `no sound request in it (${report.rejected} broken rows)`,
        hint:
          report.samples[0] === undefined
            ? null
            : `line ${report.samples[0].line}: ${report.samples[0].reason}`,
        place: { file: this.#file, line: report.samples[0]?.line ?? 1, column: 1 },
      },
    ]);
  }

  #open(format: LogFormat): LogImport {
    const opened = new LogImport(format);
    for (const { line, reason } of this.#early) opened.reject(line, reason);
    this.#import = opened;
    return opened;
  }

  #recognise(value: unknown, line: number): LogFormat {
    if (isObject(value) && 'schemaVersion' in value && 'dispatch' in value) return OWN_RECORDS;
    const format = isObject(value) ? recogniseLog(value) : null;
    if (format !== null) return format;
    const keys = isObject(value) ? Object.keys(value).slice(0, 8).join(', ') : typeof value;
    throw new ProblemsError([
      {
        code: 'E_LOG_FORMAT',
        message: `no log format knows this: it holds ${printable(keys)}`,
        hint: 'say which columns hold what in a mapping file: --mapping FILE (docs/guides/judge-logs.md)',
        place: { file: this.#file, line, column: 1 },
      },
    ]);
  }

  /** Our own records are checked by their own reader. */
  #ownRecord(text: string, line: number, intake: LogImport): void {
    const record = parseRecordLine(text, { file: this.#file, line });
    if (isRecordProblem(record)) {
      this.#reject(line, record.message, text);
      return;
    }
    intake.countOwn(record);
    const sinceUs = Math.floor((record.dispatch.plannedNs ?? 0) / NS_PER_US);
    this.#sink(record, this.#ownOriginUs(line) + sinceUs);
  }

  /** Own records count from the start of their run, which only its manifest tells. */
  #ownOriginUs(line: number): number {
    if (this.#originUs !== null) return this.#originUs;
    if (!this.#windowed) return 0;
    throw new ProblemsError([
      {
        code: 'E_LOG_FORMAT',
        message: `records count from the start of their run, and no ${MANIFEST_FILE} beside them says when that was`,
        hint: 'keep them in their run folder, or judge without windows: --by bucket',
        place: { file: this.#file, line, column: 1 },
      },
    ]);
  }

  #reject(line: number, reason: string, row: unknown): void {
    if (this.#import === null) this.#early.push({ line, reason });
    else this.#import.reject(line, reason);
    this.#writeAside(line, reason, row);
  }

  #writeAside(line: number, reason: string, row: unknown): void {
    this.#rejects?.push(JSON.stringify({ file: this.#file, line, reason, row }));
  }
}

async function readNdjson(file: string, intake: LogIntake): Promise<void> {
  for await (const { lines, first } of readLineBatches(file, LINE_LIMIT_BYTES)) {
    for (let at = 0; at < lines.length; at += 1) intake.line(lines[at] as string, first + at);
  }
}

/** Whether the file is one JSON document; many files called `.json` are NDJSON. */
function readDocument(file: string, intake: LogIntake): boolean {
  let document: unknown;
  try {
    document = JSON.parse(readTextFile(file));
  } catch (error) {
    if (error instanceof EnvironmentError) throw error;
    return false;
  }
  const values: readonly unknown[] = Array.isArray(document) ? document : [document];
  for (const [at, value] of values.entries()) intake.value(value, at + 1);
  return true;
}

/** Rows under their header, as objects of texts. */
async function readCsv(file: string, intake: LogIntake): Promise<void> {
  const source = createReadStream(file);
  const parser = parse({
    bom: true,
    columns: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  const text = file.endsWith('.gz') ? source.pipe(createGunzip()) : source;
  for (const stream of [source, text]) stream.on('error', (error: Error) => parser.destroy(error));
  try {
    for await (const { info, record } of text.pipe(parser) as AsyncIterable<CsvRow>) {
      intake.value(record, info.lines);
    }
  } catch (cause) {
    if (cause instanceof ProblemsError) throw cause;
    throw new EnvironmentError({
      code: 'E_FILE_READ',
      message: `cannot read ${printable(file)}`,
      cause,
    });
  }
}

interface CsvRow {
  readonly info: { readonly lines: number };
  readonly record: Readonly<Record<string, string>>;
}
