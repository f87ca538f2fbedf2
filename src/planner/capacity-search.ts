/**
 * The capacity search: which load to look at next. A pure function of the plan and of the windows
 * so far, so that a search that was interrupted goes on from the windows it stored.
 */
import { assert } from '../base/index.ts';
import { type Crossing, logisticCrossing, logisticFit, type LogisticFit } from '../stats/index.ts';
import {
  deadEnd,
  isUsable,
  type SearchStep,
  type SearchWindow,
  spentSeconds,
  wasMet,
} from './search-window.ts';

export interface SearchPlan {
  readonly targetShare: number;
  /** Load of the first window. */
  readonly startRps: number;
  /** The search looks at nothing beyond; `null` = no upper bound. */
  readonly maxRps: number | null;
  readonly bracketSeconds: number;
  readonly windowSeconds: number;
  readonly budgetSeconds: number;
  /** Half the interval over the capacity, at which to stop early; `null` = spend the budget. */
  readonly wantedHalfWidthShare: number | null;
}

/** A coarse window of fewer requests tells no load from another: the search goes no lower. */
const BRACKET_REQUESTS_MIN = 5;
/** A bracket this narrow, high over low, is near enough for the local fit. */
const BRACKET_RATIO = 1.25;
/** Local windows lie this far to both sides: far enough to see the slope, too near for its bend. */
const LOCAL_OFFSETS = [-0.06, 0.06];
/** No single window may move the estimate further: a lucky one must not lead the search away. */
const MOVE_MAX = 1.1;
/** ln(load / estimate) of windows that the fit takes: a logit is a line over about ±20 %. */
const FIT_REACH = 0.2;
/** Stopping as soon as an interval looks narrow favours lucky ones; fewer windows never stop. */
const LOCAL_WINDOWS_MIN = 6;

/** The region the coarse windows left, `null` on a side that none of them showed. */
export interface Bracket {
  readonly metRps: number | null;
  readonly missedRps: number | null;
}

/** The next window to measure, or why there is none. */
export function nextStep(plan: SearchPlan, windows: readonly SearchWindow[]): SearchStep {
  assert(plan.targetShare > 0 && plan.targetShare < 1, 'a capacity needs a target below 100 %');
  const dead = deadEnd(windows);
  if (dead !== null) return { kind: 'done', reason: dead };
  const leftSeconds = plan.budgetSeconds - spentSeconds(windows);
  const bracket = bracketOf(plan, windows);
  if (!isNarrow(bracket)) return bracketStep(plan, bracket, leftSeconds);
  if (leftSeconds < plan.windowSeconds) return { kind: 'done', reason: 'budgetSpent' };
  const locals = windows.filter((window) => window.phase === 'local' && isUsable(window));
  if (locals.length >= LOCAL_WINDOWS_MIN && isPrecise(plan, windows)) {
    return { kind: 'done', reason: 'precise' };
  }
  const offset = LOCAL_OFFSETS[locals.length % LOCAL_OFFSETS.length] as number;
  const level = searchCentreRps(plan, windows) * (1 + offset);
  if (plan.maxRps !== null && level > plan.maxRps * MOVE_MAX) {
    return { kind: 'done', reason: 'metEverywhere' };
  }
  return {
    kind: 'window',
    phase: 'local',
    level: rounded(Math.min(level, plan.maxRps ?? level)),
    seconds: plan.windowSeconds,
    stopsEarly: false,
  };
}

/** What the coarse windows have shown. */
export function bracketOf(plan: SearchPlan, windows: readonly SearchWindow[]): Bracket {
  let metRps: number | null = null;
  let missedRps: number | null = null;
  for (const window of windows) {
    if (window.phase !== 'bracket' || !isUsable(window)) continue;
    if (wasMet(window, plan.targetShare)) metRps = Math.max(metRps ?? 0, window.level);
    else missedRps = Math.min(missedRps ?? Number.POSITIVE_INFINITY, window.level);
  }
  return { metRps, missedRps };
}

/**
 * Where the local windows lie: the middle of the bracket, moved by the fit after each of them.
 * The load of {@link localFit} too. Needs a narrow bracket.
 */
export function searchCentreRps(plan: SearchPlan, windows: readonly SearchWindow[]): number {
  const { metRps, missedRps } = bracketOf(plan, windows);
  assert(metRps !== null && missedRps !== null, 'the bracket has two ends');
  let centre = Math.sqrt(metRps * missedRps);
  windows.forEach((window, at) => {
    if (window.phase !== 'local' || !isUsable(window)) return;
    const { load } = crossingNear(plan, windows.slice(0, at + 1), centre);
    const wanted =
      load ?? (wasMet(window, plan.targetShare) ? centre * MOVE_MAX : centre / MOVE_MAX);
    centre = Math.min(centre * MOVE_MAX, Math.max(centre / MOVE_MAX, wanted));
  });
  return centre;
}

/** Whether both ends are known and near each other, or chance has crossed them. */
export function isNarrow({ metRps, missedRps }: Bracket): boolean {
  return metRps !== null && missedRps !== null && missedRps / metRps <= BRACKET_RATIO;
}

/** The windows the fit takes: measured to their end, near the centre. */
export function windowsNear(windows: readonly SearchWindow[], centreRps: number): SearchWindow[] {
  // One ended by the test was ended because it looked extreme: it would bias the fit.
  return windows.filter(
    ({ ending, offered, level }) =>
      ending === 'full' && offered > 0 && Math.abs(Math.log(level / centreRps)) <= FIT_REACH,
  );
}

/** The local fit; `null` while there is too little to fit. */
export function localFit(windows: readonly SearchWindow[], centreRps: number): LogisticFit | null {
  const near = windowsNear(windows, centreRps).map(({ level, good, offered }) => ({
    load: level,
    good,
    offered,
  }));
  return logisticFit(near, { centreLoad: centreRps });
}

function crossingNear(
  plan: SearchPlan,
  windows: readonly SearchWindow[],
  centreRps: number,
): Crossing {
  return logisticCrossing(localFit(windows, centreRps), plan.targetShare);
}

function bracketStep(
  plan: SearchPlan,
  { metRps, missedRps }: Bracket,
  leftSeconds: number,
): SearchStep {
  if (leftSeconds < plan.bracketSeconds) return { kind: 'done', reason: 'budgetSpent' };
  const at = (level: number): SearchStep => ({
    kind: 'window',
    phase: 'bracket',
    level: rounded(level),
    seconds: plan.bracketSeconds,
    stopsEarly: true,
  });
  const highest = plan.maxRps ?? Number.POSITIVE_INFINITY;
  if (metRps === null && missedRps === null) return at(Math.min(plan.startRps, highest));
  if (missedRps === null) {
    const met = metRps as number;
    return met >= highest
      ? { kind: 'done', reason: 'metEverywhere' }
      : at(Math.min(2 * met, highest));
  }
  if (metRps === null) {
    return (missedRps / 2) * plan.bracketSeconds < BRACKET_REQUESTS_MIN
      ? { kind: 'done', reason: 'missedEverywhere' }
      : at(missedRps / 2);
  }
  return at(Math.sqrt(metRps * missedRps));
}

function isPrecise(plan: SearchPlan, windows: readonly SearchWindow[]): boolean {
  if (plan.wantedHalfWidthShare === null) return false;
  const { load, interval } = crossingNear(plan, windows, searchCentreRps(plan, windows));
  if (load === null || interval === null) return false;
  return (interval.high - interval.low) / 2 / load <= plan.wantedHalfWidthShare;
}

/** Four significant digits: what a person can read back, and finer than any search can tell. */
function rounded(level: number): number {
  return Number(level.toPrecision(4));
}
