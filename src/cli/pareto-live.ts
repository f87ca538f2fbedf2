/** Draws for `goodput pareto` measured now: simulated, or on a server that a command restarts. */
import type { Command } from 'commander';
import { join } from 'node:path';
import { createRealClock, usageProblem } from '../base/index.ts';
import { RUN_FLAGS, type RunSpec } from '../config/index.ts';
import {
  awaitTarget,
  type ExperimentResult,
  type ParetoWindow,
  simulateRun,
  sweepPareto,
} from '../experiment/index.ts';
import type { ParetoDraw } from '../planner/index.ts';
import { givenRunFlags } from './command.ts';
import type { CommandContext } from './context.ts';
import { readTextFile } from './files.ts';
import type { Interrupts } from './interrupts.ts';
import { OptionReader } from './option-reader.ts';
import type { FrontierPlan, ParetoOptions } from './pareto-command.ts';
import { type ProgressLine, progressLine } from './progress.ts';
import { readKey, readSpec } from './read-spec.ts';
import { defaultRunDir, runLoad } from './run-load.ts';
import { runShellCommand } from './shell-command.ts';
import { readSimulatedSpec, readTarget, SIMULATED_FLAGS, standingIn } from './simulate-spec.ts';
import { TOOL_VERSION } from './version.ts';

export interface LiveDraws {
  readonly draws: readonly ParetoDraw[];
  readonly interrupted: boolean;
  /** The folder that holds a run folder for every window. */
  readonly dir: string;
}

interface LivePareto {
  readonly options: ParetoOptions;
  readonly spec: RunSpec;
  readonly batches: readonly (number | null)[];
  readonly readyNs: number;
  readonly dir: string;
  readonly interrupts: Interrupts;
  readonly context: CommandContext;
}

export async function drawLive(
  target: string | undefined,
  command: Command,
  plan: FrontierPlan,
  io: { readonly context: CommandContext; readonly interrupts: Interrupts },
): Promise<LiveDraws> {
  const live = { ...readLive(target, command, io.context), ...io };
  const { options, spec, batches, dir } = live;
  const progress = progressLine(io.context, { quiet: options.quiet });
  const say = (text: string): void => {
    if (!options.quiet) io.context.stderr(`${text}\n`);
  };
  const swept = await sweepPareto(
    spec,
    { batches, axes: plan.axes, drawsAsked: plan.drawsAsked },
    {
      enter: (batch) => restart(batch, live),
      measure: (window) => measureWindow(window, live, progress),
      onRepeat: (count) =>
        say(`${count} ${count === 1 ? 'point' : 'points'} of the frontier to draw again`),
    },
  );
  progress.end();
  return { ...swept, dir };
}

function readLive(
  target: string | undefined,
  command: Command,
  context: CommandContext,
): Omit<LivePareto, 'context' | 'interrupts'> {
  const given = command.opts<ParetoOptions>();
  const reader = new OptionReader();
  const isGiven = command.getOptionValueSource('maxSequences') === 'cli';
  const readyNs = reader.durationNs('--ready-timeout', given.readyTimeout, 'above0');
  for (const problem of misplaced(command, isGiven)) reader.add(problem);
  reader.finish();
  const spec = given.simulate
    ? readSimulatedSpec(target, command, context)
    : readSpec(target, givenRunFlags(command), context);
  const options = given.simulate ? { ...given, ...standingIn(spec.service, command) } : given;
  const batches =
    given.simulate || isGiven
      ? options.maxSequences.split(',').map((text) => reader.count('--max-sequences', text.trim()))
      : [null];
  reader.finish();
  const dir = spec.out ?? defaultRunDir(spec.name ?? 'pareto', new Date());
  const served = { ...options, ...standingIn(spec.service, command) };
  return { options: served, spec, batches, readyNs, dir };
}

const SERVER_ONLY: ReadonlySet<string> = new Set(['--restart', '--ready-timeout']);
const RUN_FLAG_NAMES: ReadonlySet<string> = new Set(RUN_FLAGS.map(({ flag }) => flag));

/** Options that would be read and ignored. */
function misplaced(command: Command, hasBatches: boolean) {
  const { simulate, restart: restartCommand } = command.opts<ParetoOptions>();
  const given = (name: string): boolean => command.getOptionValueSource(name) === 'cli';
  if (simulate) {
    return command.options
      .filter(
        ({ long }) =>
          long !== undefined &&
          (SERVER_ONLY.has(long) || (RUN_FLAG_NAMES.has(long) && !SIMULATED_FLAGS.has(long))),
      )
      .filter((option) => given(option.attributeName()))
      .map(({ long }) => usageProblem('E_USAGE_CONFLICT', `${long} does not go with --simulate`));
  }
  const serviceFlags = command.options.filter(
    (option) =>
      option.helpGroupHeading === 'Simulated service:' &&
      option.long !== '--max-sequences' &&
      given(option.attributeName()),
  );
  const problems = serviceFlags.map((option) =>
    usageProblem('E_USAGE_CONFLICT', `${option.long ?? option.flags} needs --simulate`),
  );
  if (hasBatches && restartCommand === undefined) {
    problems.push(
      usageProblem(
        'E_USAGE_MISSING',
        '--max-sequences needs --restart, or --simulate',
        'say how to restart the server with $GOODPUT_MAX_SEQUENCES',
      ),
    );
  }
  if (!hasBatches && restartCommand !== undefined) {
    problems.push(
      usageProblem('E_USAGE_MISSING', '--restart needs --max-sequences', 'say with which: 64,128'),
    );
  }
  return problems;
}

/** Errors: ProblemsError, EnvironmentError when the command fails or the server does not come back. */
async function restart(batch: number | null, live: LivePareto): Promise<void> {
  const { options, spec, context, interrupts, readyNs } = live;
  if (options.restart === undefined || batch === null) return;
  if (!options.quiet) context.stderr(`restarting the server with ${batch} sequences at most\n`);
  const variables = { GOODPUT_MAX_SEQUENCES: String(batch) };
  await runShellCommand(options.restart, variables, context);
  await awaitTarget(
    spec,
    {
      clock: createRealClock(),
      wallNowMs: () => Date.now(),
      readText: readTextFile,
      apiKey: readKey(spec, context),
      stopStarts: interrupts.stopStarts,
    },
    readyNs,
  );
}

/** A run folder a window: `batch-16-draw-2`, as a later `goodput pareto` reads it. */
function measureWindow(
  { batch, draw, spec }: ParetoWindow,
  live: LivePareto,
  progress: ProgressLine,
): Promise<ExperimentResult | null> {
  const { options, context, interrupts, dir } = live;
  const name = batch === null ? `draw-${draw}` : `batch-${batch}-draw-${draw}`;
  const folder = { dir: join(dir, name), force: options.force };
  if (!options.simulate) return runLoad(spec, context, { ...folder, interrupts, progress });
  const { target } = readTarget({ ...options, maxSequences: String(batch) });
  return simulateRun(spec, target, {
    ...folder,
    readText: readTextFile,
    toolVersion: TOOL_VERSION,
    startedAt: new Date().toISOString(),
    stopStarts: interrupts.stopStarts,
    cancelAll: interrupts.cancelAll,
    notify: progress.notify,
  });
}
