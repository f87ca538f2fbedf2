/** What of each budget is spent and left, from counts alone. */
import { assertNever, MS_PER_DAY } from '../base/index.ts';
import { errorBudget } from '../slo/index.ts';
import { shareEstimate, type ConfidenceInterval } from '../stats/index.ts';
import type { Annotation } from './annotations.ts';
import type { BudgetPeriod } from './budget-period.ts';
import type { CountedWindow } from './counts-file.ts';
import { type BudgetStep, type Exhaustion, forecastExhaustion } from './exhaustion-forecast.ts';

/**
 * - `attainment`: every request that was not good, unjudged ones included;
 * - `failures`: those without a complete answer;
 * - `quality`: those completed with a wrong answer.
 */
export type BudgetKind = 'attainment' | 'failures' | 'quality';

export interface AnnotatedSpend {
  readonly annotation: Annotation;
  /** Misses in its span; windows that it cuts are shared out by time. */
  readonly bad: number;
  /** Of what the period allows; `null` when it allows none. */
  readonly share: number | null;
}

export interface KindBudget {
  readonly kind: BudgetKind;
  readonly targetShare: number;
  readonly offered: number;
  readonly bad: number;
  /** Of `bad`, those unjudged: spent only because unknown is never good. */
  readonly unjudged: number;
  /** Misses that the whole period allows; of a calendar period from the requests expected in it. */
  readonly allowedBad: number;
  readonly spentShare: number | null;
  readonly leftShare: number | null;
  /** Of the share of misses, over the steps as batches; `null` = too little data. */
  readonly badInterval: ConfidenceInterval | null;
  /** `null` = too few steps with requests. */
  readonly forecast: Exhaustion | null;
  readonly annotated: readonly AnnotatedSpend[];
  /** Misses in no annotated span. */
  readonly unannotatedBad: number;
  /** The period up to now in equal steps of `stepMs`, oldest first; the last may be shorter. */
  readonly steps: readonly BudgetStep[];
}

export interface BudgetStatement {
  readonly period: BudgetPeriod;
  /** Where the counts end. */
  readonly nowMs: number;
  readonly stepMs: number;
  /** Part of the period up to now that windows cover; below 1 there are holes. */
  readonly coveredShare: number;
  readonly excluded: number;
  readonly budgets: readonly KindBudget[];
  /** Budgets that have a target, and counts that do not tell. */
  readonly unknown: readonly BudgetKind[];
}

export interface BudgetInputs {
  /** In the order of time, none overlapping. */
  readonly windows: readonly CountedWindow[];
  readonly period: BudgetPeriod;
  readonly nowMs: number;
  /** `null` = no such budget. */
  readonly targets: { readonly [Kind in BudgetKind]: number | null };
  readonly annotations: readonly Annotation[];
  readonly seed: number;
}

/** Periods are cut into steps of a day, or thirty where they are shorter than a month. */
const STEPS = 30;

export function budgetStatement(inputs: BudgetInputs): BudgetStatement {
  const { period, nowMs, targets } = inputs;
  const windows = inputs.windows.filter(
    ({ fromMs, toMs }) => fromMs >= period.fromMs && toMs <= Math.min(nowMs, period.toMs),
  );
  const stepMs = Math.min(MS_PER_DAY, (period.toMs - period.fromMs) / STEPS);
  const kinds = (['attainment', 'failures', 'quality'] as const).filter(
    (kind) => targets[kind] !== null,
  );
  const unknown = kinds.filter((kind) => windows.some((window) => badOf(kind, window) === null));
  const covered = windows.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return {
    period,
    nowMs,
    stepMs,
    coveredShare: covered / (Math.min(nowMs, period.toMs) - period.fromMs),
    excluded: windows.reduce((sum, each) => sum + each.excluded, 0),
    budgets: kinds
      .filter((kind) => !unknown.includes(kind))
      .map((kind) => kindBudget(kind, windows, stepMs, inputs)),
    unknown,
  };
}

/** Misses of a kind in a window; `null` when its counts do not tell. */
function badOf(kind: BudgetKind, window: CountedWindow): number | null {
  switch (kind) {
    case 'attainment':
      return window.offered - window.good;
    case 'failures':
      return window.failed;
    case 'quality':
      return window.incorrect;
    default:
      return assertNever(kind);
  }
}

function kindBudget(
  kind: BudgetKind,
  windows: readonly CountedWindow[],
  stepMs: number,
  { period, nowMs, targets, annotations, seed }: BudgetInputs,
): KindBudget {
  const targetShare = targets[kind] ?? 1;
  const isRolling = period.choice.kind === 'rolling';
  const steps = stepsOf(kind, windows, { fromMs: period.fromMs, toMs: nowMs, stepMs });
  const offered = windows.reduce((sum, each) => sum + each.offered, 0);
  const bad = windows.reduce((sum, each) => sum + (badOf(kind, each) ?? 0), 0);
  const elapsed = (nowMs - period.fromMs) / (period.toMs - period.fromMs);
  // A calendar period is not over: its budget is for the requests it will have had.
  const expected = isRolling ? offered : offered / Math.max(elapsed, Number.EPSILON);
  const { budgetShare, allowedBad, spentShare, leftShare } = errorBudget({
    targetShare,
    offered: Math.max(expected, offered),
    bad,
  });
  const spends = annotations.map((annotation): AnnotatedSpend => {
    const spent = badWithin(kind, windows, [annotation]);
    return { annotation, bad: spent, share: allowedBad > 0 ? spent / allowedBad : null };
  });
  return {
    kind,
    targetShare,
    offered,
    bad,
    unjudged: kind === 'attainment' ? windows.reduce((sum, each) => sum + each.unjudged, 0) : 0,
    allowedBad,
    spentShare,
    leftShare,
    badInterval:
      shareEstimate(
        steps.map((step) => ({ good: step.bad, offered: step.offered })),
        1,
      )?.interval ?? null,
    forecast: forecastExhaustion(steps, {
      budgetShare,
      isRolling,
      allowedBad,
      horizonSteps: Math.ceil(
        (isRolling ? period.toMs - period.fromMs : period.toMs - nowMs) / stepMs,
      ),
      seed,
    }),
    annotated: spends,
    unannotatedBad: bad - badWithin(kind, windows, annotations),
    steps,
  };
}

/** Counts by step; a window belongs to the step in which it begins. */
function stepsOf(
  kind: BudgetKind,
  windows: readonly CountedWindow[],
  {
    fromMs,
    toMs,
    stepMs,
  }: { readonly fromMs: number; readonly toMs: number; readonly stepMs: number },
): BudgetStep[] {
  const count = Math.max(1, Math.ceil((toMs - fromMs) / stepMs));
  const steps = Array.from({ length: count }, () => ({ offered: 0, bad: 0 }));
  for (const window of windows) {
    const step = steps[Math.min(count - 1, Math.floor((window.fromMs - fromMs) / stepMs))];
    if (step === undefined) continue;
    step.offered += window.offered;
    step.bad += badOf(kind, window) ?? 0;
  }
  return steps;
}

/** Misses within any of the spans; a window that a span cuts gives by time. */
function badWithin(
  kind: BudgetKind,
  windows: readonly CountedWindow[],
  spans: readonly Annotation[],
): number {
  return windows.reduce((sum, window) => {
    const share = coveredMs(window, spans) / (window.toMs - window.fromMs);
    return sum + share * (badOf(kind, window) ?? 0);
  }, 0);
}

/** Milliseconds of a window that lie in at least one span: two causes at once count once. */
function coveredMs(window: CountedWindow, spans: readonly Annotation[]): number {
  let covered = 0;
  let untilMs = window.fromMs;
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const from = Math.max(span.fromMs, untilMs);
    const to = Math.min(span.toMs, window.toMs);
    if (to <= from) continue;
    covered += to - from;
    untilMs = to;
  }
  return covered;
}
