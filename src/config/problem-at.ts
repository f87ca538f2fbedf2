/** Problems at a key: the one place that knows whether a file or a flag is to blame. */
import { printable, type ErrorCode, type Problem } from '../base/index.ts';
import { keyPathText, valueAt, type KeyPath, type Written } from './key-path.ts';
import { flagAt } from './run-flags.ts';

/** The sorts of mistake, each with its code in a file and on the command line. */
const CODES = {
  unknown: ['E_CONFIG_UNKNOWN_KEY', 'E_USAGE_UNKNOWN_OPTION'],
  missing: ['E_CONFIG_MISSING_KEY', 'E_USAGE_MISSING'],
  value: ['E_CONFIG_VALUE', 'E_USAGE_VALUE'],
  conflict: ['E_CONFIG_CONFLICT', 'E_USAGE_CONFLICT'],
  objective: ['E_OBJECTIVE_VALUE', 'E_OBJECTIVE_VALUE'],
  impossible: ['E_BUDGET_IMPOSSIBLE', 'E_BUDGET_IMPOSSIBLE'],
  unsupported: ['E_UNSUPPORTED', 'E_UNSUPPORTED'],
  file: ['E_FILE_READ', 'E_FILE_READ'],
} as const satisfies Record<string, readonly [ErrorCode, ErrorCode]>;

/** What is wrong, before it is tied to a file or a flag. */
export interface Fault {
  readonly message: string;
  readonly hint: string | null;
  /** Whether to point at the key or at its value. Default the value. */
  readonly at?: 'key' | 'value';
}

/** Ties a fault to the place, or the flag, that the user wrote at `path`. */
export function problemAt(
  written: Written,
  path: KeyPath,
  sort: keyof typeof CODES,
  fault: Fault,
): Problem {
  const isFlag = written.file === null || written.flagOf(path) !== null;
  return {
    code: CODES[sort][isFlag ? 1 : 0],
    message: fault.message,
    hint: fault.hint,
    place: isFlag ? null : fault.at === 'key' ? written.keyPlaceOf(path) : written.placeOf(path),
  };
}

/** How to call the thing at `path`: the flag that gave it, or its key. */
export function subjectOf(written: Written, path: KeyPath): string {
  if (path.length === 0) return 'the file';
  const given = written.flagOf(path);
  if (given !== null) return given;
  if (written.file !== null || valueAt(written.tree, path) !== undefined) return keyPathText(path);
  // Nothing was written there: name what the user would have to write.
  return flagAt(path)?.flag ?? keyPathText(path);
}

/** The subject with the user's own text of the value, when that is a short scalar. */
export function quotedSubject(written: Written, path: KeyPath): string {
  const source = written.textOf(path);
  const subject = subjectOf(written, path);
  if (source === null || mayHoldSecret(path, source)) return subject;
  const shown = printable(source, 60);
  return written.flagOf(path) === null ? `${subject}: ${shown}` : `${subject} ${shown}`;
}

/** Whether a wrong value may be a credential put where it does not belong, and so is not quoted. */
function mayHoldSecret([section, key]: KeyPath, source: string): boolean {
  if (section === 'metrics') return /[@?]/.test(source);
  if (section !== 'target') return false;
  return key === 'headers' || key === 'keyEnv' || key === 'keyHeader' || /[@?]/.test(source);
}

/** How to write `value` at `path`: `--rate 4` on a command line, `load.rate: 4` in a file. */
export function howToWrite(written: Written, path: KeyPath, value: string): string {
  const given = written.file === null ? flagAt(path) : null;
  if (given === null) return `write ${keyPathText(path)}: ${value}`;
  return given.value === null ? `add ${given.flag}` : `add ${given.flag} ${value}`;
}

/** By line, then column; mistakes on the command line first. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  return problems.toSorted(byPlace);
}

function byPlace(a: Problem, b: Problem): number {
  const [left, right] = [a.place, b.place];
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return left.line - right.line || left.column - right.column;
}
