/** The problems of one file, gathered until it is read to its end. */
import { printable, type ErrorCode, type Place, type Problem } from '../base/index.ts';

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

type PlacedProblem = Problem & { readonly place: Place };

export class ProblemList {
  readonly #file: string;
  readonly #shown: PlacedProblem[] = [];
  #more = 0;
  #firstHidden: PlacedProblem | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  get count(): number {
    return this.#shown.length + this.#more;
  }

  /** Line of the first problem; `null` without any. */
  get firstLine(): number | null {
    return this.#shown[0]?.place.line ?? null;
  }

  add({ code, line, column, message, hint }: RowProblem): void {
    const place = { file: this.#file, line, column };
    // Keys and headers of the file may stand in both texts.
    const problem = {
      code,
      message: printable(message),
      hint: hint === null ? null : printable(hint),
      place,
    };
    if (this.#shown.length < SHOWN) {
      this.#shown.push(problem);
      return;
    }
    this.#more += 1;
    this.#firstHidden ??= problem;
  }

  /** The first ones in order of place, then one that counts the rest, where they begin. */
  toProblems(): readonly Problem[] {
    const shown = this.#shown.toSorted((a, b) => comparePlaces(a.place, b.place));
    if (this.#firstHidden === null) return shown;
    const rest = { ...this.#firstHidden, message: `and ${this.#more} more`, hint: null };
    return [...shown, rest];
  }
}

function comparePlaces(a: Place, b: Place): number {
  return a.line - b.line || a.column - b.column;
}
