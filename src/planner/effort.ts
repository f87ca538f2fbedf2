/** How much a capacity search may spend: the user's choice, stated before it starts. */

export const EFFORT_NAMES = ['smoke', 'standard', 'signoff'] as const;
export type EffortName = (typeof EFFORT_NAMES)[number];

/** Durations in seconds. */
export interface Effort {
  readonly name: EffortName;
  /** Before each window's judged part, so that it starts from the load it is about. */
  readonly warmupSeconds: number;
  /** Judged part of a coarse window; ended early where all is plain. */
  readonly bracketSeconds: number;
  /** Judged part of a window near capacity. */
  readonly windowSeconds: number;
  /** Judged seconds of all windows together. */
  readonly budgetSeconds: number;
  /**
   * Half the width of the interval to expect, as a share of the capacity; `null` where most
   * searches end without one. Measured on the reference engine, 7 requests/s with answers of 3 s
   * (docs/statistics.md, "Capacity search"): services with longer answers or rarer requests know
   * less after the same time.
   */
  readonly expectedHalfWidthShare: number | null;
}

export const EFFORTS: Readonly<Record<EffortName, Effort>> = {
  smoke: {
    name: 'smoke',
    warmupSeconds: 3,
    bracketSeconds: 8,
    windowSeconds: 15,
    budgetSeconds: 120,
    expectedHalfWidthShare: null,
  },
  standard: {
    name: 'standard',
    warmupSeconds: 30,
    bracketSeconds: 60,
    windowSeconds: 240,
    budgetSeconds: 16 * 240,
    expectedHalfWidthShare: 0.05,
  },
  signoff: {
    name: 'signoff',
    warmupSeconds: 30,
    bracketSeconds: 60,
    windowSeconds: 600,
    budgetSeconds: 24 * 600,
    expectedHalfWidthShare: 0.02,
  },
};
