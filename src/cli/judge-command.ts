/** `goodput judge`: a stored run, or production logs, against an objective. No traffic. */
import { type Command, Option } from 'commander';
import type { ExitCode } from '../base/index.ts';
import { runExitCode, storedServer } from '../experiment/index.ts';
import { CONVENTION_NAMES, type ConventionName } from '../conventions/index.ts';
import { LOG_FORMATS } from '../importers/index.ts';
import { addProofOption, type OutputFormat, type Register } from './command.ts';
import type { CommandContext } from './context.ts';
import { judgeLogsAs, judgeRunAs } from './judge-as.ts';
import { judgeRunSpans } from './judge-spans.ts';
import { refuseMisplaced } from './judge-refusals.ts';
import { isRunFolder, judgeLogs, type JudgeLogsOptions } from './judge-logs.ts';
import { readSlo } from './read-spec.ts';
import { judgeStoredRun } from './stored-run.ts';
import { showSummary } from './show-summary.ts';

interface JudgeOptions extends JudgeLogsOptions {
  readonly explain: boolean;
  readonly as?: ConventionName;
  readonly spans?: readonly string[];
}

export const judgeCommand: Register = (program, context, finish) => {
  const command = program
    .command('judge')
    .description(
      'Judges every record of a stored run, or every request of production logs, against an\n' +
        'objective. Nothing is changed and no request is sent.\n' +
        'Exits 3 when the objective is missed at any load point, 4 when the run is invalid.',
    )
    .argument('<run|logs...>', 'run folder; or log files: NDJSON, JSON, CSV (.gz too), Parquet')
    .option(
      '--slo <expression|preset|@file>',
      'the objective; left out: the one the run was made with. Logs have none',
    )
    .addOption(
      new Option(
        '--format <format>',
        'text for people, json or csv alone on stdout, md for a pull request',
      )
        .choices(['text', 'json', 'md', 'csv'])
        .default('text'),
    )
    .option(
      '--explain',
      'of a run: add definitions, every window and every stratum; with --as p90 and p95',
      false,
    )
    .option('--quiet', 'no notes on stderr', false)
    .addOption(
      new Option(
        '--as <tool>',
        "no verdict: the figures that tool would have printed of these records, beside goodput's,\n" +
          'and why they differ (docs/guides/conventions.md)',
      ).choices(CONVENTION_NAMES),
    )
    .option(
      '--spans <file...>',
      'of a run: no verdict: where each request’s time went, by its servers’ own spans, OTLP JSON\n' +
        '(docs/guides/server-metrics.md)',
    );
  addLogOptions(command);
  addProofOption(command).action(async (paths: string[], options: JudgeOptions, self: Command) => {
    finish(await judge(paths, options, self, context));
  });
};

function addLogOptions(command: Command): void {
  command
    .option(
      '--by <window,labels>',
      'logs: length of a window, and bucket, tenant, class or model',
      '1h,bucket',
    )
    .option(
      '--log-format <name>',
      `logs: the format, where it should not be recognised by its first row: ${LOG_FORMATS.map(({ name }) => name).join(', ')}`,
    )
    .option('--mapping <file>', 'logs: YAML that says which columns hold what')
    .option('--rejects <file>', 'logs: write broken rows there, as they stood')
    .option(
      '--counts <file>',
      'logs: write the counts of each window there, one JSON object a line, for goodput budget and gate',
    )
    .option('--html <file>', 'logs: write one self-contained page: windows, p95s, budget, coverage')
    .addOption(
      new Option('--what-if <terms>', 'logs: judge with these terms replaced too; repeatable')
        .argParser((value: string, before: readonly string[]) => [...before, value])
        .default([], ''),
    )
    .option(
      '--least-count <n>',
      'logs: requests below which a window shows counts and no share',
      '30',
    )
    .option('--threads <n>', 'Parquet: threads of the database (default: all cores)')
    .option('--memory <size>', 'Parquet: memory of the database', '1GiB');
}

async function judge(
  paths: readonly string[],
  options: JudgeOptions,
  self: Command,
  context: CommandContext,
): Promise<ExitCode> {
  const { as, spans } = options;
  refuseMisplaced(paths, self);
  const dir = paths.find(isRunFolder);
  if (dir === undefined) {
    return as === undefined
      ? await judgeLogs(paths, options, context)
      : await judgeLogsAs(paths, { ...options, as }, context);
  }
  if (spans !== undefined) return await judgeRunSpans(dir, { ...options, spans }, context);
  return as === undefined
    ? await judgeRun(dir, options, context)
    : await judgeRunAs(dir, { ...options, as }, context);
}

async function judgeRun(dir: string, options: JudgeOptions, context: CommandContext) {
  const { slo } = options;
  const { run, summary } = await judgeStoredRun(
    dir,
    (spec) => (slo === undefined ? spec.objective : readSlo(slo, spec, context)),
    context,
  );
  const format = options.format as OutputFormat;
  const servers = await storedServer(run);
  const result = { summary, manifest: run.manifest, servers };
  showSummary(context, result, { ...options, format, files: [dir] });
  return runExitCode({
    summary,
    interrupted: false,
    sweep: false,
    requireProof: options.requireProof,
  });
}
