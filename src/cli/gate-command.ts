/** `goodput gate`: may this change go out? */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { usageProblem } from '../base/index.ts';
import { DEFAULT_MINIMUM_EFFECTS } from '../comparison/index.ts';
import { questionOf, systemFacts } from '../experiment/index.ts';
import {
  budgetChecks,
  comparisonCheck,
  type Facts,
  type GateCheck,
  gateExitCode,
  stalenessCheck,
} from '../gate/index.ts';
import { changeWords, junitGate, markdownGate, terminalGate } from '../report/index.ts';
import { openRun } from '../store/index.ts';
import { writeTextFile } from './files.ts';
import { addBudgetOptions, type BudgetOptions, readBudget } from './budget-options.ts';
import { addProofOption, formatOption, type Register } from './command.ts';
import { compareBaseline, compareStored } from './compare-stored-runs.ts';
import type { CommandContext } from './context.ts';
import { OptionReader } from './option-reader.ts';
import { specOfRun } from './stored-run.ts';

interface GateOptions extends BudgetOptions {
  readonly baseline?: string;
  readonly last: string;
  readonly budget?: string;
  readonly budgetLeft: string;
  readonly capacity?: string;
  readonly refuseStale: boolean;
  readonly junit?: string;
  readonly stepSummary?: string;
  readonly format: 'text' | 'json';
  readonly requireProof: boolean;
}

export const gateCommand: Register = (program, context, finish) => {
  const command = program
    .command('gate')
    .description(
      'Blocks a risky change: a run that is worse than its baseline, a budget too small to risk one, a\n' +
        'capacity that was measured on something else. Exits 3 when blocked, 4 when a measurement cannot\n' +
        'be trusted.',
    )
    .argument('[run]', 'run folder of the change')
    .option('--baseline <folder>', 'a run to be no worse than, or a folder of earlier runs')
    .option('--last <count>', 'earlier runs that are looked at', '10')
    .option('--budget <counts>', 'counts or a judgement of logs, as goodput budget reads them')
    .option('--budget-left <share>', 'part of each budget that must be left', '20%')
    .option('--capacity <folder>', 'capacity search that the plans rest on: warn when it is stale')
    .option('--refuse-stale', 'block on a stale capacity instead', false)
    .option('--junit <file>', 'write JUnit XML')
    .option('--step-summary <file>', 'append Markdown, e.g. to "$GITHUB_STEP_SUMMARY"');
  addProofOption(addBudgetOptions(command).addOption(formatOption(', the checks')))
    .addHelpText(
      'after',
      `
Examples:
  goodput gate runs/tonight --baseline runs/released --junit gate.xml
  goodput gate --budget counts.ndjson --slo "attainment>=97%" --budget-left 20%
  goodput gate runs/tonight --capacity runs/capacity --refuse-stale`,
    )
    .action(async (run: string | undefined, options: GateOptions, self: Command) => {
      const checks = await gateChecks(run, options, self, context);
      const { junit, stepSummary, format } = options;
      if (junit !== undefined) writeTextFile(junit, junitGate(checks));
      if (stepSummary !== undefined) {
        writeTextFile(stepSummary, markdownGate(checks), { flag: 'a' });
      }
      context.stdout(
        format === 'json' ? `${JSON.stringify({ checks }, null, 2)}\n` : terminalGate(checks),
      );
      finish(gateExitCode(checks, options.requireProof));
    });
};

async function gateChecks(
  run: string | undefined,
  options: GateOptions,
  command: Command,
  context: CommandContext,
): Promise<GateCheck[]> {
  const { baseline, budget, capacity } = options;
  const reader = new OptionReader();
  const leastLeft = reader.share('--budget-left', options.budgetLeft);
  if (baseline === undefined && budget === undefined && capacity === undefined) {
    const hint = 'add --baseline, --budget or --capacity';
    reader.add(usageProblem('E_USAGE_MISSING', 'there is nothing to decide by', hint));
  }
  if (run === undefined && (baseline !== undefined || capacity !== undefined)) {
    reader.add(
      usageProblem('E_USAGE_MISSING', 'the run of the change is missing', 'goodput gate RUN …'),
    );
  }
  if (
    run !== undefined &&
    budget !== undefined &&
    baseline === undefined &&
    capacity === undefined
  ) {
    const hint = 'add --baseline or --capacity, or leave the run out';
    reader.add(usageProblem('E_USAGE_CONFLICT', 'nothing is asked of the run', hint));
  }
  refuseUnasked(options, command, reader);
  reader.finish();
  const checks: GateCheck[] = [];
  if (run !== undefined && baseline !== undefined) {
    checks.push(await againstBaseline(run, baseline, options, context));
  }
  if (budget !== undefined) {
    checks.push(...budgetChecks(readBudget(budget, options, context), leastLeft));
  }
  if (run !== undefined && capacity !== undefined) {
    const [measured, now] = [await factsOf(capacity, context), await factsOf(run, context)];
    checks.push(stalenessCheck(measured, now, { blocks: options.refuseStale }));
  }
  return checks;
}

/** What says more of each question. */
const DETAILS = {
  baseline: ['last'],
  budget: ['budgetLeft', 'slo', 'quality', 'period', 'calendar', 'timeZone', 'at', 'annotations'],
  capacity: ['refuseStale'],
} as const satisfies Partial<Record<keyof GateOptions, readonly (keyof GateOptions)[]>>;

/** An option that says more of a question which is not asked would be read and ignored. */
function refuseUnasked(options: GateOptions, command: Command, reader: OptionReader): void {
  for (const question of ['baseline', 'budget', 'capacity'] as const) {
    if (options[question] !== undefined) continue;
    const names: readonly string[] = DETAILS[question];
    for (const option of command.options) {
      const name = option.attributeName();
      if (!names.includes(name) || command.getOptionValueSource(name) !== 'cli') continue;
      const message = `${option.long} is for --${question}, which is not given`;
      reader.add(usageProblem('E_USAGE_CONFLICT', message));
    }
  }
}

async function againstBaseline(
  run: string,
  baseline: string,
  { last }: GateOptions,
  context: CommandContext,
): Promise<GateCheck> {
  const effects = DEFAULT_MINIMUM_EFFECTS;
  const isRun = existsSync(join(baseline, 'manifest.json'));
  const comparison = isRun
    ? await compareStored([baseline, run], {}, effects, context)
    : await compareBaseline(run, { baseline, last, quiet: false }, effects, context);
  return comparisonCheck(comparison, changeWords);
}

/** What makes a capacity another one: the model, what serves it, and the mix it serves. */
async function factsOf(dir: string, context: CommandContext): Promise<Facts> {
  const run = await openRun(dir);
  const spec = specOfRun(run, context);
  const { model, workload } = questionOf(spec, run.manifest);
  // Where it answers, who measured it and from where do not change what it can take.
  const { target: _, goodput: __, host: ___, ...system } = systemFacts(spec, run.manifest);
  return { model, mix: workload, ...system };
}
