/** `goodput compare` of two sides that are measured now, in turn. */
import { join } from 'node:path';
import { assertNever } from '../base/index.ts';
import {
  type Comparison,
  type MinimumEffects,
  type NoiseFloor,
  noiseFloorOf,
  questionHash,
} from '../comparison/index.ts';
import { compareMeasuredPairs, measurePairs, questionOf } from '../experiment/index.ts';
import { writeJsonFile } from '../store/index.ts';
import { type ComparePlan, comparePlanText } from './compare-plan.ts';
import { pairPorts, type WindowSettings } from './compare-windows.ts';
import type { CommandContext } from './context.ts';
import { readNoiseFloor } from './noise-floor-file.ts';
import { TOOL_VERSION } from './version.ts';

/** What was measured, and the files that hold it. */
export interface LiveComparison {
  /** `null` when interrupted before a pair was whole. */
  readonly comparison: Comparison | null;
  readonly interrupted: boolean;
  readonly files: readonly string[];
}

/** Errors: as the runs; EnvironmentError when a command fails or a side does not come up. */
export async function compareLive(
  plan: ComparePlan,
  effects: MinimumEffects,
  settings: WindowSettings,
  context: CommandContext,
): Promise<LiveComparison> {
  const { specs, sides, pairs, dir, floorFile, isNoiseFloor } = plan;
  // Read first: a broken file should not cost the windows.
  const stored = isNoiseFloor ? null : readNoiseFloor(floorFile);
  if (!settings.quiet) context.stderr(comparePlanText(plan));
  const measured = await measurePairs(specs.a, pairs, pairPorts(plan, settings, context));
  const { interrupted } = measured;
  const [first] = measured.pairs;
  const hash = first === undefined ? '' : questionHash(questionOf(specs.a, first.a.manifest));
  const comparison = await compareMeasuredPairs({
    toolVersion: TOOL_VERSION,
    spec: specs.a,
    pairs: measured.pairs,
    design: sides.kind === 'switched' ? 'restarts' : 'interleaved',
    effects,
    labels: plan.labels,
    floor: fittingFloor(stored, hash, floorFile, context),
    isNoiseFloor,
    caveats: caveatsOf(plan),
  });
  if (comparison === null) return { comparison, interrupted, files: [] };
  const files = [join(dir, isNoiseFloor ? 'a-a.json' : 'comparison.json')];
  await writeJsonFile(files[0] as string, comparison);
  if (isNoiseFloor && !interrupted) {
    await writeJsonFile(floorFile, noiseFloorOf(hash, comparison.metrics));
    files.push(floorFile);
  }
  return { comparison, interrupted, files };
}

/** A floor of another question says nothing here. */
function fittingFloor(
  stored: NoiseFloor | null,
  hash: string,
  file: string,
  context: CommandContext,
): NoiseFloor | null {
  if (stored === null || hash === '' || stored.questionHash === hash) return stored;
  context.stderr(`note: the noise floor in ${file} is of another question and is not used\n`);
  return null;
}

function caveatsOf({ sides, isNoiseFloor }: ComparePlan): string[] {
  if (isNoiseFloor) return [];
  switch (sides.kind) {
    case 'targets':
      return [
        'two addresses are two machines: a difference between the machines is not told apart from ' +
          'the change under test; swap them and compare again, or restart one (--switch-to-a)',
      ];
    case 'switched':
      return ['what a restart leaves to chance is in the spread between blocks'];
    case 'simulated':
      return ['both sides are simulated: nothing of a machine is in this, noise least of all'];
    default:
      return assertNever(sides);
  }
}
