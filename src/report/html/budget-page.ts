/** An error budget as one page: what is left of each, how it was spent, when it will be gone. */
import { markup, type Markup } from '../../base/index.ts';
import type { BudgetStatement, KindBudget } from '../../budget/index.ts';
import { chartFigure, figuresTable, htmlDocument, NO_EXTRA } from '../../page/index.ts';
import {
  BUDGET_COLUMNS,
  BUDGET_NAMES,
  budgetCells,
  budgetSentences,
  periodText,
} from '../budget-report.ts';
import { countFigure, shareFigure } from '../figures.ts';
import { budgetBurnChart, budgetSpentChart } from './budget-charts.ts';
import { type Section, sectionMarkup } from './section.ts';

/** One self-contained HTML file; pure, of the figures of the statement alone. */
export function budgetPage(statement: BudgetStatement, toolVersion: string): string {
  const { budgets } = statement;
  const sections: Section[] = [
    { id: 'left', name: 'What is left', body: leftBody(statement) },
    ...budgets.map((budget) => ({
      id: budget.kind,
      name: BUDGET_NAMES[budget.kind],
      body: spendBody(budget, statement),
    })),
  ];
  const title = titleOf(budgets);
  return htmlDocument({
    title,
    sections,
    main: markup`<h1>${title}</h1>${sections.map(sectionMarkup)}`,
    footer: markup`<p>goodput ${toolVersion}. From counts, never from a mean of ratios; unjudged requests count as misses. This file needs no network and no scripts.</p>`,
    extra: NO_EXTRA,
  });
}

/** The budget with the least left speaks for all. */
function titleOf(budgets: readonly KindBudget[]): string {
  const [least] = budgets
    .filter(({ leftShare }) => leftShare !== null)
    .toSorted((a, b) => (a.leftShare ?? 0) - (b.leftShare ?? 0));
  if (least === undefined) return 'Error budget';
  const { leftShare, kind } = least;
  return (leftShare ?? 0) < 0
    ? `Overspent: the error budget of ${BUDGET_NAMES[kind]}`
    : `${shareFigure(leftShare)} of the error budget of ${BUDGET_NAMES[kind]} is left`;
}

function leftBody(statement: BudgetStatement): Markup {
  const rows = statement.budgets.map(budgetCells);
  return markup`<p>${periodText(statement)}</p>
${figuresTable({ columns: BUDGET_COLUMNS, rows }, 'Error budgets')}
<ul>${budgetSentences(statement).map((line) => markup`<li>${line}</li>`)}</ul>`;
}

function spendBody(budget: KindBudget, statement: BudgetStatement): Markup {
  const note = `Target ${shareFigure(budget.targetShare)}; ${countFigure(budget.bad)} of ${countFigure(budget.offered)} requests missed.`;
  const charts = [
    chartFigure(budgetSpentChart(budget, statement), note),
    chartFigure(budgetBurnChart(budget, statement), note),
  ];
  return markup`<div class="charts">${charts}</div>`;
}
