/** An alert plan → Prometheus recording and alerting rules. */
import { stringify } from 'yaml';
import { durationText } from '../base/index.ts';
import { shareText } from '../slo/index.ts';
import { type AlertPlan, WINDOW, type WatchedSlo } from './alert-plan.ts';
import { BAD_LEAST, type BurnAlert, GUARD_Z, missableShare } from './burn-alert.ts';
import {
  EXCLUDED_COUNTER,
  REQUESTS_COUNTER,
  selector,
  UNJUDGED_COUNTER,
} from './counter-family.ts';

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface RuleGroup {
  readonly name: string;
  readonly interval: string;
  readonly rules: readonly (RecordingRule | AlertingRule)[];
}

/** Names of what is recorded; `window` as Prometheus writes durations. */
export const RECORDED = {
  bad: (window: string) => `goodput:slo_bad:increase${window}`,
  valid: (window: string) => `goodput:slo_valid:increase${window}`,
  badShare: (window: string) => `goodput:slo_bad:ratio${window}`,
  badShareLow: (window: string) => `goodput:slo_bad_low:ratio${window}`,
  budgetLeft: 'goodput:slo_budget_left:ratio',
  target: 'goodput:slo_target:ratio',
  excludedShare: 'goodput:slo_excluded:ratio1h',
  unjudgedShare: 'goodput:slo_unjudged:ratio1h',
} as const;

/** Windows are evaluated this often, so an alert is at most this late. */
export const EVALUATION = '1m';
/** The period's sums read many samples; they move slowly. */
const PERIOD_EVALUATION = '5m';

/** The rules file as YAML, the same for the same plan. */
export function prometheusRules(plan: AlertPlan): string {
  const groups = ruleGroups(plan);
  return `# Written by goodput rules; write it anew rather than editing it.\n${yamlText({ groups })}`;
}

/** YAML whose long expressions stay on one line. */
export function yamlText(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

export function ruleGroups(plan: AlertPlan): RuleGroup[] {
  const groups = plan.slos.flatMap((slo): RuleGroup[] => [
    {
      name: `goodput-${slo.slo}-period`,
      interval: PERIOD_EVALUATION,
      rules: periodRules(slo, durationText(plan.periodNs)),
    },
    // Rules of one group are evaluated in order: no alert reads a window of the round before.
    {
      name: `goodput-${slo.slo}-burn`,
      interval: EVALUATION,
      rules: [
        ...windowsOf(slo).flatMap((window) => windowRules(slo, window)),
        ...slo.alerts.map((alert) => burnRule(plan, slo, alert)),
      ],
    },
  ]);
  return plan.own === null
    ? groups
    : [
        ...groups,
        { name: `goodput-${plan.name}-coverage`, interval: EVALUATION, rules: coverageRules(plan) },
      ];
}

interface ReadWindow {
  readonly ns: number;
  /** Only a long window is asked whether its share may be chance. */
  readonly isGuarded: boolean;
}

/** Every window that an alert reads, shortest first. */
function windowsOf({ alerts }: WatchedSlo): ReadWindow[] {
  const longs = new Set(alerts.map(({ longNs }) => longNs));
  const all = new Set([...alerts.map(({ shortNs }) => shortNs), ...longs]);
  return [...all].toSorted((a, b) => a - b).map((ns) => ({ ns, isGuarded: longs.has(ns) }));
}

function windowRules(
  { slo, badQuery, validQuery }: WatchedSlo,
  { ns, isGuarded }: ReadWindow,
): RecordingRule[] {
  const window = durationText(ns);
  const labels = { slo };
  const of = (name: string): string => `${name}${selector(labels)}`;
  const bad = of(RECORDED.bad(window));
  const valid = of(RECORDED.valid(window));
  return [
    { record: RECORDED.bad(window), expr: badQuery.replaceAll(WINDOW, window), labels },
    { record: RECORDED.valid(window), expr: validQuery.replaceAll(WINDOW, window), labels },
    { record: RECORDED.badShare(window), expr: `${bad} / (${valid} > 0)`, labels },
    ...(isGuarded
      ? [{ record: RECORDED.badShareLow(window), expr: wilsonLowQuery(bad, valid), labels }]
      : []),
  ];
}

/** Wilson's one-sided lower bound from two counts; see `wilsonLow`. */
function wilsonLowQuery(bad: string, valid: string): string {
  const z2 = Number((GUARD_Z * GUARD_Z).toPrecision(6));
  const half = z2 / 2;
  const spread = `${bad} * (${valid} - ${bad}) / (${valid} > 0) + ${z2 / 4}`;
  return `(${bad} + ${half} - ${GUARD_Z} * sqrt(${spread})) / (${valid} + ${z2})`;
}

function periodRules({ slo, badQuery, validQuery, targetShare }: WatchedSlo, period: string) {
  const labels = { slo };
  const [bad, valid] = [RECORDED.bad(period), RECORDED.valid(period)];
  const spent = `${bad}${selector(labels)} / (${missableShare(targetShare)} * ${valid}${selector(labels)} > 0)`;
  return [
    { record: RECORDED.target, expr: `vector(${targetShare})`, labels },
    { record: bad, expr: badQuery.replaceAll(WINDOW, period), labels },
    { record: valid, expr: validQuery.replaceAll(WINDOW, period), labels },
    { record: RECORDED.budgetLeft, expr: `1 - ${spent}`, labels },
  ];
}

function burnRule(plan: AlertPlan, watched: WatchedSlo, alert: BurnAlert): AlertingRule {
  const { name, severity, longNs, shortNs, factor, thresholdShare, budgetShare } = alert;
  const { slo, title, targetShare } = watched;
  const [long, short] = [durationText(longNs), durationText(shortNs)];
  const of = selector({ slo });
  const expr = [
    `${RECORDED.badShareLow(long)}${of} > ${thresholdShare}`,
    `${RECORDED.badShare(short)}${of} > ${thresholdShare}`,
    // increase() extrapolates, so a count is whole only about.
    `${RECORDED.bad(long)}${of} > ${BAD_LEAST - 0.5}`,
  ].join(' and ');
  const percent = (share: number): string => shareText(Number(share.toPrecision(3)));
  return {
    alert: burnAlertName(watched, alert),
    expr,
    labels: { slo, severity, burn: name, owner: plan.people.owner },
    annotations: {
      summary: `${slo}: ${title} burns its budget more than ${Number(factor.toPrecision(3))} times too fast`,
      description:
        `More than ${percent(thresholdShare)} of requests were bad over ${long} and over ${short}; ` +
        `the target of ${percent(targetShare)} lets ${percent(missableShare(targetShare))} miss. ` +
        `At this rate ${long} spends ${percent(budgetShare)} of the budget of ${durationText(plan.periodNs)}.`,
      ...peopleAnnotations(plan),
    },
  };
}

export function burnAlertName({ alertPrefix }: WatchedSlo, { name }: BurnAlert): string {
  return `${alertPrefix}${name}`;
}

function peopleAnnotations({ people }: AlertPlan): Readonly<Record<string, string>> {
  const { runbook, rollback } = people;
  return { [/^https?:/.test(runbook) ? 'runbook_url' : 'runbook']: runbook, rollback };
}

/** What hides from the burn rate: requests left out, requests not understood, no requests at all. */
function coverageRules(plan: AlertPlan): (RecordingRule | AlertingRule)[] {
  const { name: slo, own, people } = plan;
  if (own === null) return [];
  const labels = { slo };
  const of = selector(labels);
  const sum = (counter: string): string => `sum(increase(${counter}${of}[1h]))`;
  const requests = `sum(increase(${REQUESTS_COUNTER}${selector({ slo, revision: own.revision })}[1h]))`;
  const known = (query: string): string => `(${query} or vector(0))`;
  const alert = (name: string, expr: string, texts: readonly [string, string]): AlertingRule => ({
    alert: name,
    expr,
    for: '15m',
    labels: { slo, severity: 'ticket', owner: people.owner },
    annotations: { summary: texts[0], description: texts[1], ...peopleAnnotations(plan) },
  });
  const [excluded, unjudged] = [sum(EXCLUDED_COUNTER), sum(UNJUDGED_COUNTER)];
  const all = `(${known(requests)} + ${known(unjudged)} + ${known(excluded)} > 0)`;
  const judgeable = `(${known(requests)} + ${known(unjudged)} > 0)`;
  const guard = (counter: string): string => `${sum(counter)} > ${BAD_LEAST - 0.5}`;
  const present = selector({ slo, revision: own.revision });
  return [
    { record: RECORDED.excludedShare, expr: `${excluded} / ${all}`, labels },
    { record: RECORDED.unjudgedShare, expr: `${unjudged} / ${judgeable}`, labels },
    alert(
      'GoodputExcludedShareHigh',
      `${RECORDED.excludedShare}${of} > ${own.excludedShare} and on() ${guard(EXCLUDED_COUNTER)}`,
      [
        `${slo}: more than ${shareText(own.excludedShare)} of requests are left out of the SLI`,
        'Refusals by a published limit do not spend the budget; so many of them may hide overload.',
      ],
    ),
    alert(
      'GoodputUnjudgedShareHigh',
      `${RECORDED.unjudgedShare}${of} > ${own.unjudgedShare} and on() ${guard(UNJUDGED_COUNTER)}`,
      [
        `${slo}: more than ${shareText(own.unjudgedShare)} of requests cannot be judged`,
        'As many as the target lets miss are unknown, so attainment is too: look at what the logs lack.',
      ],
    ),
    alert('GoodputNoData', `absent(${REQUESTS_COUNTER}${present})`, [
      `${slo}: nobody counts its requests under revision ${own.revision}`,
      'No burn-rate alert can fire: the exporter is gone, or judges by another objective than these rules.',
    ]),
  ];
}
