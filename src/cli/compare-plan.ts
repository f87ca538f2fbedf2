/** What `goodput compare` will measure, read from its options before anything is sent. */
import type { Command } from 'commander';
import { join } from 'node:path';
import {
  assertNever,
  durationText,
  NS_PER_SECOND,
  ProblemsError,
  usageProblem,
} from '../base/index.ts';
import type { RunSpec } from '../config/index.ts';
import {
  type ComparedSideName,
  isSweep,
  planRun,
  type SimulatedTarget,
} from '../experiment/index.ts';
import { MINIMUM_PAIRS } from '../stats/index.ts';
import { givenRunFlags } from './command.ts';
import type { CompareMode, CompareOptions } from './compare-options.ts';
import type { CommandContext } from './context.ts';
import { readTextFile } from './files.ts';
import { OptionReader } from './option-reader.ts';
import { isUrl, readSpec } from './read-spec.ts';
import { defaultRunDir } from './run-load.ts';
import { readSimulatedSpec, readTarget, standingIn } from './simulate-spec.ts';

/** How the side under measurement is made to answer. */
export type Sides =
  | { readonly kind: 'targets' }
  | {
      readonly kind: 'switched';
      readonly commands: Readonly<Record<ComparedSideName, string>>;
      readonly readyNs: number;
    }
  | {
      readonly kind: 'simulated';
      readonly services: Readonly<Record<ComparedSideName, SimulatedTarget>>;
    };

export interface ComparePlan {
  readonly sides: Sides;
  /** They differ in the address alone. */
  readonly specs: Readonly<Record<ComparedSideName, RunSpec>>;
  readonly labels: Readonly<Record<ComparedSideName, string>>;
  /** Both sides are the same: what is found is noise. */
  readonly isNoiseFloor: boolean;
  readonly reset: string | null;
  readonly pairs: number;
  readonly dir: string;
  readonly floorFile: string;
}

/** Errors: ProblemsError with what cannot be read or does not go together. */
export function readComparePlan(
  mode: Exclude<CompareMode, 'stored' | 'baseline'>,
  target: string | undefined,
  command: Command,
  context: CommandContext,
): ComparePlan {
  const options = command.opts<CompareOptions>();
  const reader = new OptionReader();
  const pairs = reader.wholeNumber('--pairs', options.pairs, 2);
  if (pairs % 2 === 1) {
    const hint = 'A B B A takes two pairs at a time';
    reader.add(usageProblem('E_USAGE_VALUE', `--pairs ${pairs} is odd`, hint));
  }
  reader.finish();
  const specs =
    mode === 'simulated'
      ? simulatedSpecs(target, command, context)
      : targetSpecs(target, command, context);
  if (isSweep(specs.a)) {
    const message = 'a comparison takes one load point, and the load has several';
    throw new ProblemsError([usageProblem('E_USAGE_CONFLICT', message, 'give one rate')]);
  }
  requireBudgetForAll(specs.a, 2 * pairs);
  const sides = sidesOf(mode, { ...options, ...standingIn(specs.a.service, command) });
  const dir = specs.a.out ?? `${defaultRunDir(specs.a.name, new Date())}-compare`;
  return {
    sides,
    specs,
    labels: labelsOf(sides, specs, options),
    isNoiseFloor: options.aA,
    reset: options.reset ?? null,
    pairs,
    dir,
    floorFile: options.floor ?? join(dir, 'noise-floor.json'),
  };
}

/** The bounds are those of all windows together, so that they must hold all of them. */
function requireBudgetForAll(spec: RunSpec, windows: number): void {
  const { estimate } = planRun(spec, { readText: readTextFile, freshSeed: 1 });
  const { maxRequests, maxOutputTokens, maxCostUsd } = spec.budget;
  const needs = [
    { flag: '--max-requests', limit: maxRequests, needed: windows * estimate.requests },
    { flag: '--max-tokens', limit: maxOutputTokens, needed: windows * estimate.outputTokensMax },
    { flag: '--max-cost', limit: maxCostUsd, needed: windows * (estimate.costUsd ?? 0) },
  ];
  const reader = new OptionReader();
  for (const { flag, limit, needed } of needs) {
    if (limit === null || needed <= limit || spec.load.kind !== 'rate') continue;
    const message = `${flag} ${limit} does not hold the ${windows} windows, which need about ${needed}`;
    reader.add(usageProblem('E_BUDGET_IMPOSSIBLE', message, 'raise it, or take fewer --pairs'));
  }
  reader.finish();
}

function targetSpecs(target: string | undefined, command: Command, context: CommandContext) {
  const { a, b, aA } = command.opts<CompareOptions>();
  const missing = a === undefined ? '--a' : '--b';
  if ((a === undefined) !== (b === undefined)) {
    throw new ProblemsError([
      usageProblem('E_USAGE_MISSING', `the other address is missing: ${missing} URL`),
    ]);
  }
  if (a !== undefined && (aA || (target !== undefined && isUrl(target)))) {
    const other = aA ? '--a-a' : target;
    const message = `--a and --b name both addresses, and ${other} one more`;
    throw new ProblemsError([usageProblem('E_USAGE_CONFLICT', message)]);
  }
  const flags = givenRunFlags(command);
  const specAt = (url: string | undefined): RunSpec =>
    readSpec(target ?? url, url === undefined ? flags : { ...flags, url }, context);
  return { a: specAt(a), b: specAt(b) };
}

function simulatedSpecs(target: string | undefined, command: Command, context: CommandContext) {
  const spec = readSimulatedSpec(target, command, context);
  return { a: spec, b: spec };
}

function sidesOf(mode: Sides['kind'], options: CompareOptions): Sides {
  const reader = new OptionReader();
  switch (mode) {
    case 'targets':
      return { kind: mode };
    case 'switched': {
      const { switchToA, aA } = options;
      const switchToB = aA ? switchToA : options.switchToB;
      const readyNs = reader.durationNs('--ready-timeout', options.readyTimeout, 'above0');
      if (switchToA === undefined || switchToB === undefined) {
        const flag = switchToA === undefined ? '--switch-to-a' : '--switch-to-b';
        reader.add(
          usageProblem('E_USAGE_MISSING', `${flag} is missing: both sides need a command`),
        );
      }
      reader.finish();
      return { kind: mode, commands: { a: switchToA ?? '', b: switchToB ?? '' }, readyNs };
    }
    case 'simulated': {
      const factors = reader.positiveNumbers('--step-factors', options.stepFactors ?? '');
      if (factors.length !== 2) {
        const message = `--step-factors ${options.stepFactors} is not two factors`;
        reader.add(usageProblem('E_USAGE_VALUE', message, 'write 1,1.03'));
      }
      reader.finish();
      const service = (factor: number | undefined): SimulatedTarget => {
        const speedScale = String(Number(options.speedScale) * (factor ?? 1));
        return readTarget({ ...options, speedScale }).target;
      };
      return { kind: mode, services: { a: service(factors[0]), b: service(factors[1]) } };
    }
    default:
      return assertNever(mode);
  }
}

function labelsOf(sides: Sides, specs: ComparePlan['specs'], options: CompareOptions) {
  switch (sides.kind) {
    case 'targets':
      return { a: specs.a.target.url, b: specs.b.target.url };
    case 'switched':
      return { a: sides.commands.a, b: sides.commands.b };
    case 'simulated': {
      const [a, b] = (options.stepFactors ?? '').split(',');
      return { a: `simulated, steps × ${a}`, b: `simulated, steps × ${b}` };
    }
    default:
      return assertNever(sides);
  }
}

/** What is about to be spent, one line or two. */
export function comparePlanText({ specs, pairs, sides }: ComparePlan): string {
  const { estimate } = planRun(specs.a, { readText: readTextFile, freshSeed: 1 });
  const windows = 2 * pairs;
  const units = sides.kind === 'switched' ? pairs / 2 : pairs;
  const minutes = Math.ceil((windows * estimate.durationNs) / (60 * NS_PER_SECOND));
  const time = sides.kind === 'simulated' ? '' : `, at least ${minutes} min`;
  const cost =
    estimate.costUsd === null ? '' : `, about $${(windows * estimate.costUsd).toFixed(2)}`;
  const few =
    units < MINIMUM_PAIRS
      ? `note: ${units} units are too few to state an interval; ${MINIMUM_PAIRS} are needed\n`
      : '';
  return (
    `plan: ${windows} windows of ${durationText(estimate.durationNs)}, about ` +
    `${windows * estimate.requests} requests${time}${cost}\n${few}`
  );
}
