/** A Sloth specification as an alert plan: the same SLOs, with factors that can fire. */
import { printable, type Problem } from '../base/index.ts';
import { peopleProblems, type PlannedAlerts, WINDOW, type WatchedSlo } from './alert-plan.ts';
import { burnAlerts } from './burn-alert.ts';
import { listIn, readSpecDocuments, type SpecDocument, textIn, valueIn } from './spec-document.ts';

/** Sloth's default period; its files hold none. */
const SLOTH_PERIOD_NS = 30 * 86_400e9;

/** Whether a text says that it is one. */
export function isSlothSpec(text: string): boolean {
  return /^\s*version:\s*["']?prometheus\/v1["']?\s*$/m.test(text);
}

/**
 * Reads SLIs of events; Sloth's raw ratios hold no counts, so neither budget nor guard.
 *
 * Errors: problems with their places.
 */
export function readSloth(text: string, file: string): PlannedAlerts {
  const read = readSpecDocuments(text, file);
  if ('problems' in read) return read;
  const problems: Problem[] = [];
  const document = read.documents[0];
  const entries = document === undefined ? [] : listIn(document.tree, ['slos']);
  if (document === undefined || entries.length === 0) {
    return { problems: [specProblem('the file has no slos', 'see sloth.dev', null)] };
  }
  const slos = entries.flatMap((_, at) => readSlo(document, at, problems));
  const annotation = (name: string): string | null =>
    textIn(document.tree, ['slos', 0, 'alerting', 'annotations', name]);
  const people = {
    owner:
      textIn(document.tree, ['slos', 0, 'alerting', 'labels', 'owner']) ??
      textIn(document.tree, ['slos', 0, 'labels', 'owner']) ??
      textIn(document.tree, ['labels', 'owner']),
    runbook: annotation('runbook') ?? annotation('runbook_url'),
    rollback: annotation('rollback'),
  };
  problems.push(...peopleProblems(people, document.placeOf(['slos', 0, 'alerting'])));
  const { owner, runbook, rollback } = people;
  if (problems.length > 0 || owner === null || runbook === null || rollback === null) {
    return { problems };
  }
  const name = textIn(document.tree, ['service']) ?? 'service';
  return {
    notes: ['a Sloth file holds no period: 30 days are taken'],
    plan: {
      name,
      periodNs: SLOTH_PERIOD_NS,
      slos,
      people: { owner, runbook, rollback },
      own: null,
    },
  };
}

function readSlo(document: SpecDocument, at: number, problems: Problem[]): WatchedSlo[] {
  const path = ['slos', at] as const;
  const { tree } = document;
  const name = textIn(tree, [...path, 'name']) ?? `slo-${at + 1}`;
  const objective = Number(valueIn(tree, [...path, 'objective']));
  const targetShare = Number((objective / 100).toPrecision(12));
  const fail = (key: string, message: string, hint: string): void => {
    problems.push(specProblem(message, hint, document.placeOf([...path, key])));
  };
  if (!(targetShare > 0 && targetShare < 1)) {
    fail('objective', `objective of ${printable(name)} is not a percentage`, 'write objective: 97');
  }
  const events = [...path, 'sli', 'events'] as const;
  const bad = textIn(tree, [...events, 'error_query']);
  const valid = textIn(tree, [...events, 'total_query']);
  const queries = [bad, valid].map((query) => (query === null ? null : asCount(query)));
  const [badQuery = null, validQuery = null] = queries;
  if (badQuery === null || validQuery === null) {
    const hint = `write sli.events with sum(rate(counter{…}[${WINDOW}])) in both queries`;
    fail('sli', `the SLI of ${printable(name)} gives no two counts`, hint);
    return [];
  }
  if (problems.length > 0) return [];
  return [
    {
      slo: name,
      title: textIn(tree, [...path, 'description']) ?? name,
      alertPrefix: 'GoodputBudgetBurn',
      targetShare,
      badQuery,
      validQuery,
      alerts: burnAlerts(targetShare, SLOTH_PERIOD_NS),
    },
  ];
}

/** The query with counts for rates; `null` when it has no rate over Sloth's window. */
function asCount(query: string): string | null {
  const windowed = query.replaceAll(/\{\{\s*\.window\s*\}\}/g, WINDOW);
  if (!windowed.includes(WINDOW) || !/\b(?:rate|increase)\(/.test(windowed)) return null;
  return windowed.replaceAll(/\brate\(/g, 'increase(').trim();
}

function specProblem(message: string, hint: string, place: Problem['place']): Problem {
  return { code: 'E_CONFIG_VALUE', message, hint, place };
}
