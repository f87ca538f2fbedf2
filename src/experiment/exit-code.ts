/** One exit code for a finished run: docs/errors.md gives the order of precedence. */
import { EXIT_CODES, type ExitCode } from '../base/index.ts';
import type { Summary } from '../summary/index.ts';

export interface RunEnding {
  readonly summary: Summary;
  readonly interrupted: boolean;
  /** Sweeps explore: a missed objective at some load is a result, not a failure. */
  readonly sweep: boolean;
}

/** `notEnoughData` is no miss: only a proven or observed miss fails a run. */
export function runExitCode(ending: RunEnding): ExitCode {
  if (ending.interrupted) return EXIT_CODES.interrupted;
  if (ending.sweep) return EXIT_CODES.fine;
  if (!ending.summary.validity.valid) return EXIT_CODES.invalidRun;
  return ending.summary.verdict === 'missed' ? EXIT_CODES.objectiveMissed : EXIT_CODES.fine;
}
