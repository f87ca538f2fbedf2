/** What is published of the sessions of a load point. */
import type { Attainment, Verdict } from '../slo/index.ts';
import type { QuantileSummary, StratumSummary } from './summary.ts';

/** Requests by their turn. */
export interface TurnSummary extends StratumSummary {
  /** Of their prompts' tokens, the share from the prefix cache; `null` when the server did not say. */
  readonly cachedTokenShare: number | null;
  /** Mean tokens of their prompts; `null` when not told. */
  readonly promptTokensMean: number | null;
}

/**
 * Sessions whose first turn was due in the judged window. One is good when all its turns are; one with
 * a bad turn is bad, and so is one that ended early because a turn did not complete.
 */
export interface SessionsSummary {
  readonly begun: number;
  /** Had turns that the run ended before: not judged, because nobody knows how they would have ended. */
  readonly cut: number;
  /** Of the cut, those that had a bad turn already. */
  readonly cutAfterMiss: number;
  /** Of those that were not cut. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** Of the judged, those that ended early because a turn did not complete. */
  readonly endedEarly: number;
  /** Turns that never came because of that. */
  readonly turnsNeverDue: number;
  /** Share of good sessions, a session being one observation. */
  readonly attainment: Attainment;
  /** With the cut: those without a bad turn all bad … all good. `null` when nothing was begun. */
  readonly cutBounds: { readonly low: number; readonly high: number } | null;
  /** The share of the judged requests that were good, to the power of each session's turns. */
  readonly shareIfIndependent: number | null;
  /** Planned turns of a session; `null` without sessions. */
  readonly turnsMean: number | null;
  readonly turnsMost: number;
  /** Over the time of offering in the judged window. */
  readonly begunPerSecond: number | null;
  readonly turnsPerSecond: number | null;
  /** First due to last answer, of judged sessions whose turns all completed. */
  readonly durationNs: QuantileSummary;
  /** `first` and `later`, then by turn; of all judged requests. */
  readonly turns: readonly TurnSummary[];
}
