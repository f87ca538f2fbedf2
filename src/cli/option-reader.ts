/** Reads option texts and gathers every mistake, so that all are reported together. */
import {
  parseDurationNs,
  parseShare,
  parseTokenCount,
  type Problem,
  ProblemsError,
  usageProblem,
} from '../base/index.ts';

/** A mistake gives 0 and a problem; nothing read may be used before {@link OptionReader.finish}. */
export class OptionReader {
  readonly #problems: Problem[] = [];

  /** Adds a mistake that no single option shows. */
  add(problem: Problem): void {
    this.#problems.push(problem);
  }

  /** A whole number of `min` or more. */
  wholeNumber(flag: string, text: string, min: number): number {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    return Number.isSafeInteger(value) && value >= min
      ? value
      : this.#wrong(flag, text, `a whole number of at least ${min}`, null);
  }

  /** A count of tokens or requests of 1 or more: `512`, `4k`. */
  count(flag: string, text: string): number {
    const value = parseTokenCount(text);
    return value !== null && value >= 1
      ? value
      : this.#wrong(flag, text, 'a whole count above 0', 'write 512 or 4k');
  }

  /** A number above 0. */
  positiveNumber(flag: string, text: string): number {
    const value = Number(text);
    return Number.isFinite(value) && value > 0
      ? value
      : this.#wrong(flag, text, 'a number above 0', null);
  }

  /** Numbers above 0, with commas between them. */
  positiveNumbers(flag: string, text: string): readonly number[] {
    return text.split(',').map((part) => this.positiveNumber(flag, part));
  }

  /** A duration with its unit, in nanoseconds. */
  durationNs(flag: string, text: string, bounds: 'any' | 'above0'): number {
    const ns = parseDurationNs(text);
    if (ns === null) return this.#wrong(flag, text, 'a duration', 'write 15ms or 300s');
    return ns > 0 || bounds === 'any'
      ? ns
      : this.#wrong(flag, text, 'above 0', 'write 15ms or 300s');
  }

  /** A share above 0. */
  share(flag: string, text: string): number {
    const share = parseShare(text);
    return share !== null && share > 0
      ? share
      : this.#wrong(flag, text, 'a share above 0, up to 1', 'write 95% or 0.95');
  }

  /** Errors: ProblemsError with every mistake. */
  finish(): void {
    if (this.#problems.length > 0) throw new ProblemsError(this.#problems);
  }

  #wrong(flag: string, text: string, what: string, hint: string | null): number {
    this.#problems.push(usageProblem('E_USAGE_VALUE', `${flag} ${text} is not ${what}`, hint));
    return 0;
  }
}
