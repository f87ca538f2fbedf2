/** OpenSLO documents as an alert plan. */
import { parseDurationNs, printable, type Problem } from '../base/index.ts';
import {
  peopleProblems,
  periodProblems,
  type PlannedAlerts,
  WINDOW,
  type WatchedSlo,
} from './alert-plan.ts';
import { burnAlerts } from './burn-alert.ts';
import { readSpecDocuments, type SpecDocument, textIn, valueIn } from './spec-document.ts';

/** Whether a text says that it is one. */
export function isOpenSlo(text: string): boolean {
  return /^\s*apiVersion:\s*["']?openslo\/v1["']?\s*$/m.test(text);
}

const RATIO = ['spec', 'indicator', 'spec', 'ratioMetric'] as const;

/**
 * Reads SLOs of one rolling window, counted by occurrences, with an inline ratio of counters. The
 * people come from the annotations `goodput/owner`, `goodput/runbook`, `goodput/rollback`.
 *
 * Errors: problems with their places; what cannot be kept exactly is refused, not bent.
 */
export function readOpenSlo(text: string, file: string): PlannedAlerts {
  const read = readSpecDocuments(text, file);
  if ('problems' in read) return read;
  const documents = read.documents.filter(({ tree }) => valueIn(tree, ['kind']) === 'SLO');
  const [first] = documents;
  if (first === undefined) {
    const hint = 'the file must hold a document with kind: SLO';
    return {
      problems: [{ code: 'E_CONFIG_VALUE', message: 'there is no SLO', hint, place: null }],
    };
  }
  const problems = documents.flatMap((document) => shapeProblems(document));
  const periodNs = periodOf(first) ?? 0;
  const annotation = (name: string): string | null =>
    textIn(first.tree, ['metadata', 'annotations', `goodput/${name}`]);
  const [owner, runbook, rollback] = ['owner', 'runbook', 'rollback'].map(annotation);
  const people = { owner: owner ?? null, runbook: runbook ?? null, rollback: rollback ?? null };
  problems.push(...peopleProblems(people, first.placeOf(['metadata'])));
  if (periodNs > 0) {
    problems.push(...periodProblems(periodNs, first.placeOf(['spec', 'timeWindow'])));
  }
  if (problems.length > 0 || !owner || !runbook || !rollback) return { problems };
  return {
    notes: [],
    plan: {
      name: textIn(first.tree, ['spec', 'service']) ?? 'service',
      periodNs,
      slos: documents.map((document) => watched(document, periodNs)),
      people: { owner, runbook, rollback },
      own: null,
    },
  };
}

function periodOf({ tree }: SpecDocument): number | null {
  const text = textIn(tree, ['spec', 'timeWindow', 0, 'duration']) ?? '';
  const weeks = /^(\d+)w$/.exec(text);
  return weeks === null ? parseDurationNs(text) : Number(weeks[1]) * 7 * 86_400e9;
}

function shapeProblems(document: SpecDocument): Problem[] {
  const { tree } = document;
  const wrong = (
    isWrong: boolean,
    path: readonly (string | number)[],
    message: string,
    hint: string,
  ): Problem[] =>
    isWrong ? [{ code: 'E_CONFIG_VALUE', message, hint, place: document.placeOf([...path]) }] : [];
  const name = printable(textIn(tree, ['metadata', 'name']) ?? 'the SLO');
  const target = Number(valueIn(tree, ['spec', 'objectives', 0, 'target']));
  const method = valueIn(tree, ['spec', 'budgetingMethod']) ?? 'Occurrences';
  const objectives = valueIn(tree, ['spec', 'objectives']);
  return [
    ...wrong(
      !(target > 0 && target < 1) || (Array.isArray(objectives) && objectives.length > 1),
      ['spec', 'objectives'],
      `${name} needs exactly one objective with a target between 0 and 1`,
      'write objectives: [{ target: 0.97 }]',
    ),
    ...wrong(
      method !== 'Occurrences',
      ['spec', 'budgetingMethod'],
      `${name} counts time slices, not requests`,
      'write budgetingMethod: Occurrences',
    ),
    ...wrong(
      periodOf(document) === null || valueIn(tree, ['spec', 'timeWindow', 0, 'isRolling']) !== true,
      ['spec', 'timeWindow'],
      `${name} has no rolling window`,
      'write timeWindow: [{ duration: 30d, isRolling: true }]',
    ),
    ...wrong(
      queryOf(document, 'total') === null || badOf(document) === null,
      ['spec', 'indicator'],
      `${name} has no inline ratio of two Prometheus counters`,
      'write indicator.spec.ratioMetric with counter: true, bad or good, and total',
    ),
  ];
}

function watched(document: SpecDocument, periodNs: number): WatchedSlo {
  const { tree } = document;
  const slo = textIn(tree, ['metadata', 'name']) ?? 'slo';
  const targetShare = Number(valueIn(tree, ['spec', 'objectives', 0, 'target']));
  return {
    slo,
    title: textIn(tree, ['spec', 'objectives', 0, 'displayName']) ?? slo,
    alertPrefix: 'GoodputBudgetBurn',
    targetShare,
    badQuery: badOf(document) ?? '',
    validQuery: queryOf(document, 'total') ?? '',
    alerts: burnAlerts(targetShare, periodNs),
  };
}

function badOf(document: SpecDocument): string | null {
  const bad = queryOf(document, 'bad');
  const good = queryOf(document, 'good');
  const total = queryOf(document, 'total');
  if (bad !== null) return bad;
  return good === null || total === null ? null : `${total} - ${good}`;
}

/** A count over {@link WINDOW}: a bare counter selector is summed, a windowed query is taken. */
function queryOf(document: SpecDocument, part: 'good' | 'bad' | 'total'): string | null {
  const query = textIn(document.tree, [...RATIO, part, 'metricSource', 'spec', 'query'])?.trim();
  if (query === undefined || valueIn(document.tree, [...RATIO, 'counter']) !== true) return null;
  const windowed = query.replaceAll(/\{\{\s*\.window\s*\}\}/g, WINDOW);
  if (windowed.includes(WINDOW)) return windowed.replaceAll(/\brate\(/g, 'increase(');
  return /^[A-Za-z_:][\w:]*(?:\{[^{}]*\})?$/.test(query)
    ? `sum(increase(${query}[${WINDOW}]))`
    : null;
}
