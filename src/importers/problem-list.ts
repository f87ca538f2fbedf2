/** The problems of one file, gathered until it is read to its end. */
import type { ErrorCode, Problem } from '../base/index.ts';

/** So many are shown; a file of another format would have one in every line. */
const SHOWN = 20;

/** A problem before it is known which file it is in. */
export interface RowProblem {
  readonly code: ErrorCode;
  readonly line: number;
  /** 1 where only the line is known. */
  readonly column: number;
  readonly message: string;
  readonly hint: string | null;
}

export class ProblemList {
  readonly #file: string;
  readonly #shown: Problem[] = [];
  #more = 0;
  #firstHidden: Problem | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  get count(): number {
    return this.#shown.length + this.#more;
  }

  /** Line of the first problem; `null` without any. */
  get firstLine(): number | null {
    return this.#shown[0]?.place?.line ?? null;
  }

  add({ code, line, column, message, hint }: RowProblem): void {
    const problem = { code, message, hint, place: { file: this.#file, line, column } };
    if (this.#shown.length < SHOWN) {
      this.#shown.push(problem);
      return;
    }
    this.#more += 1;
    this.#firstHidden ??= problem;
  }

  /** The first ones, then one that counts the rest and stands where they begin. */
  toProblems(): readonly Problem[] {
    if (this.#firstHidden === null) return this.#shown;
    const rest = { ...this.#firstHidden, message: `and ${this.#more} more`, hint: null };
    return [...this.#shown, rest];
  }
}
