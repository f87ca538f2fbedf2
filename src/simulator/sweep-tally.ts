/** Counts what the document's program reports about one run, as its requests end. */
import type { FinishSink } from './request-block.ts';

/** What every request has to meet. */
export interface SweepObjective {
  readonly ttftSeconds: number;
  readonly tpotSeconds: number;
}

export interface SweepWindow {
  /** Arrivals from 0 on, until this instant. */
  readonly durationSeconds: number;
  /** Only arrivals later than this after the start and earlier than this before the end count. */
  readonly cutSeconds: number;
}

export interface SweepTallyOptions {
  readonly objective: SweepObjective;
  readonly window: SweepWindow;
  /** Prompts of at least so many tokens form the second bucket. `null` = one bucket. */
  readonly splitTokens: number | null;
  /** Whether to keep every TTFT and TPOT, 16 bytes a request, for quantiles. */
  readonly keepsLatencies: boolean;
}

/** Counts of the requests that arrived in the window, all of them or one bucket. */
export interface AttainmentCounts {
  requests: number;
  /** Met both objectives. */
  good: number;
  ttftMisses: number;
  tpotMisses: number;
}

export class SweepTally implements FinishSink {
  readonly all = emptyCounts();
  /** Prompts below and from the split on. */
  readonly below = emptyCounts();
  readonly from = emptyCounts();
  outputTokens = 0;
  readonly ttftSeconds: number[] = [];
  readonly tpotSeconds: number[] = [];

  readonly #options: SweepTallyOptions;
  readonly #thirdSeconds: number;
  /** Request-seconds spent inside, by third of the time in which requests arrive. */
  readonly #insideSeconds = new Float64Array(3);

  constructor(options: SweepTallyOptions) {
    this.#options = options;
    this.#thirdSeconds = options.window.durationSeconds / 3;
  }

  finished(
    arrivalSeconds: number,
    promptTokens: number,
    outputTokens: number,
    firstTokenSeconds: number,
    lastTokenSeconds: number,
  ): void {
    this.#countInside(arrivalSeconds, lastTokenSeconds);
    const { objective, window, splitTokens, keepsLatencies } = this.#options;
    if (
      arrivalSeconds <= window.cutSeconds ||
      arrivalSeconds >= window.durationSeconds - window.cutSeconds
    ) {
      return;
    }
    const ttft = firstTokenSeconds - arrivalSeconds;
    const tpot = (lastTokenSeconds - firstTokenSeconds) / (outputTokens - 1);
    const meetsTtft = ttft <= objective.ttftSeconds;
    const meetsTpot = tpot <= objective.tpotSeconds;
    this.outputTokens += outputTokens;
    countOne(this.all, meetsTtft, meetsTpot);
    if (splitTokens !== null) {
      countOne(promptTokens < splitTokens ? this.below : this.from, meetsTtft, meetsTpot);
    }
    if (keepsLatencies) {
      this.ttftSeconds.push(ttft);
      this.tpotSeconds.push(tpot);
    }
  }

  /** Mean requests inside over one third (0, 1, 2) of the time in which requests arrive. */
  meanInside(third: 0 | 1 | 2): number {
    return (this.#insideSeconds[third] as number) / this.#thirdSeconds;
  }

  #countInside(fromSeconds: number, toSeconds: number): void {
    const inside = this.#insideSeconds;
    const width = this.#thirdSeconds;
    const firstThird = Math.min(2, Math.floor(fromSeconds / width));
    for (let third = firstThird; third < 3 && third * width < toSeconds; third += 1) {
      const start = Math.max(fromSeconds, third * width);
      const end = Math.min(toSeconds, (third + 1) * width);
      if (end > start) inside[third] = (inside[third] as number) + end - start;
    }
  }
}

function emptyCounts(): AttainmentCounts {
  return { requests: 0, good: 0, ttftMisses: 0, tpotMisses: 0 };
}

function countOne(counts: AttainmentCounts, meetsTtft: boolean, meetsTpot: boolean): void {
  counts.requests += 1;
  if (meetsTtft && meetsTpot) counts.good += 1;
  if (!meetsTtft) counts.ttftMisses += 1;
  if (!meetsTpot) counts.tpotMisses += 1;
}
