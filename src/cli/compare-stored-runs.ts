/** `goodput compare` of what is on disk. */
import { resolve } from 'node:path';
import { type JsonValue, printable, ProblemsError, usageProblem } from '../base/index.ts';
import type { Comparison, MeasuredCapacity, MinimumEffects } from '../comparison/index.ts';
import { compareRunWithBaseline, compareStoredRuns, type StoredSide } from '../experiment/index.ts';
import { listRuns, openRun } from '../store/index.ts';
import type { CompareOptions } from './compare-options.ts';
import type { CommandContext } from './context.ts';
import { OptionReader } from './option-reader.ts';
import { specOfRun } from './stored-run.ts';
import { TOOL_VERSION } from './version.ts';

/** Errors: ProblemsError when a folder is no run, or the runs share no load point. */
export async function compareStored(
  dirs: readonly [string, string],
  options: Pick<CompareOptions, 'at'>,
  effects: MinimumEffects,
  context: CommandContext,
): Promise<Comparison> {
  const a = await openSide(dirs[0], context);
  const b = await openSide(dirs[1], context);
  return compareStoredRuns(a, b, {
    toolVersion: TOOL_VERSION,
    effects,
    level: readLevel(options),
    capacities: await capacitiesOf(a, b),
  });
}

/** Errors: as {@link compareStored}. Runs that cannot be read are told and left out. */
export async function compareBaseline(
  dir: string,
  options: Pick<CompareOptions, 'at' | 'last' | 'quiet'> & { readonly baseline: string },
  effects: MinimumEffects,
  context: CommandContext,
): Promise<Comparison> {
  const reader = new OptionReader();
  const last = reader.wholeNumber('--last', options.last, 1);
  reader.finish();
  const run = await openSide(dir, context);
  const earlier: StoredSide[] = [];
  const note = (other: string, reason: string): void => {
    if (!options.quiet) context.stderr(`note: ${printable(other)} is left out: ${reason}\n`);
  };
  for (const other of await listRuns(options.baseline)) {
    if (resolve(other) === resolve(dir)) continue;
    try {
      earlier.push(await openSide(other, context));
    } catch (error) {
      if (!(error instanceof ProblemsError)) throw error;
      note(other, error.problems[0]?.message ?? 'it cannot be read');
    }
  }
  const before = earlier
    .filter((side) => startOf(side) <= startOf(run))
    .toSorted((one, other) => (startOf(one) < startOf(other) ? -1 : 1));
  const { comparison, skipped } = await compareRunWithBaseline(run, before, {
    toolVersion: TOOL_VERSION,
    effects,
    level: readLevel(options),
    last,
  });
  for (const { dir: other, reason } of skipped) note(other, reason);
  return comparison;
}

function startOf({ run }: StoredSide): string {
  return run.manifest.startedAt;
}

async function openSide(dir: string, context: CommandContext): Promise<StoredSide> {
  const run = await openRun(dir);
  return { run, spec: specOfRun(run, context) };
}

function readLevel({ at }: Pick<CompareOptions, 'at'>): number | null {
  if (at === undefined) return null;
  const reader = new OptionReader();
  const level = reader.positiveNumber('--at', at);
  reader.finish();
  return level;
}

/**
 * What two capacity searches found; `null` when not both runs are searches.
 * Errors: ProblemsError when a search states no interval, or its file cannot be read.
 */
async function capacitiesOf(a: StoredSide, b: StoredSide) {
  const texts = [await a.run.capacityText(), await b.run.capacityText()];
  const [left = null, right = null] = texts;
  if (left === null || right === null) return null;
  return { a: measuredCapacity(left, a.run.dir), b: measuredCapacity(right, b.run.dir) };
}

function measuredCapacity(text: string, dir: string): MeasuredCapacity {
  const { capacity } = parsed(text, dir) as {
    readonly capacity?: Partial<Record<'rps' | 'lowRps' | 'highRps', number | null>> | null;
  };
  const { rps = null, lowRps = null, highRps = null } = capacity ?? {};
  if (rps !== null && lowRps !== null && highRps !== null) {
    return { rps, low: lowRps, high: highRps };
  }
  const message = `the capacity search in ${printable(dir)} states no interval to compare`;
  const hint = 'search with more effort, or go on with --budget';
  throw new ProblemsError([usageProblem('E_UNSUPPORTED', message, hint)]);
}

function parsed(text: string, dir: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new ProblemsError([
      usageProblem('E_RUN_FORMAT', `the capacity search in ${printable(dir)} cannot be read`),
    ]);
  }
}
