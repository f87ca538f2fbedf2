/** Inter-token latencies: every step's duration, weighted by the requests that gained a token. */
import { assert } from '../base/index.ts';
import { twoLineSeconds, type TwoLineCost } from '../engine/index.ts';
import type { RunObserver } from './drive-batch.ts';
import { elapsedSeconds, type StepRun } from './step-run.ts';

/**
 * The exact distribution over the steps that start inside the window. Durations repeat, because
 * they depend on whole tokens only: what is kept grows with the contexts seen, not with the run.
 */
export class DecodeGaps implements RunObserver {
  readonly #cost: TwoLineCost;
  readonly #fromSeconds: number;
  readonly #toSeconds: number;
  readonly #weights = new Map<number, number>();
  #gaps = 0;

  /** Steps that start after `fromSeconds` and before `toSeconds` count. */
  constructor(
    cost: TwoLineCost,
    window: { readonly fromSeconds: number; readonly toSeconds: number },
  ) {
    this.#cost = cost;
    this.#fromSeconds = window.fromSeconds;
    this.#toSeconds = window.toSeconds;
  }

  observe(run: StepRun, steps: number): void {
    const { decodingRequests, computedTokens, contextTokens, growthTokens } = run;
    if (decodingRequests === 0) return;
    for (let step = 0; step < steps; step += 1) {
      const startSeconds = run.startSeconds + elapsedSeconds(this.#cost, run, step);
      if (startSeconds <= this.#fromSeconds || startSeconds >= this.#toSeconds) continue;
      const context = contextTokens + growthTokens * step;
      const seconds = twoLineSeconds(this.#cost, computedTokens, context);
      this.#weights.set(seconds, (this.#weights.get(seconds) ?? 0) + decodingRequests);
      this.#gaps += decodingRequests;
    }
  }

  /** Gaps seen. */
  get count(): number {
    return this.#gaps;
  }

  /** The quantile by the document's rule, `sorted[⌊q·n⌋]` with each gap counted as often as seen. */
  quantileSeconds(q: number): number | null {
    const rank = Math.min(this.#gaps - 1, Math.floor(q * this.#gaps));
    let seen = 0;
    for (const [seconds, weight] of [...this.#weights].toSorted(([a], [b]) => a - b)) {
      seen += weight;
      if (seen > rank) return seconds;
    }
    assert(this.#gaps === 0, 'gaps were counted and not kept');
    return null;
  }
}
