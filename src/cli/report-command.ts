/** `goodput report`: stored runs rendered again: on the terminal, as Markdown, as a page. */
import type { Command } from 'commander';
import { EXIT_CODES, ProblemsError, usageProblem } from '../base/index.ts';
import { storedCapacity, storedServer } from '../experiment/index.ts';
import { pullRequestSummary, terminalCapacity } from '../report/index.ts';
import { addShowOptions, type OutputFormat, type Register, type ShowOptions } from './command.ts';
import type { CommandContext } from './context.ts';
import {
  type JudgedRun,
  type ReportOutputs,
  wantsFiles,
  writeReportFiles,
} from './report-files.ts';
import { showSummary } from './show-summary.ts';
import { judgeStoredRun } from './stored-run.ts';
import { writeTraceFile } from './trace-file.ts';

interface ReportOptions extends Omit<ShowOptions, 'format'>, ReportOutputs {
  readonly format: OutputFormat | 'pr';
  readonly chromeTrace?: string;
}

export const reportCommand: Register = (program, context, finish) => {
  const command = program
    .command('report')
    .description(
      'Makes the summary of a stored run again from its records, with the objective it was made\n' +
        'with, and shows it. Works on runs that were interrupted or crashed. Of a capacity search it shows\n' +
        'what the search concluded; json and md show its windows as a run. --html writes a page with\n' +
        'every chart that needs no network and no scripts; several runs stand beside each other on it.',
    )
    .argument('<runs...>', 'run folders; several only with --html, --csv or --svg')
    .optionsGroup('Files:')
    .option('--html <file>', 'write one self-contained page: verdict, validity, charts, settings')
    .option('--csv <folder>', 'write the figures behind every chart of the page')
    .option('--svg <folder>', 'write every chart of the page as a picture')
    .option(
      '--chrome-trace <file>',
      'write the steps of one simulation (--steps) for Perfetto or chrome://tracing',
    )
    .optionsGroup('Output:');
  addReportFormat(addShowOptions(command))
    .addHelpText('after', EXAMPLES)
    .action(async (dirs: readonly string[], options: ReportOptions) => {
      await report(dirs, options, context);
      finish(EXIT_CODES.fine);
    });
};

const EXAMPLES = `
Examples:
  goodput report runs/checkout --html checkout.html
  goodput report runs/before runs/after --html change.html
  goodput report runs/checkout --svg slides --csv figures
  goodput report runs/simulated --chrome-trace steps.json
  goodput report runs/checkout --format pr >> pull-request.md`;

/** `--format` with one more way to write a run. */
function addReportFormat(command: Command): Command {
  const format = command.options.find(({ long }) => long === '--format');
  if (format !== undefined) {
    format.choices(['text', 'json', 'md', 'pr']);
    format.description = 'text for people, json alone on stdout, md in full, pr in ten lines';
  }
  return command;
}

async function report(
  dirs: readonly string[],
  options: ReportOptions,
  context: CommandContext,
): Promise<void> {
  if (dirs.length > 1 && !wantsFiles(options)) {
    const message = 'several runs are shown beside each other only on a page';
    const hint = 'add --html FILE, or see goodput compare';
    throw new ProblemsError([usageProblem('E_USAGE_CONFLICT', message, hint)]);
  }
  if (dirs.length > 1 && options.chromeTrace !== undefined) {
    throw new ProblemsError([usageProblem('E_USAGE_CONFLICT', 'a trace is of one run')]);
  }
  const judged: JudgedRun[] = [];
  for (const dir of dirs) {
    judged.push(await judgeStoredRun(dir, (spec) => spec.objective, context));
  }
  const files = wantsFiles(options) ? await writeReportFiles(judged, options, context) : [];
  const [first] = judged;
  if (first !== undefined && options.chromeTrace !== undefined) {
    await writeTraceFile(first, options.chromeTrace);
    files.push(options.chromeTrace);
  }
  if (judged.length > 1 || first === undefined) {
    for (const path of files) context.stderr(`wrote ${path}\n`);
    return;
  }
  await show(first, options, [...dirs, ...files], context);
}

async function show(
  { run, summary }: JudgedRun,
  options: ReportOptions,
  files: readonly string[],
  context: CommandContext,
): Promise<void> {
  const { format, explain } = options;
  if (format === 'pr') return context.stdout(pullRequestSummary(summary, run.manifest));
  const capacity = format === 'text' ? await storedCapacity(run) : null;
  if (capacity !== null) {
    const { columns: width, color } = context;
    context.stdout(terminalCapacity(capacity, { width, color, explain, files }));
    return;
  }
  const servers = await storedServer(run);
  const result = { summary, manifest: run.manifest, servers };
  showSummary(context, result, { ...options, format, files });
}
