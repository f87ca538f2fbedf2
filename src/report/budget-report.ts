/** An error budget as a terminal page, as Markdown and as a web page: the same rows and sentences. */
import { durationText, instantText, NS_PER_MS, printable } from '../base/index.ts';
import type { BudgetStatement, KindBudget } from '../budget/index.ts';
import { countFigure, shareFigure, targetFigure } from './figures.ts';
import { aligned } from './layout.ts';
import { literal, table } from './markdown-text.ts';

/** Fewer allowed misses than this, and one request more or less turns the verdict. */
const FEW_MISSES = 10;

export const BUDGET_NAMES = {
  attainment: 'attainment',
  failures: 'hard failures',
  quality: 'quality',
} as const;
export const BUDGET_COLUMNS = ['budget', 'target', 'bad', 'offered', 'allowed', 'spent', 'left'];

/** The drawing code is loaded when it is first asked for. */
export async function htmlBudget(statement: BudgetStatement, toolVersion: string): Promise<string> {
  const { budgetPage } = await import('./html/budget-page.ts');
  return budgetPage(statement, toolVersion);
}

export function terminalBudget(statement: BudgetStatement): string {
  const rows = aligned([BUDGET_COLUMNS, ...statement.budgets.map(budgetCells)]);
  return `${[periodText(statement), '', ...rows, '', ...budgetSentences(statement)].join('\n')}\n`;
}

export function markdownBudget(statement: BudgetStatement): string {
  const lines = budgetSentences(statement).map((line) => `- ${literal(line)}`);
  return `${['## Error budget', '', literal(periodText(statement)), '', ...table(BUDGET_COLUMNS, statement.budgets.map(budgetCells)), '', ...lines].join('\n')}\n`;
}

/** `the last 30d: … to …, counted up to …`. */
export function periodText({ period, nowMs, coveredShare }: BudgetStatement): string {
  const span = `${instantText(period.fromMs)} to ${instantText(period.toMs)}`;
  const { choice } = period;
  const name =
    choice.kind === 'rolling'
      ? `the last ${durationText(choice.lengthMs * NS_PER_MS)}`
      : `this ${choice.unit} in ${choice.timeZone}`;
  const holes = coveredShare < 0.999 ? `; counts cover ${shareFigure(coveredShare)} of it` : '';
  return `${name}: ${span}, counted up to ${instantText(nowMs)}${holes}`;
}

/** The row of a budget under {@link BUDGET_COLUMNS}. */
export function budgetCells(budget: KindBudget): string[] {
  const { kind, targetShare, bad, offered, allowedBad, spentShare, leftShare } = budget;
  return [
    BUDGET_NAMES[kind],
    targetFigure(targetShare),
    countFigure(bad),
    countFigure(offered),
    countFigure(Math.round(allowedBad)),
    shareFigure(spentShare),
    shareFigure(leftShare),
  ];
}

/** What the rows do not say: forecasts, intervals, annotations, what is unknown. */
export function budgetSentences(statement: BudgetStatement): string[] {
  const { budgets, unknown, excluded, period, nowMs } = statement;
  const lines = budgets.flatMap((budget) => sentencesOf(budget, statement));
  for (const kind of unknown)
    lines.push(`${BUDGET_NAMES[kind]}: not known, the counts do not tell`);
  if (excluded > 0) {
    lines.push(
      `${countFigure(excluded)} requests were refused by a published limit and spend nothing`,
    );
  }
  if (period.choice.kind === 'calendar' && nowMs < period.toMs) {
    lines.push('allowed: for the requests of the whole period, at the mean rate so far');
  }
  return lines;
}

function sentencesOf(budget: KindBudget, statement: BudgetStatement): string[] {
  const { kind, allowedBad, unjudged, badInterval, annotated, unannotatedBad, bad } = budget;
  const name = BUDGET_NAMES[kind];
  const lines = [`${name}: ${forecastText(budget, statement)}`];
  if (allowedBad < FEW_MISSES) {
    const each =
      allowedBad > 0 ? `one miss spends ${shareFigure(1 / allowedBad)}` : 'none may miss';
    lines.push(
      `${name}: little traffic: ${each}; take a longer period, a lower target, or pool services`,
    );
  }
  if (badInterval !== null) {
    const { low, high } = badInterval;
    lines.push(
      `${name}: bad share ${shareFigure(low)} to ${shareFigure(high)} (95 %, batch means)`,
    );
  } else lines.push(`${name}: too little data for an interval`);
  if (unjudged > 0) {
    lines.push(`${name}: ${countFigure(unjudged)} of the bad are unjudged: unknown is never good`);
  }
  for (const { annotation, bad: spent, share } of annotated) {
    const note = annotation.note === '' ? '' : ` "${printable(annotation.note)}"`;
    lines.push(
      `${name}: ${annotation.kind}${note} from ${instantText(annotation.fromMs)} spent ${shareFigure(share)} (${countFigure(Math.round(spent))} misses)`,
    );
  }
  if (annotated.length > 0) {
    lines.push(
      `${name}: outside of them ${countFigure(Math.round(unannotatedBad))} of ${countFigure(bad)} misses`,
    );
  }
  return lines;
}

function forecastText(
  { spentShare, bad, forecast }: KindBudget,
  statement: BudgetStatement,
): string {
  if (spentShare === null || spentShare >= 1) return bad > 0 ? 'overspent' : 'no miss is allowed';
  if (forecast === null) return 'too few days for a forecast';
  const { earlySteps, medianSteps, lateSteps, chanceShare, horizonSteps } = forecast;
  const at = (steps: number | null): string =>
    steps === null ? 'later' : instantText(statement.nowMs + steps * statement.stepMs).slice(0, 10);
  const horizon = at(horizonSteps);
  if (chanceShare === 0) return `lasts beyond ${horizon} in every future drawn from these days`;
  return (
    `spent by ${horizon} in ${shareFigure(chanceShare)} of futures drawn from these days; ` +
    `80 % band ${at(earlySteps)} to ${at(lateSteps)}, median ${at(medianSteps)}`
  );
}
