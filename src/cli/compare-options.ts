/** The options of `goodput compare`, and which of them go with which way of comparing. */
import type { Command } from 'commander';
import { ProblemsError, usageProblem } from '../base/index.ts';
import { DEFAULT_MINIMUM_EFFECTS, type MinimumEffects } from '../comparison/index.ts';
import { RUN_FLAGS } from '../config/index.ts';
import { DEFAULT_PAIRS } from '../experiment/index.ts';
import { addRunFlags, addShowOptions, type ShowOptions } from './command.ts';
import type { OptionReader } from './option-reader.ts';
import { addServiceOptions, type ServiceFlags, SIMULATED_FLAGS } from './simulate-spec.ts';

export interface CompareOptions extends ShowOptions, ServiceFlags {
  readonly a?: string;
  readonly b?: string;
  readonly aA: boolean;
  readonly stepFactors?: string;
  readonly switchToA?: string;
  readonly switchToB?: string;
  readonly readyTimeout: string;
  readonly reset?: string;
  readonly pairs: string;
  readonly floor?: string;
  readonly force: boolean;
  readonly baseline?: string;
  readonly last: string;
  readonly at?: string;
  readonly minimumEffect: string;
  readonly minimumPoints: string;
  readonly markdown?: string;
  readonly junit?: string;
  readonly json?: string;
  readonly requireProof: boolean;
}

/**
 * - `targets`: two addresses in turn; `switched`: one address, switched by commands;
 * - `simulated`: the simulator, with steps of two lengths;
 * - `stored`: two run folders; `baseline`: one against earlier ones.
 */
export type CompareMode = 'targets' | 'switched' | 'simulated' | 'stored' | 'baseline';

const percent = (share: number): string => `${Number((share * 100).toPrecision(6))}%`;

export function addCompareOptions(command: Command): Command {
  command
    .optionsGroup('Two targets, measured in turn:')
    .option('--a <url>', 'address of side A; with --b, and the load as in goodput run')
    .option('--b <url>', 'address of side B')
    .option('--a-a', 'compare the target with itself: the noise floor, kept for later', false)
    .option('--switch-to-a <command>', 'shell command that makes side A answer at the one address')
    .option('--switch-to-b <command>', 'the same for side B')
    .option('--ready-timeout <duration>', 'wait this long for an answer after a switch', '10m')
    .option('--reset <command>', 'shell command before every window, to empty caches')
    .option(
      '--step-factors <a,b>',
      'simulate both sides, with every step so many times as long: 1,1.03',
    )
    .option('--pairs <count>', 'pairs of windows; even, and 6 or more', String(DEFAULT_PAIRS))
    .option('--floor <file>', 'noise floor to write or use. Left out: noise-floor.json in --out')
    .option('--force', 'replace earlier windows in --out', false)
    .optionsGroup('Stored runs:')
    .option('--baseline <folder>', 'compare the one run given with earlier ones in this folder')
    .option('--last <count>', 'at most so many earlier runs', '14')
    .option('--at <level>', 'load point to compare: rate, streams, users or time scale')
    .optionsGroup('Verdict:')
    .option(
      '--minimum-effect <share>',
      'changes below this do not matter: rates, latencies, capacity',
      percent(DEFAULT_MINIMUM_EFFECTS.relativeShare),
    )
    .option(
      '--minimum-points <share>',
      'the same for attainment and other shares, in points',
      percent(DEFAULT_MINIMUM_EFFECTS.pointsShare),
    )
    .option(
      '--require-proof',
      'exit 6 when it is not decided whether there is a difference',
      false,
    );
  command
    .optionsGroup('Output:')
    .option('--markdown <file>', 'write the comparison for a pull request')
    .option('--junit <file>', 'write JUnit XML, a test a metric')
    .option('--json <file>', 'write it as JSON');
  addShowOptions(command);
  addRunFlags(command.optionsGroup('Load and objective, as in goodput run:'));
  addServiceOptions(command.optionsGroup('Simulated service, with --step-factors:'));
  return command;
}

const OUTPUT = ['format', 'explain', 'quiet', 'markdown', 'junit', 'json', 'requireProof'];
const EFFECTS = ['minimumEffect', 'minimumPoints'];
const LIVE = ['aA', 'reset', 'pairs', 'floor', 'force'];
const MODE_OPTIONS: Readonly<Record<CompareMode, readonly string[]>> = {
  targets: ['a', 'b', ...LIVE],
  switched: ['switchToA', 'switchToB', 'readyTimeout', ...LIVE],
  simulated: ['stepFactors', 'pairs', 'floor', 'force', 'aA'],
  stored: ['at'],
  baseline: ['baseline', 'last', 'at'],
};

/** Which way the arguments and options ask for. Errors: ProblemsError when they ask for none. */
export function compareMode(positionals: readonly string[], options: CompareOptions): CompareMode {
  const { a, b, aA, stepFactors, switchToA, switchToB, baseline } = options;
  if (baseline !== undefined) return 'baseline';
  if (stepFactors !== undefined) return 'simulated';
  if (switchToA !== undefined || switchToB !== undefined) return 'switched';
  if (a !== undefined || b !== undefined || aA) return 'targets';
  if (positionals.length === 2) return 'stored';
  throw new ProblemsError([
    usageProblem(
      'E_USAGE_MISSING',
      'nothing to compare',
      'give two run folders, --a URL --b URL, --a-a URL, --baseline FOLDER RUN or --step-factors 1,1.03',
    ),
  ]);
}

/** Adds a problem for every option that the way of comparing would ignore. */
export function refuseMisplaced(command: Command, mode: CompareMode, reader: OptionReader): void {
  const flags = new Map(
    command.options.map((option) => [option.attributeName(), option.long ?? option.flags]),
  );
  const runFlags = RUN_FLAGS.map(({ flag }) => flag);
  const allowed = (name: string, flag: string): boolean => {
    if ([...OUTPUT, ...EFFECTS, ...MODE_OPTIONS[mode]].includes(name)) return true;
    const isRunFlag = runFlags.includes(flag);
    if (mode === 'simulated') return !isRunFlag || SIMULATED_FLAGS.has(flag);
    return isRunFlag && (mode === 'targets' || mode === 'switched');
  };
  const otherModes = new Set(Object.values(MODE_OPTIONS).flat());
  for (const [name, flag] of flags) {
    if (command.getOptionValueSource(name) !== 'cli') continue;
    const isOther = mode === 'simulated' && otherModes.has(name);
    if (allowed(name, flag) && !(isOther && !MODE_OPTIONS.simulated.includes(name))) continue;
    reader.add(usageProblem('E_USAGE_CONFLICT', `${flag} does not go with ${MODE_WORDS[mode]}`));
  }
}

const MODE_WORDS: Readonly<Record<CompareMode, string>> = {
  targets: 'a comparison of addresses',
  switched: 'a comparison of one switched address',
  simulated: '--step-factors',
  stored: 'two stored runs',
  baseline: '--baseline',
};

export function readEffects(options: CompareOptions, reader: OptionReader): MinimumEffects {
  return {
    relativeShare: reader.share('--minimum-effect', options.minimumEffect),
    pointsShare: reader.share('--minimum-points', options.minimumPoints),
  };
}
