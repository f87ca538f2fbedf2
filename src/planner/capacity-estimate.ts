/** What the windows of a capacity search say of the capacity, and how surely. */
import {
  fittedShare,
  type LogisticFit,
  logisticCrossing,
  type NoCrossing,
  risingShare,
  type ShareRise,
} from '../stats/index.ts';
import {
  type Bracket,
  bracketOf,
  isNarrow,
  localFit,
  type SearchPlan,
  searchCentreRps,
  windowsNear,
} from './capacity-search.ts';
import { isUsable, type SearchWindow } from './search-window.ts';

/** Two-sided, equal tails: the lower end of a 90 % interval is a one-sided 95 % bound. */
const INTERVAL_LEVEL = 0.95;
const BOUND_LEVEL = 0.9;
const RISE_LEVEL = 0.99;
/**
 * With fewer windows, or windows that all together last fewer answers, the spread between them is
 * itself too uncertain: on the reference engine the intervals then cover the truth too seldom.
 */
const WINDOWS_MIN = 6;
const ANSWERS_LONG_MIN = 200;

/**
 * `notBracketed`: the target was not seen both met and missed. `tooShort`: all windows together
 * last too few answers. The others as in {@link NoCrossing}.
 */
export type NoInterval = NoCrossing | 'notBracketed' | 'tooShort';

export interface CapacityEstimate {
  /** Best single figure, requests/s; without an interval it proves nothing. `null` = not bracketed. */
  readonly rps: number | null;
  /** 95 %, two-sided. */
  readonly interval: { readonly lowRps: number; readonly highRps: number } | null;
  /** With 95 % confidence the target is met up to here; `null` where nothing is proven. */
  readonly plannableRps: number | null;
  readonly noInterval: NoInterval | null;
  readonly bracket: Bracket;
  /** How many independent requests one request is worth less than: dispersion between windows. */
  readonly dispersion: number | null;
  /** Windows that the fit took. */
  readonly windowsFitted: number;
  /** Attainment rose with load somewhere, which no queue explains; `null` = it did not. */
  readonly rise: ShareRise | null;
  readonly fit: LogisticFit | null;
}

export function estimateCapacity(
  plan: SearchPlan,
  windows: readonly SearchWindow[],
): CapacityEstimate {
  const bracket = bracketOf(plan, windows);
  if (!isNarrow(bracket)) return { ...NOTHING, bracket, rise: riseOf(windows, 1) };
  const centreRps = searchCentreRps(plan, windows);
  const fit = localFit(windows, centreRps);
  const near = windowsNear(windows, centreRps);
  const refused = near.length < WINDOWS_MIN ? 'tooFewWindows' : isLong(near) ? null : 'tooShort';
  const crossing = logisticCrossing(
    refused === null ? fit : null,
    plan.targetShare,
    INTERVAL_LEVEL,
  );
  const bound = logisticCrossing(fit, plan.targetShare, BOUND_LEVEL);
  return {
    // Without an interval the fitted crossing may lie anywhere; the centre is where the search is.
    rps: crossing.interval === null ? centreRps : crossing.load,
    interval:
      crossing.interval === null
        ? null
        : { lowRps: crossing.interval.low, highRps: crossing.interval.high },
    plannableRps: crossing.interval === null ? null : (bound.interval?.low ?? null),
    noInterval: refused ?? crossing.reason,
    bracket,
    dispersion: fit?.dispersion ?? null,
    windowsFitted: near.length,
    rise: riseOf(windows, fit?.dispersion ?? 1),
    fit,
  };
}

function isLong(windows: readonly SearchWindow[]): boolean {
  const answers = windows.flatMap(({ answerSeconds }) => answerSeconds ?? []);
  const meanSeconds = answers.reduce((sum, each) => sum + each, 0) / answers.length;
  const seconds = windows.reduce((sum, { measuredSeconds }) => sum + measuredSeconds, 0);
  return seconds >= ANSWERS_LONG_MIN * meanSeconds;
}

/** The fitted attainment at `rps`; `null` without a fit that falls with load. */
export function fittedAttainment({ fit }: CapacityEstimate, rps: number): number | null {
  return fit === null || fit.slope >= 0 ? null : fittedShare(fit, rps);
}

const NOTHING: Omit<CapacityEstimate, 'bracket' | 'rise'> = {
  rps: null,
  interval: null,
  plannableRps: null,
  noInterval: 'notBracketed',
  dispersion: null,
  windowsFitted: 0,
  fit: null,
};

function riseOf(windows: readonly SearchWindow[], dispersion: number): ShareRise | null {
  const told = windows
    .filter((window) => isUsable(window) && window.ending === 'full' && window.offered > 0)
    .map(({ level, good, offered }) => ({ load: level, good, offered }));
  // Before a fit can tell how windows differ, a coarse guess: one in ten requests counts.
  return risingShare(told, { dispersion: Math.max(10, dispersion), level: RISE_LEVEL });
}
