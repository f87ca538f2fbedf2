/** Charts of an error budget over its period: what is spent of it, and how fast each step spent. */
import { instantText } from '../../base/index.ts';
import type { BudgetStatement, KindBudget } from '../../budget/index.ts';
import { type Axis, type Chart, type Reference, xyChart } from '../../charts/index.ts';
import { burnRate } from '../../slo/index.ts';
import { BUDGET_NAMES } from '../budget-report.ts';
import { countFigure, levelFigure } from '../figures.ts';
import { countTick } from './axes.ts';

const DAY = { name: 'days', ms: 86_400_000 };
const HOUR = { name: 'hours', ms: 3_600_000 };

/** Misses so far, against what the period allows and against an even spend of it. */
export function budgetSpentChart(budget: KindBudget, statement: BudgetStatement): Chart {
  const { axis, at } = timeOf(statement);
  const { fromMs, toMs } = statement.period;
  let bad = 0;
  const spent = budget.steps.map((step, index) => {
    bad += step.bad;
    const endMs = Math.min(fromMs + (index + 1) * statement.stepMs, statement.nowMs);
    return {
      x: at(endMs),
      y: bad,
      tip: `${instantText(endMs)}: ${countFigure(bad)} missed so far`,
    };
  });
  return xyChart({
    name: `budget-${budget.kind}`,
    title: `Spent: ${BUDGET_NAMES[budget.kind]}`,
    description: `Misses added up over the period against the ${levelFigure(budget.allowedBad)} that it allows.`,
    x: axis,
    y: { name: 'requests', kind: 'linear', format: countTick },
    series: [
      {
        name: 'missed so far',
        draw: 'line',
        dots: false,
        tone: 'bad',
        points: [{ x: at(fromMs), y: 0 }, ...spent],
      },
      {
        name: 'allowed, spent evenly',
        draw: 'line',
        dots: false,
        tone: 'good',
        points: [
          { x: at(fromMs), y: 0 },
          { x: at(toMs), y: budget.allowedBad },
        ],
      },
    ],
    references: [
      {
        axis: 'y',
        at: budget.allowedBad,
        label: `allowed in all ${levelFigure(budget.allowedBad)}`,
        kind: 'limit',
      },
      ...annotationLines(budget, statement),
    ],
  });
}

/** How many times faster than allowed each step spent; a step without requests has no rate. */
export function budgetBurnChart(budget: KindBudget, statement: BudgetStatement): Chart {
  const { axis, at } = timeOf(statement);
  const { targetShare, kind, steps } = budget;
  return xyChart({
    name: `burn-${kind}`,
    title: `Burn rate: ${BUDGET_NAMES[kind]}`,
    description:
      'Share of misses in each step, divided by the share that may miss; at 1 the budget lasts exactly its period.',
    x: axis,
    y: { name: 'burn rate', kind: 'linear', format: (value) => `${countTick(value)}×` },
    series: [
      {
        name: 'all requests of a step',
        draw: 'line',
        dots: true,
        points: steps.map(({ offered, bad }, index) => {
          const fromMs = statement.period.fromMs + index * statement.stepMs;
          const y = offered === 0 ? null : burnRate({ targetShare, offered, bad });
          const counts = `${countFigure(bad)} of ${countFigure(offered)} missed`;
          return { x: at(fromMs), y, tip: `${instantText(fromMs)}: ${counts}` };
        }),
      },
    ],
    references: [{ axis: 'y', at: 1, label: 'as fast as allowed', kind: 'limit' }],
  });
}

/** Where each thing that was noted began, or the period if that was later. */
function annotationLines({ annotated }: KindBudget, statement: BudgetStatement): Reference[] {
  const { at } = timeOf(statement);
  const { fromMs, toMs } = statement.period;
  return annotated
    .map(({ annotation }) => annotation)
    .filter((annotation) => annotation.toMs > fromMs && annotation.fromMs < toMs)
    .map((annotation) => ({
      axis: 'x',
      at: at(Math.max(annotation.fromMs, fromMs)),
      label: annotation.kind,
      kind: 'target',
    }));
}

function timeOf({ period }: BudgetStatement): { axis: Axis; at: (ms: number) => number } {
  const { fromMs, toMs } = period;
  const unit = toMs - fromMs >= 3 * DAY.ms ? DAY : HOUR;
  return {
    axis: {
      name: `${unit.name} since ${instantText(fromMs)}`,
      kind: 'linear',
      format: countTick,
    },
    at: (ms) => (ms - fromMs) / unit.ms,
  };
}
