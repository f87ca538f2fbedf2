/**
 * When a budget will be spent, with a band: the future is drawn from the days that were seen.
 *
 * Each of {@link DRAWS} futures first draws as many days as were seen, with replacement (what the
 * seen days themselves owe to chance), then every coming day from those (Efron's bootstrap, twice).
 * Days count as independent; a weekly rhythm or a trend is not foreseen.
 */
import { assert, randomStream } from '../base/index.ts';

/** Counts of one day, or of one equal step. */
export interface BudgetStep {
  readonly offered: number;
  readonly bad: number;
}

export interface Exhaustion {
  /** Steps from now until the budget is spent; `null` = not before the horizon. */
  readonly earlySteps: number | null;
  readonly medianSteps: number | null;
  readonly lateSteps: number | null;
  /** Part of the futures in which it is spent before the horizon. */
  readonly chanceShare: number;
  readonly horizonSteps: number;
}

const DRAWS = 1_000;
/** Fewer days than this show no spread to speak of. */
export const FORECAST_STEPS_LEAST = 7;

/**
 * `steps`: the period so far, oldest first. `isRolling`: the oldest step leaves as a new one comes.
 * The band holds 80 % of the futures: early and late are its ends.
 *
 * Undefined: `null` with fewer than {@link FORECAST_STEPS_LEAST} steps with requests.
 */
export function forecastExhaustion(
  steps: readonly BudgetStep[],
  options: {
    readonly budgetShare: number;
    readonly isRolling: boolean;
    readonly horizonSteps: number;
    /** Requests that the whole calendar period is expected to bring; unused when rolling. */
    readonly allowedBad: number;
    readonly seed: number;
  },
): Exhaustion | null {
  const seen = steps.filter(({ offered }) => offered > 0);
  if (seen.length < FORECAST_STEPS_LEAST) return null;
  const rng = randomStream(options.seed, 'budget.forecast');
  const draw = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.min(items.length - 1, Math.floor(rng() * items.length))];
    assert(item !== undefined, 'nothing to draw from');
    return item;
  };
  const ends = Array.from({ length: DRAWS }, () => {
    const days = seen.map(() => draw(seen));
    return stepsToExhaustion(steps, () => draw(days), options);
  }).toSorted((a, b) => a - b);
  const at = (q: number): number | null => {
    const value = ends[Math.ceil(q * DRAWS) - 1] ?? Infinity;
    return Number.isFinite(value) ? value : null;
  };
  return {
    earlySteps: at(0.1),
    medianSteps: at(0.5),
    lateSteps: at(0.9),
    chanceShare: ends.filter((each) => Number.isFinite(each)).length / DRAWS,
    horizonSteps: options.horizonSteps,
  };
}

/** Infinity when the budget lasts through the horizon. */
function stepsToExhaustion(
  steps: readonly BudgetStep[],
  next: () => BudgetStep,
  options: Parameters<typeof forecastExhaustion>[1],
): number {
  const { budgetShare, isRolling, horizonSteps, allowedBad } = options;
  let offered = steps.reduce((sum, step) => sum + step.offered, 0);
  let bad = steps.reduce((sum, step) => sum + step.bad, 0);
  const isSpent = (): boolean => bad > 0 && bad >= (isRolling ? budgetShare * offered : allowedBad);
  if (isSpent()) return 0;
  for (let step = 1; step <= horizonSteps; step += 1) {
    const come = next();
    const gone = isRolling ? steps[step - 1] : undefined;
    offered += come.offered - (gone?.offered ?? 0);
    bad += come.bad - (gone?.bad ?? 0);
    if (isSpent()) return step;
  }
  return Infinity;
}
