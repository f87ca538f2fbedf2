/** `goodput judge`: a stored run, or production logs, against an objective. No traffic. */
import { type Command, Option } from 'commander';
import { type ExitCode, ProblemsError, usageProblem } from '../base/index.ts';
import { runExitCode, storedServer } from '../experiment/index.ts';
import { CONVENTION_NAMES, type ConventionName } from '../conventions/index.ts';
import { addProofOption, type OutputFormat, type Register } from './command.ts';
import type { CommandContext } from './context.ts';
import { judgeLogsAs, judgeRunAs, refuseBesideAs } from './judge-as.ts';
import { judgeRunSpans } from './judge-spans.ts';
import { isRunFolder, judgeLogs, type JudgeLogsOptions } from './judge-logs.ts';
import { readSlo } from './read-spec.ts';
import { judgeStoredRun } from './stored-run.ts';
import { showSummary } from './show-summary.ts';

interface JudgeOptions extends JudgeLogsOptions {
  readonly explain: boolean;
  readonly quiet: boolean;
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
      'logs: the format, where it should not be recognised by its first row',
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
  if (spans !== undefined) {
    return await judgeRunSpans(onlyRun(paths, self), { ...options, spans }, context);
  }
  if (as !== undefined) refuseBesideAs(paths, self);
  const runs = paths.filter(isRunFolder);
  if (runs.length === 0) {
    return as === undefined
      ? await judgeLogs(paths, options, context)
      : await judgeLogsAs(paths, { ...options, as }, context);
  }
  refuseMixture(paths, runs, options);
  const dir = runs[0] as string;
  return as === undefined
    ? await judgeRun(dir, options, context)
    : await judgeRunAs(dir, { ...options, as }, context);
}

/** One run at a time, and none of the options that only logs have. */
function refuseMixture(
  paths: readonly string[],
  runs: readonly string[],
  options: JudgeOptions,
): void {
  const only = [
    ['--log-format', options.logFormat],
    ['--mapping', options.mapping],
    ['--rejects', options.rejects],
    ['--counts', options.counts],
    ['--html', options.html],
    ['--what-if', options.whatIf[0]],
    ['--format csv', options.format === 'csv' ? '' : undefined],
  ] as const;
  const problems = only
    .filter(([, value]) => value !== undefined)
    .map(([flag]) =>
      usageProblem('E_USAGE_CONFLICT', `${flag} is for logs, and ${runs[0]} is a run`),
    );
  if (paths.length > 1) {
    problems.push(
      usageProblem('E_USAGE_CONFLICT', 'one run at a time, and not together with logs'),
    );
  }
  if (problems.length > 0) throw new ProblemsError(problems);
}

/** The one run whose requests are joined with spans, which gives no verdict. */
function onlyRun(paths: readonly string[], self: Command): string {
  const [dir = '', ...more] = paths;
  const problems =
    more.length > 0 || !isRunFolder(dir)
      ? [usageProblem('E_USAGE_CONFLICT', '--spans goes with one run folder, and no logs')]
      : [];
  for (const option of self.options) {
    const name = option.attributeName();
    const isGiven = self.getOptionValueSource(name) === 'cli';
    if (isGiven && !['spans', 'slo', 'format', 'quiet'].includes(name)) {
      problems.push(
        usageProblem(
          'E_USAGE_CONFLICT',
          `${option.long} does not go with --spans, which gives no verdict`,
        ),
      );
    }
  }
  if (self.opts()['format'] === 'csv') {
    problems.push(usageProblem('E_USAGE_CONFLICT', '--format csv is for logs'));
  }
  if (problems.length > 0) throw new ProblemsError(problems);
  return dir;
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
