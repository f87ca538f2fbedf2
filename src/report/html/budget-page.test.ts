import { expect, it } from 'vitest';
import {
  type Annotation,
  budgetStatement,
  type KindBudget,
  periodAt,
  type CountedWindow,
} from '../../budget/index.ts';
import { budgetSpentChart } from './budget-charts.ts';
import { budgetPage } from './budget-page.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-11-30T00:00:00Z');

/** Ten days of 1,000 requests, `badOfDay` of them missed. */
function statementOf(badOfDay: (day: number) => number, noted: readonly Annotation[] = []) {
  const windows = Array.from({ length: 10 }, (_, day): CountedWindow => {
    const fromMs = NOW_MS - (10 - day) * DAY_MS;
    const bad = badOfDay(day);
    return {
      windowStart: new Date(fromMs).toISOString(),
      windowEnd: new Date(fromMs + DAY_MS).toISOString(),
      fromMs,
      toMs: fromMs + DAY_MS,
      offered: 1_000,
      good: 1_000 - bad,
      bad,
      excluded: 0,
      unjudged: 0,
      failed: 0,
      incorrect: 0,
    };
  });
  return budgetStatement({
    windows,
    period: periodAt({ kind: 'rolling', lengthMs: 10 * DAY_MS }, NOW_MS),
    nowMs: NOW_MS,
    targets: { attainment: 0.97, failures: null, quality: null },
    annotations: [
      { kind: 'deploy', fromMs: NOW_MS - DAY_MS, toMs: NOW_MS, note: '<script>alert(1)</script>' },
      ...noted,
    ],
    seed: 1,
  });
}

it('says what is left, draws every day, and lets no note become markup', () => {
  const page = budgetPage(
    statementOf(() => 15),
    '0.1.0',
  );
  // 150 missed of the 300 that 3 % of 10,000 allows.
  expect(page).toContain('<h1>50.0 % of the error budget of attainment is left</h1>');
  expect(page.match(/15 of 1,000 missed/g)).toHaveLength(10);
  expect(page).toContain('&lt;script&gt;alert(1)');
  expect(page).not.toContain('<script>alert(1)');
});

it('names the budget that is overspent', () => {
  const page = budgetPage(
    statementOf((day) => (day === 4 ? 400 : 0)),
    '0.1.0',
  );
  expect(page).toContain('Overspent: the error budget of attainment');
});

it('draws the period alone, whatever was noted before it', () => {
  const chartOf = (daysBefore: number, days: number): string => {
    const fromMs = NOW_MS - (10 + daysBefore) * DAY_MS;
    const noted: Annotation = { kind: 'incident', fromMs, toMs: fromMs + days * DAY_MS, note: '' };
    const statement = statementOf(() => 15, [noted]);
    return JSON.stringify(budgetSpentChart(statement.budgets[0] as KindBudget, statement));
  };
  expect(chartOf(90, 1)).not.toContain('incident');
  // It reached into the period: as if it had begun with it.
  expect(chartOf(90, 91)).toBe(chartOf(0, 1));
});
