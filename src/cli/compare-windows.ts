/** The windows of `goodput compare`: switching, resetting, measuring, each with its progress. */
import { join } from 'node:path';
import { createRealClock } from '../base/index.ts';
import {
  awaitTarget,
  type ExperimentEvent,
  type MeasuredWindow,
  type PairPorts,
  type PairWindow,
  simulateRun,
} from '../experiment/index.ts';
import type { ComparePlan } from './compare-plan.ts';
import type { CommandContext } from './context.ts';
import { readTextFile } from './files.ts';
import type { Interrupts } from './interrupts.ts';
import { type ProgressLine, progressLine } from './progress.ts';
import { readKey } from './read-spec.ts';
import { runLoad } from './run-load.ts';
import { runShellCommand } from './shell-command.ts';
import { TOOL_VERSION } from './version.ts';

export interface WindowSettings {
  readonly quiet: boolean;
  /** Replace earlier windows. */
  readonly force: boolean;
  readonly interrupts: Interrupts;
}

export function pairPorts(
  plan: ComparePlan,
  settings: WindowSettings,
  context: CommandContext,
): PairPorts {
  const { sides, specs, reset } = plan;
  const say = (text: string): void => {
    if (!settings.quiet) context.stderr(`${text}\n`);
  };
  const variables = (side: PairWindow['side']) => ({
    GOODPUT_SIDE: side,
    GOODPUT_URL: specs[side].target.url,
  });
  return {
    async enter(side) {
      if (sides.kind !== 'switched') return;
      say(`switching to ${side.toUpperCase()}`);
      await runShellCommand(sides.commands[side], variables(side), context);
      const ports = {
        clock: createRealClock(),
        wallNowMs: () => Date.now(),
        readText: readTextFile,
        apiKey: readKey(specs[side], context),
        stopStarts: settings.interrupts.stopStarts,
      };
      await awaitTarget(specs[side], ports, sides.readyNs);
    },
    async reset({ side }) {
      if (reset !== null) await runShellCommand(reset, variables(side), context);
    },
    measure: (window) => {
      say(`pair ${window.pair + 1} of ${plan.pairs}, ${window.side.toUpperCase()}`);
      return measureWindow(window, plan, settings, context);
    },
  };
}

/** Windows of an A/A comparison lie apart, so that an A/B one may share the folder. */
function windowDir({ dir, isNoiseFloor }: ComparePlan, { pair, side }: PairWindow): string {
  const number = String(pair + 1).padStart(2, '0');
  return join(dir, `${isNoiseFloor ? 'a-a' : 'pair'}-${number}-${side}`);
}

async function measureWindow(
  window: PairWindow,
  plan: ComparePlan,
  settings: WindowSettings,
  context: CommandContext,
): Promise<MeasuredWindow | null> {
  const { sides, specs } = plan;
  const { force, interrupts } = settings;
  const { side } = window;
  const spec = { ...window.spec, target: specs[side].target };
  const dir = windowDir(plan, window);
  const { quiet } = settings;
  const progress = windowProgress(window, progressLine(context, { quiet, tellsPlan: false }));
  if (sides.kind !== 'simulated') {
    const result = await runLoad(spec, context, { dir, force, interrupts, progress });
    return result === null ? null : { ...result, dir };
  }
  const result = await simulateRun(spec, sides.services[side], {
    readText: readTextFile,
    toolVersion: TOOL_VERSION,
    dir,
    force,
    startedAt: new Date().toISOString(),
    stopStarts: interrupts.stopStarts,
    cancelAll: interrupts.cancelAll,
    notify: progress.notify,
  });
  return { ...result, dir };
}

/** What each window's plan and target say is the same for all: once for each side is enough. */
function windowProgress({ pair }: PairWindow, progress: ProgressLine): ProgressLine {
  const notify = (event: ExperimentEvent): void => {
    const repeats = event.kind === 'ready' || event.kind === 'note';
    if (!(repeats && pair > 0)) progress.notify(event);
  };
  return { ...progress, notify };
}
