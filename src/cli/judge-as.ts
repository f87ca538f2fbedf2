/** `goodput judge … --as TOOL`: the figures that another tool would have printed of these records. */
import { basename } from 'node:path';
import { EXIT_CODES, NS_PER_US, printable, ProblemsError, type ExitCode } from '../base/index.ts';
import { correctnessOf, readObjective } from '../config/index.ts';
import {
  bridgeOf,
  CONVENTIONS,
  SampleBuilder,
  type Bridge,
  type ConventionName,
  type Sample,
} from '../conventions/index.ts';
import { mappedFormat, type LogFormat } from '../importers/index.ts';
import { movedRecord } from '../logs/index.ts';
import type { ManifestPoint, RequestRecord } from '../record/index.ts';
import { markdownBridge, terminalBridge } from '../report/index.ts';
import { plainObjective, type Objective } from '../slo/index.ts';
import { openRun } from '../store/index.ts';
import type { CommandContext } from './context.ts';
import { namedLogFormat, readLogMapping } from './log-options.ts';
import { readLog } from './read-log.ts';
import { configContext, readSlo } from './read-spec.ts';
import { specOfRun } from './stored-run.ts';

export interface JudgeAsOptions {
  readonly as: ConventionName;
  readonly slo?: string;
  readonly logFormat?: string;
  readonly mapping?: string;
  readonly explain: boolean;
  readonly quiet: boolean;
  readonly format: 'text' | 'json' | 'md' | 'csv';
}

/** One bridge per load point of a stored run. Nothing is decided by it, so it always ends well. */
export async function judgeRunAs(
  dir: string,
  options: JudgeAsOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const run = await openRun(dir);
  const spec = specOfRun(run, context);
  const { manifest } = run;
  const objective =
    options.slo === undefined ? spec.objective : readSlo(options.slo, spec, context);
  const bridges: Bridge[] = [];
  // Point by point: each needs all of its requests at once.
  for (const point of manifest.points) {
    const builder = new SampleBuilder({
      point,
      objective,
      correctness: correctnessOf(spec),
      exactOutput: manifest.counting.exactOutput,
      prefixCache: manifest.prefixCache,
      hasInstants: true,
    });
    for await (const record of run.records(point.index)) builder.add(record);
    bridges.push(bridgeOf(CONVENTIONS[options.as], builder.finish()));
  }
  if (!options.quiet) {
    for (const { message } of run.problems) context.stderr(`note: ${printable(message)}\n`);
  }
  show(bridges, options, context);
  return EXIT_CODES.fine;
}

/** One bridge over all requests of the log files. */
export async function judgeLogsAs(
  files: readonly string[],
  options: JudgeAsOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const objective = options.slo === undefined ? null : readLogSlo(options.slo, context);
  const format = readFormat(options, context);
  const logged: LoggedRecord[] = [];
  for (const file of files) {
    await readLog(file, { format, rejects: null, windowed: false }, (record, startUs) => {
      logged.push({ record, startUs });
    });
  }
  const [file] = files;
  const label = files.length === 1 && file !== undefined ? basename(file) : `${files.length} logs`;
  const sample = sampleOfLogs(logged, label, objective);
  show([bridgeOf(CONVENTIONS[options.as], sample)], options, context);
  return EXIT_CODES.fine;
}

interface LoggedRecord {
  readonly record: RequestRecord;
  /** Microseconds since 1970; 0 where the log does not say. */
  readonly startUs: number;
}

/** The records on one time axis, from the first start on. */
export function sampleOfLogs(
  logged: readonly LoggedRecord[],
  label: string,
  objective: Objective | null,
): Sample {
  const firstUs = logged.reduce((least, { startUs }) => Math.min(least, startUs), Infinity);
  // Rows that do not tell when they began have no place among those that do.
  const plannedNs = (startUs: number): number =>
    firstUs > 0 ? (startUs - firstUs) * NS_PER_US : 0;
  const lastNs = logged.reduce((most, { startUs }) => Math.max(most, plannedNs(startUs)), 0);
  const builder = new SampleBuilder({
    point: { ...LOGS, label, stopNs: lastNs + 1 },
    objective,
    correctness: plainObjective(),
    exactOutput: false,
    prefixCache: 'unknown',
    hasInstants: lastNs > 0,
  });
  for (const { record, startUs } of logged) {
    const byNs = plannedNs(startUs) - (record.dispatch.plannedNs ?? 0);
    builder.add({ ...movedRecord(record, byNs), pointIndex: LOGS.index });
  }
  return builder.finish();
}

/** What is not known of the load behind logs. Called closed, so that no warm-up is looked for. */
const LOGS: ManifestPoint = {
  index: 0,
  kind: 'trace',
  level: 1,
  label: 'logs',
  closedLoop: true,
  offeredRps: null,
  steadyFromNs: null,
  stopNs: 0,
  partial: false,
  stopReason: 'duration',
  recordCount: null,
  generator: null,
};

/** `null` = recognised by the first row. Errors: ProblemsError. */
function readFormat(
  { logFormat, mapping }: JudgeAsOptions,
  context: CommandContext,
): LogFormat | null {
  if (mapping !== undefined) return mappedFormat(readLogMapping(mapping, context));
  if (logFormat === undefined) return null;
  const named = namedLogFormat(logFormat);
  if ('code' in named) throw new ProblemsError([named]);
  return named;
}

function readLogSlo(slo: string, context: CommandContext): Objective {
  const read = readObjective(slo, configContext(context));
  if ('problems' in read) throw new ProblemsError(read.problems);
  return read.objective;
}

function show(
  bridges: readonly Bridge[],
  { format, explain }: JudgeAsOptions,
  context: CommandContext,
): void {
  switch (format) {
    case 'json':
      return context.stdout(
        `${JSON.stringify({ kind: 'conventionBridges', schemaVersion: 1, bridges }, null, 2)}\n`,
      );
    case 'md':
      return context.stdout(markdownBridge(bridges, { explain }));
    default:
      return context.stdout(terminalBridge(bridges, { width: context.columns, explain }));
  }
}
