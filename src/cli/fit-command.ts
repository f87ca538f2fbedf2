/** `goodput fit`: what a device makes of its data sheet, from measured runs. */
import type { Command } from 'commander';
import { EXIT_CODES, printable, ProblemsError, usageProblem } from '../base/index.ts';
import {
  calibrated,
  type FactorFit,
  type FitOptions,
  fitRoofline,
  type RunFit,
  type ServedRun,
  type ServerSetup,
} from '../calibration/index.ts';
import { axesBeyond, EMPTY_HULL, type ResidualError } from '../engine/index.ts';
import { parseModelConfig } from '../importers/index.ts';
import { formatOption, type Register } from './command.ts';
import type { CommandContext } from './context.ts';
import { DEVICE_NAMES, readDevice } from './device-option.ts';
import { readTextFile } from './files.ts';
import { imported, type MeasuredRun, readMeasuredRuns } from './measured-runs.ts';

interface FitFlags {
  readonly config: string;
  readonly device: string;
  readonly holdout?: readonly string[];
  readonly format: string;
  readonly tokenBudget?: string;
  readonly maxSequences?: string;
  readonly kvBlocks?: string;
  readonly blockSize: string;
  readonly tensorParallel?: string;
  readonly engines?: string;
  readonly asyncScheduling?: boolean;
}

export const fitCommand: Register = (program, context, finish) => {
  program
    .command('fit')
    .description(
      'Serves measured runs again on a simulated server, and looks for the factors on the device’s data\n' +
        'sheet (bandwidth, arithmetic, host time, link) under which the answers come when they really\n' +
        'came. Says what still differs and up to which load the result holds.',
    )
    .argument(
      '<records...>',
      'run folders (every load point counts as a run), or folders of LLMServingSim’s logs',
    )
    .requiredOption('--config <file>', 'config.json of the model, as Hugging Face keeps it')
    .requiredOption('--device <name|@file>', `${DEVICE_NAMES}, or a data sheet in YAML`)
    .option('--token-budget <tokens>', 'most tokens the server computes in a step')
    .option('--max-sequences <count>', 'most requests in a step')
    .option('--kv-blocks <count>', 'blocks of KV memory per engine. Left out: it never ran short')
    .option('--block-size <count>', 'tokens a block holds', '16')
    .option('--tensor-parallel <count>', 'devices that every layer is split over')
    .option('--async-scheduling', 'the server plans a step while the one before it runs')
    .option('--engines <count>', 'engines that share the requests and the experts')
    .option(
      '--holdout <records>',
      'a run that is not fitted, but predicted; may be repeated',
      (value: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), value],
    )
    .addOption(formatOption(': factors, hull, errors'))
    .action(async (paths: readonly string[], _options: unknown, self: Command) => {
      await fit(paths, self.opts<FitFlags>(), context);
      finish(EXIT_CODES.fine);
    });
};

async function fit(
  paths: readonly string[],
  flags: FitFlags,
  context: CommandContext,
): Promise<void> {
  const runs = (await Promise.all(paths.map(readMeasuredRuns))).flat();
  const holdouts = (await Promise.all((flags.holdout ?? []).map(readMeasuredRuns))).flat();
  const options = fitOptions(flags, [...runs, ...holdouts]);
  const served = (measured: readonly MeasuredRun[]): ServedRun[] =>
    measured.map((run) => ({ observed: run.observed, setup: setupOf(run, flags) }));
  const fitted = fitRoofline(served(runs), options);
  const heldOut =
    holdouts.length === 0 ? null : calibrated(served(holdouts), options, fitted.factors);
  const predicted = heldOut?.runs ?? [];
  context.stdout(
    flags.format === 'json' ? fitJson(fitted, predicted, options) : fitText(fitted, predicted),
  );
  const reached = heldOut?.costModel.calibration.hull ?? EMPTY_HULL;
  const beyond = axesBeyond(fitted.costModel.calibration, reached);
  if (beyond.length > 0) {
    const axes = beyond.map((axis) => `${axis} ${reached[axis]}`).join(', ');
    context.stderr(`note: the held-out runs go beyond the loads that were fitted: ${axes}\n`);
  }
  for (const { observed } of [...runs, ...holdouts]) {
    if (observed.leftOutCount === 0) continue;
    const count = `${observed.leftOutCount} requests`;
    context.stderr(
      `note: ${printable(observed.name)}: ${count} failed or cannot be counted, and are left out\n`,
    );
  }
}

function fitOptions(flags: FitFlags, runs: readonly MeasuredRun[]): FitOptions {
  const told = runs.flatMap(({ settings }) => settings ?? []);
  const tensor = agreed(
    flags.tensorParallel,
    '--tensor-parallel',
    told.map((s) => s.tensorParallel),
  );
  const engines = agreed(
    flags.engines,
    '--engines',
    told.map((s) => s.dataParallel),
  );
  const versions = [...new Set(told.map((s) => `vLLM ${s.engineVersion}`))];
  const shape = imported(parseModelConfig(readTextFile(flags.config), { file: flags.config }));
  return {
    shape,
    device: readDevice(flags.device),
    parallelism: { tensor, expertRanks: engines },
    provenance: [`fitted to ${runs.map(({ observed }) => observed.name).join(', ')}`, ...versions]
      .map((part) => printable(part))
      .join('; '),
  };
}

/** The flag, or what all files say; 1 where nobody says anything. */
function agreed(flag: string | undefined, name: string, told: readonly number[]): number {
  if (flag !== undefined) return countOf(name, flag);
  const values = [...new Set(told)];
  if (values.length <= 1) return values[0] ?? 1;
  const message = `the runs differ: ${name} ${values.join(' and ')}`;
  throw new ProblemsError([usageProblem('E_USAGE_CONFLICT', message, 'fit them one at a time')]);
}

function setupOf({ observed, settings }: MeasuredRun, flags: FitFlags): ServerSetup {
  const needed = (name: string, flag: string | undefined, told: number | undefined): number => {
    if (flag !== undefined) return countOf(name, flag);
    if (told !== undefined) return told;
    const message = `nothing says the server’s setting for ${printable(observed.name)}`;
    throw new ProblemsError([
      usageProblem('E_USAGE_MISSING', message, `add ${name} with the value the server ran with`),
    ]);
  };
  const memory = memoryOf(observed, settings, flags);
  return {
    limits: {
      tokenBudget: needed('--token-budget', flags.tokenBudget, settings?.tokenBudget),
      maxSequences: needed('--max-sequences', flags.maxSequences, settings?.maxSequences),
      maxWaiting: null,
      maxModelTokens: null,
      longPrefillTokenThreshold: null,
    },
    memory,
    plansAhead: flags.asyncScheduling ?? settings?.asyncScheduling ?? false,
    engines:
      flags.engines === undefined
        ? (settings?.dataParallel ?? 1)
        : countOf('--engines', flags.engines),
  };
}

/** Errors: ProblemsError when a request that was served would not fit. */
function memoryOf(
  { name, requests }: MeasuredRun['observed'],
  settings: MeasuredRun['settings'],
  flags: FitFlags,
): ServerSetup['memory'] {
  const { kvBlocks: written } = flags;
  const blocks =
    written === undefined ? (settings?.kvBlocks ?? null) : countOf('--kv-blocks', written);
  if (blocks === null) return null;
  const blockTokens = settings?.kvBlockTokens ?? countOf('--block-size', flags.blockSize);
  const longest = Math.max(...requests.map((each) => each.promptTokens + each.outputTokens));
  if (longest > blocks * blockTokens) {
    const message = `${blocks} blocks of ${blockTokens} tokens cannot hold a request of ${longest}`;
    throw new ProblemsError([
      usageProblem('E_USAGE_VALUE', `${message}, and ${printable(name)} has one`),
    ]);
  }
  return { blocks, blockTokens, prefixCaching: true, reserveFullPrompt: true };
}

function countOf(name: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new ProblemsError([
    usageProblem('E_USAGE_VALUE', `${name} ${printable(text)} is not a whole number, 1 or more`),
  ]);
}

function fitJson(fitted: FactorFit, predicted: readonly RunFit[], options: FitOptions): string {
  const { device, parallelism } = options;
  const { factors, costModel, runs } = fitted;
  const { calibration } = costModel;
  const all = { device, parallelism, factors, fitted: fitted.fitted, calibration, runs };
  return `${JSON.stringify({ ...all, holdouts: predicted }, null, 2)}\n`;
}

function fitText(fitted: FactorFit, predicted: readonly RunFit[]): string {
  const { factors } = fitted;
  const figures: Readonly<Record<keyof typeof factors, string>> = {
    bandwidthShare: `memory bandwidth  ${percent(factors.bandwidthShare)} of the data sheet`,
    computeShare: `arithmetic        ${percent(factors.computeShare)} of the data sheet`,
    stepOverheadSeconds: `per step          ${(factors.stepOverheadSeconds * 1e3).toFixed(2)} ms`,
    sequenceOverheadSeconds: `per request       ${(factors.sequenceOverheadSeconds * 1e6).toFixed(1)} µs`,
    exchangeSeconds: `per exchange      ${(factors.exchangeSeconds * 1e6).toFixed(1)} µs`,
    linkShare: `link bandwidth    ${percent(factors.linkShare)} of the data sheet`,
  };
  const { hull } = fitted.costModel.calibration;
  return [
    'factors',
    ...fitted.fitted.map((factor) => `  ${figures[factor]}`),
    'simulated against measured: mean, p99',
    ...fitted.runs.map((run) => `  fitted    ${runText(run)}`),
    ...predicted.map((run) => `  held out  ${runText(run)}`),
    'holds up to, in one step',
    ...(hull === null
      ? []
      : [
          `  ${hull.sequences} requests, ${hull.decodeContextTokens} tokens of context, ` +
            `${hull.prefillTokens} prompt tokens`,
        ]),
    '',
  ].join('\n');
}

function runText({ name, requests, residuals }: RunFit): string {
  const errors = residuals.map(({ measure, meanShare, p99Share }: ResidualError) => {
    return `${measure.toUpperCase()} ${signed(meanShare)}, ${signed(p99Share)}`;
  });
  return `${errors.join('   ')}   ${printable(name)} (${requests} requests)`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function signed(share: number): string {
  return `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)} %`;
}
