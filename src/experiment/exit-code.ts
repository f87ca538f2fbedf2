/** One exit code for a finished run: docs/errors.md gives the order of precedence. */
import { EXIT_CODES, type ExitCode } from '../base/index.ts';
import type { Comparison } from '../comparison/index.ts';
import type { Summary } from '../summary/index.ts';

export interface RunEnding {
  readonly summary: Summary;
  readonly interrupted: boolean;
  /** Sweeps explore: a missed objective at some load is a result, not a failure. */
  readonly sweep: boolean;
  /** Demand that a verdict other than a miss is proven. */
  readonly requireProof: boolean;
}

/**
 * `notEnoughData` is no miss: only an observed miss fails a run. Where proof is demanded, a verdict
 * that is likely but not proven is not enough either; without a target there is nothing to prove.
 */
export function runExitCode(ending: RunEnding): ExitCode {
  if (ending.interrupted) return EXIT_CODES.interrupted;
  if (ending.sweep) return EXIT_CODES.fine;
  if (!ending.summary.validity.valid) return EXIT_CODES.invalidRun;
  const { verdict, proven } = ending.summary;
  if (verdict === 'missed') return EXIT_CODES.objectiveMissed;
  return ending.requireProof && proven === false ? EXIT_CODES.notProven : EXIT_CODES.fine;
}

export interface ComparisonEnding {
  readonly comparison: Comparison;
  readonly interrupted: boolean;
  /** Demand that every difference is decided. */
  readonly requireProof: boolean;
}

/**
 * A regression is 3, of the service or of its answers. Sides that were asked differently, windows
 * that cannot be trusted and a method that favours one of two equal sides are 4: the measurement
 * is at fault, not the service.
 */
export function comparisonExitCode(ending: ComparisonEnding): ExitCode {
  const { comparison, interrupted, requireProof } = ending;
  const { verdict, quality, excluded, isNoiseFloor, biasedMetrics, design } = comparison;
  if (interrupted) return EXIT_CODES.interrupted;
  const nothingLeft = verdict === 'notEnoughData' && excluded.length > 0;
  const untrusted = design === 'baseline' && excluded.length > 0;
  if (verdict === 'notComparable' || nothingLeft || untrusted) return EXIT_CODES.invalidRun;
  if (isNoiseFloor) return biasedMetrics.length > 0 ? EXIT_CODES.invalidRun : EXIT_CODES.fine;
  if (verdict === 'worse' || quality === 'worse') return EXIT_CODES.objectiveMissed;
  const undecided = verdict === 'notEnoughData' || verdict === 'noDifferenceShown';
  return undecided && requireProof ? EXIT_CODES.notProven : EXIT_CODES.fine;
}
