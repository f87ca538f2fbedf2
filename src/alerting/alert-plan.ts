/** What is to be watched: objectives as pairs of counts, with the people who answer for them. */
import { durationText, type Place, type Problem } from '../base/index.ts';
import { shareText, type Objective } from '../slo/index.ts';
import { ALERT_PERIOD_LEAST_NS, type BurnAlert, burnAlerts } from './burn-alert.ts';
import { objectiveRevision, REQUESTS_COUNTER, selector } from './counter-family.ts';

/** Stands for the window in a query, as Sloth writes it. */
export const WINDOW = '{{.window}}';

/** One target on one pair of counts. */
export interface WatchedSlo {
  /** Value of the label `slo`. */
  readonly slo: string;
  readonly title: string;
  /** Begins the names of its alerts. */
  readonly alertPrefix: 'GoodputBudgetBurn' | 'GoodputFailureBurn';
  /** In (0, 1). */
  readonly targetShare: number;
  /** PromQL for how many requests were bad, and how many were judged, over {@link WINDOW}. */
  readonly badQuery: string;
  readonly validQuery: string;
  readonly alerts: readonly BurnAlert[];
}

export interface AlertPlan {
  /** Of the service. */
  readonly name: string;
  readonly periodNs: number;
  readonly slos: readonly WatchedSlo[];
  readonly people: People;
  /** What only goodput's own counters can tell; `null` for counters of somebody else. */
  readonly own: OwnCounters | null;
}

export interface OwnCounters {
  readonly revision: string;
  /** Shares of the hour's requests above which a ticket is opened. */
  readonly excludedShare: number;
  readonly unjudgedShare: number;
}

/** Who is woken, what they then read, and what they may go back to. */
export interface People {
  readonly owner: string;
  readonly runbook: string;
  readonly rollback: string;
}

/** The pair to an attainment target that names no success target: its total outage pages in 5 min. */
export const DEFAULT_SUCCESS_SHARE = 0.995;
const DEFAULT_PERIOD_NS = 30 * 86_400e9;
const DEFAULT_EXCLUDED_SHARE = 0.1;

export type PlannedAlerts =
  | { readonly plan: AlertPlan; readonly notes: readonly string[] }
  | { readonly problems: readonly Problem[] };

/**
 * The alerts of an objective: one SLO for its attainment and one for hard failures.
 *
 * Errors: problems when nobody owns it, no runbook or rollback is named, or no target can be
 * alerted on; at `place`, where the objective begins.
 */
export function planAlerts(objective: Objective, place: Place | null): PlannedAlerts {
  const { attainmentShare, successShare } = objective.population;
  const periodNs = objective.population.periodNs ?? DEFAULT_PERIOD_NS;
  const problems = [...peopleProblems(objective, place), ...periodProblems(periodNs, place)];
  if (attainmentShare === null) {
    const message = `the objective ${objective.name} has no attainment target, so it has no budget`;
    problems.push({
      code: 'E_CONFIG_MISSING_KEY',
      message,
      hint: 'write population.attainment: 97%',
      place,
    });
  }
  for (const [key, share] of Object.entries({
    attainment: attainmentShare,
    success: successShare,
  })) {
    if (share === 1) problems.push(noBudget(key, place));
  }
  const { owner, runbook, rollback } = objective;
  if (problems.length > 0 || attainmentShare === null) return { problems };
  if (owner === null || runbook === null || rollback === null) return { problems };
  const revision = objectiveRevision(objective);
  const watch = (
    slo: string,
    title: string,
    alertPrefix: WatchedSlo['alertPrefix'],
    targetShare: number,
  ): WatchedSlo => ({
    slo,
    title,
    alertPrefix,
    targetShare,
    badQuery: increaseOf({ slo, revision, result: 'bad' }),
    validQuery: increaseOf({ slo, revision }),
    alerts: burnAlerts(targetShare, periodNs),
  });
  const notes: string[] = [];
  if (successShare === null) {
    notes.push(
      `no success target: hard failures are watched at ${shareText(DEFAULT_SUCCESS_SHARE)}, ` +
        'or a total outage would wait for the slower attainment page',
    );
  }
  return {
    notes,
    plan: {
      name: objective.name,
      periodNs,
      people: { owner, runbook, rollback },
      slos: [
        watch(objective.name, 'attainment', 'GoodputBudgetBurn', attainmentShare),
        watch(
          failuresSlo(objective.name),
          'hard failures',
          'GoodputFailureBurn',
          successShare ?? DEFAULT_SUCCESS_SHARE,
        ),
      ],
      own: {
        revision,
        excludedShare: DEFAULT_EXCLUDED_SHARE,
        // As many unjudged as may miss, and the verdict is anybody's guess.
        unjudgedShare: Number((1 - attainmentShare).toPrecision(12)),
      },
    },
  };
}

/** Label of the paired SLO: its bad requests have no complete answer, however late the others. */
export function failuresSlo(name: string): string {
  return `${name}-failures`;
}

function increaseOf(labels: Readonly<Record<string, string>>): string {
  return `sum(increase(${REQUESTS_COUNTER}${selector(labels)}[${WINDOW}]))`;
}

/** A page that nobody owns, or that leads nowhere, is not generated. */
export function peopleProblems(
  people: { readonly [Key in keyof People]: string | null },
  place: Place | null,
): Problem[] {
  const wanted = {
    owner: 'write owner: team-serving',
    runbook: 'write runbook: docs/runbooks/chat.md',
    rollback: 'write rollback: "previous engine image"',
  } as const;
  return (['owner', 'runbook', 'rollback'] as const).flatMap((key) =>
    people[key] === null || people[key].trim() === ''
      ? [
          {
            code: 'E_CONFIG_MISSING_KEY' as const,
            message: `${key} is missing: an alert without one wakes somebody for nothing`,
            hint: wanted[key],
            place,
          },
        ]
      : [],
  );
}

export function periodProblems(periodNs: number, place: Place | null): Problem[] {
  if (periodNs >= ALERT_PERIOD_LEAST_NS) return [];
  const message = `a period of ${durationText(periodNs)} is too short for burn-rate alerts`;
  const hint = `write population.period: 30d, at least ${durationText(ALERT_PERIOD_LEAST_NS)}`;
  return [{ code: 'E_CONFIG_VALUE', message, hint, place }];
}

function noBudget(key: string, place: Place | null): Problem {
  const message = `a target of 100% for ${key} leaves no budget: every miss would page`;
  return { code: 'E_CONFIG_VALUE', message, hint: `write population.${key}: 99.9%`, place };
}
