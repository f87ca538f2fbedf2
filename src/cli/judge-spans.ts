/** `goodput judge RUN --spans FILE`: where each request's time went, by its server's own span. */
import { EXIT_CODES, printable, ProblemsError, type ExitCode } from '../base/index.ts';
import { correctnessOf } from '../config/index.ts';
import { serverSpansOf } from '../importers/index.ts';
import { markdownSpans, type SpannedLoad, terminalSpans } from '../report/index.ts';
import { openRun, readLineBatches } from '../store/index.ts';
import { SpanIndex, TimePartsBuilder } from '../tracing/index.ts';
import type { CommandContext } from './context.ts';
import { readSlo } from './read-spec.ts';
import { specOfRun } from './stored-run.ts';

export interface JudgeSpansOptions {
  readonly spans: readonly string[];
  readonly slo?: string;
  readonly format: 'text' | 'json' | 'md' | 'csv';
  readonly quiet: boolean;
}

/** A longer line is cut, and then no JSON. */
const LINE_LIMIT_BYTES = 64 * 1_024 * 1_024;

/** One table per load point. Nothing is decided by it, so it always ends well. */
export async function judgeRunSpans(
  dir: string,
  options: JudgeSpansOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const run = await openRun(dir);
  const spec = specOfRun(run, context);
  const asked = options.slo === undefined ? spec.objective : readSlo(options.slo, spec, context);
  const objective = asked ?? correctnessOf(spec);
  const note = (text: string): void => {
    if (!options.quiet) context.stderr(`note: ${text}\n`);
  };
  const index = await readSpans(options.spans, note);
  const loads: SpannedLoad[] = [];
  for (const point of run.manifest.points) {
    const builder = new TimePartsBuilder(objective);
    for await (const record of run.records(point.index)) builder.add(record, index.spanOf(record));
    loads.push({ label: point.label, parts: builder.finish() });
  }
  for (const { message } of run.problems) note(printable(message));
  context.stdout(shown(loads, options.format, context.columns));
  return EXIT_CODES.fine;
}

function shown(
  loads: readonly SpannedLoad[],
  format: JudgeSpansOptions['format'],
  columns: number,
): string {
  if (format === 'json') return `${JSON.stringify({ kind: 'spanTimes', loads }, null, 2)}\n`;
  return format === 'md' ? markdownSpans(loads) : terminalSpans(loads, columns);
}

/** Errors: ProblemsError when a file holds no export at all; single broken lines are only counted. */
async function readSpans(
  files: readonly string[],
  note: (text: string) => void,
): Promise<SpanIndex> {
  const index = new SpanIndex();
  for (const file of files) {
    let exports = 0;
    let broken = 0;
    for await (const { lines } of readLineBatches(file, LINE_LIMIT_BYTES)) {
      for (const line of lines) {
        if (line.trim() === '') continue;
        const spans = serverSpansOf(jsonOf(line));
        if (spans === null) broken += 1;
        else exports += 1;
        for (const span of spans ?? []) index.add(span);
      }
    }
    if (exports === 0) {
      throw new ProblemsError([
        {
          code: 'E_LOG_FORMAT',
          message: 'this is no OTLP/JSON export of traces',
          hint: 'one ExportTraceServiceRequest a line, as the OpenTelemetry collector’s file exporter writes',
          place: { file, line: 1, column: 1 },
        },
      ]);
    }
    if (broken > 0) {
      note(`${printable(file)}: lines that are no export and were left out: ${broken}`);
    }
  }
  if (index.size === 0) {
    note(
      'no span tells a time of a request (gen_ai.latency.…): is the engine’s tracing on, and detailed?',
    );
  }
  return index;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
