/**
 * The four kinds of trouble and how each travels (docs/errors.md):
 * request failures are data in the record; user mistakes are {@link ProblemsError}; a broken
 * invariant is {@link InvariantError}; the outside world is {@link EnvironmentError}.
 */
import type { ErrorCode } from './error-codes.ts';

/** Where a problem sits in a file the user wrote. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One mistake a user can fix. */
export interface Problem {
  readonly code: ErrorCode;
  /** What is wrong, one sentence, without the place. */
  readonly message: string;
  /** How to put it right; `null` when the message already says so. */
  readonly hint: string | null;
  /** `null` when the mistake was made on the command line. */
  readonly place: Place | null;
}

/** User mistakes, all of one file or command together. Exit code 2. */
export class ProblemsError extends Error {
  override readonly name = 'ProblemsError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map((problem) => problemText(problem)).join('\n'));
    this.problems = problems;
  }
}

/** The outside world refused: file, port, disk, unreachable target. Exit code 5. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
  readonly code: ErrorCode;
  readonly hint: string | null;

  constructor(options: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly hint?: string;
    readonly cause?: unknown;
  }) {
    super(options.message, { cause: options.cause });
    this.code = options.code;
    this.hint = options.hint ?? null;
  }
}

/** A fact this code relies on does not hold: a bug here, never the user's fault. Exit code 1. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Crashes with {@link InvariantError} when a fact this code relies on does not hold. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Marks a branch that the types say cannot be reached. */
export function assertNever(value: never): never {
  throw new InvariantError(`unexpected value ${JSON.stringify(value)}`);
}

/** A problem made on the command line (no place). */
export function usageProblem(
  code: ErrorCode,
  message: string,
  hint: string | null = null,
): Problem {
  return { code, message, hint, place: null };
}

/** `file:line:column: message [CODE]` with the hint on its own line. */
export function problemText(problem: Problem): string {
  const place =
    problem.place === null
      ? ''
      : `${problem.place.file}:${problem.place.line}:${problem.place.column}: `;
  const hint = problem.hint === null ? '' : `\n  hint: ${problem.hint}`;
  return `${place}${problem.message} [${problem.code}]${hint}`;
}

/**
 * The known word nearest to a mistyped one, for "did you mean". `null` when nothing is near:
 * more than two edits, or more than 40 % of the word.
 */
export function nearestWord(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let bestEdits = Math.min(2, Math.floor(word.length * 0.4)) + 1;
  for (const candidate of known) {
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < bestEdits) {
      best = candidate;
      bestEdits = edits;
    }
  }
  return best;
}

/** Optimal string alignment distance: insert, delete, replace, swap neighbours. O(n·m). */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replace = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let edits = Math.min(replace, (previous[j] as number) + 1, (current[j - 1] as number) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        edits = Math.min(edits, (beforePrevious[j - 2] as number) + 1);
      }
      current.push(edits);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] as number;
}
