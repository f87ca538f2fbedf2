/**
 * promtool unit tests for the rules of a plan: planted incidents fire within the stated time and
 * not before, planted noise fires nothing. One file for each grid: a slow burn is followed over
 * days, and minute by minute that would take as long as it is dull.
 */
import { assert, durationText, secondsFromNs } from '../base/index.ts';
import type { AlertPlan, WatchedSlo } from './alert-plan.ts';
import {
  type BurnAlert,
  type BurnAlertName,
  MINUTE_NS,
  missableShare,
  timeToFireNs,
} from './burn-alert.ts';
import {
  EXCLUDED_COUNTER,
  REQUESTS_COUNTER,
  selector,
  UNJUDGED_COUNTER,
} from './counter-family.ts';
import { burnAlertName, ruleGroups, type AlertingRule, yamlText } from './prometheus-rules.ts';

/** A promtool test: series planted, alerts expected. */
interface RuleTest {
  readonly name: string;
  readonly interval: string;
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
  readonly alert_rule_test: readonly ExpectedAlerts[];
}

interface ExpectedAlerts {
  readonly eval_time: string;
  readonly alertname: string;
  readonly exp_alerts: readonly object[];
}

export interface RuleTestFile {
  readonly path: string;
  readonly text: string;
}

/** Requests a second in all planted series; the guard is out of the way at that traffic. */
const TEST_RPS = 10;

/** A stretch of time in which requests come and some are bad. */
interface Stretch {
  readonly steps: number;
  readonly requestsPerStep: number;
  readonly badPerStep: number;
  /** The exporter restarts as the stretch begins: its counters start from 0. */
  readonly restarts?: boolean;
}

/** How often counters are read and rules evaluated, while one kind of alert is followed. */
interface Grid {
  readonly stepNs: number;
  readonly step: string;
  readonly alert: BurnAlertName;
}

/** Six steps in its short window: fine enough to tell when an alert fires, and no finer. */
function gridOf({ name, shortNs }: BurnAlert): Grid {
  const stepNs = Math.max(1, Math.floor(shortNs / 6 / MINUTE_NS)) * MINUTE_NS;
  return { stepNs, step: durationText(stepNs), alert: name };
}

/** Only plans on goodput's own counters can be tested: of others the series are not known. */
export function ruleTests(plan: AlertPlan, rulesPath: string): RuleTestFile[] {
  assert(plan.own !== null, 'rules on foreign counters have no tests');
  const alerts = plan.slos[0]?.alerts ?? [];
  return alerts
    .map((alert) => {
      const grid = gridOf(alert);
      const path = `${alert.name
        .replace(/(?=[A-Z])/g, '-')
        .toLowerCase()
        .slice(1)}.test.yml`;
      const isFast = alert === alerts[0];
      const tests = [...incidentTests(plan, grid), ...(isFast ? noiseTests(plan, alert) : [])];
      const content = { rule_files: [rulesPath], evaluation_interval: grid.step, tests };
      return { path, text: `# promtool test rules ${path}\n${yamlText(content)}` };
    })
    .concat(coverageFile(plan, rulesPath));
}

function coverageFile(plan: AlertPlan, rulesPath: string): RuleTestFile {
  const path = 'coverage.test.yml';
  const content = {
    rule_files: [rulesPath],
    evaluation_interval: COVERAGE_STEP,
    tests: coverageTests(plan),
  };
  return { path, text: `# promtool test rules ${path}\n${yamlText(content)}` };
}

/** The same incident in every SLO of the plan at once. */
function incidentTests(plan: AlertPlan, grid: Grid): RuleTest[] {
  return [
    incidentTest(plan, grid, 'outage: every request is bad', () => 1),
    incidentTest(plan, grid, 'half of the requests are bad', () => 0.5),
    incidentTest(plan, grid, 'twice the budget', ({ targetShare }) =>
      Math.min(1, 2 * missableShare(targetShare)),
    ),
  ];
}

/** An incident after clean hours: what fires in its stated time, and what never does. */
function incidentTest(
  plan: AlertPlan,
  grid: Grid,
  title: string,
  badShareOf: (slo: WatchedSlo) => number,
): RuleTest {
  const requestsPerStep = TEST_RPS * secondsFromNs(grid.stepNs);
  const watched = plan.slos.flatMap((slo) =>
    slo.alerts.filter(({ name }) => name === grid.alert).map((alert) => ({ slo, alert })),
  );
  const lead = Math.ceil(Math.max(...watched.map(({ alert }) => alert.longNs)) / grid.stepNs);
  const checks = watched.flatMap(({ slo, alert }) => {
    const afterNs = timeToFireNs(alert, { badShare: badShareOf(slo), rps: TEST_RPS });
    const at = (ns: number, fires: boolean) => expectation(plan, slo, alert, ns, fires);
    const start = lead * grid.stepNs;
    if (afterNs === null) return [at(start + alert.longNs, false)];
    // Prometheus 3 takes one sample fewer into a window than 2 does: a step either way.
    const margin = 2 * grid.stepNs;
    const fires = Math.ceil(afterNs / grid.stepNs) * grid.stepNs;
    return [
      ...(fires > margin ? [at(start + fires - margin, false)] : []),
      at(start + fires + margin, true),
    ];
  });
  return {
    name: `${title}, counters every ${grid.step}`,
    interval: grid.step,
    input_series: watched.flatMap(({ slo }) =>
      requestSeries(plan, slo, [
        { steps: lead, requestsPerStep, badPerStep: 0 },
        {
          steps: lead + 4,
          requestsPerStep,
          badPerStep: Math.round(badShareOf(slo) * requestsPerStep),
        },
      ]),
    ),
    alert_rule_test: checks,
  };
}

/** What must fire nothing, in every SLO at once. */
function noiseTests(plan: AlertPlan, fast: BurnAlert): RuleTest[] {
  const longSteps = Math.ceil(fast.longNs / MINUTE_NS);
  const requestsPerStep = TEST_RPS * 60;
  const calm: Stretch = { steps: longSteps, requestsPerStep, badPerStep: 0 };
  const short = Math.ceil(fast.shortNs / MINUTE_NS);
  const outage: Stretch = { ...calm, badPerStep: requestsPerStep };
  const silent = (minutes: number) =>
    plan.slos.flatMap((slo) =>
      slo.alerts.map((alert) => expectation(plan, slo, alert, minutes * MINUTE_NS, false)),
    );
  const fastPages = (minutes: number, fires: boolean) =>
    plan.slos.map((slo) => expectation(plan, slo, fast, minutes * MINUTE_NS, fires));
  const test = (
    name: string,
    stretches: readonly Stretch[],
    checks: RuleTest['alert_rule_test'],
  ) => ({
    name,
    interval: '1m',
    input_series: plan.slos.flatMap((slo) => requestSeries(plan, slo, stretches)),
    alert_rule_test: checks,
  });
  return [
    test(
      'one bad request of two is no evidence',
      [
        { steps: short, requestsPerStep: 0, badPerStep: 0 },
        { steps: 1, requestsPerStep: 2, badPerStep: 1 },
        { steps: longSteps, requestsPerStep: 0, badPerStep: 0 },
      ],
      [...silent(short + 1), ...silent(2 * short), ...silent(longSteps)],
    ),
    test(
      'a restart of the exporter is no incident',
      [
        { ...calm, steps: 2 * short },
        { ...calm, steps: 2 * short, restarts: true },
      ],
      [...silent(2 * short + 1), ...silent(3 * short)],
    ),
    test(
      'a restart hides no outage, and the page ends soon after it',
      [outage, { ...outage, steps: short, restarts: true }, { ...calm, steps: 2 * short }],
      [...fastPages(longSteps + short - 1, true), ...fastPages(longSteps + 2 * short + 2, false)],
    ),
  ];
}

const COVERAGE_STEP = '5m';

/** Requests that are left out or not understood, and an exporter that is gone. */
function coverageTests(plan: AlertPlan): RuleTest[] {
  const slo = plan.slos[0];
  if (slo === undefined || plan.own === null) return [];
  const { name, own } = plan;
  const { excludedShare, unjudgedShare } = own;
  const requests = requestSeries(plan, slo, [{ steps: 24, requestsPerStep: 3_000, badPerStep: 0 }]);
  const of = {
    [EXCLUDED_COUNTER]: { slo: name, stratum: 'all', reason: 'quota_429' },
    [UNJUDGED_COUNTER]: { slo: name, reason: 'no_usage' },
  };
  const counter = (family: keyof typeof of, share: number) => ({
    series: `${family}${selector(of[family])}`,
    values: `0+${Math.round((3_000 * share) / (1 - share))}x24`,
  });
  const test = (
    title: string,
    alertname: string,
    series: RuleTest['input_series'],
    fires: boolean,
  ): RuleTest => ({
    name: title,
    interval: COVERAGE_STEP,
    input_series: series,
    alert_rule_test: [
      { eval_time: '90m', alertname, exp_alerts: fires ? [firing(plan, name, alertname)] : [] },
    ],
  });
  const twice = (share: number) => Math.min(0.9, 2 * share);
  const [excluded, unjudged] = ['GoodputExcludedShareHigh', 'GoodputUnjudgedShareHigh'] as const;
  const planted = (family: keyof typeof of, share: number) => [...requests, counter(family, share)];
  return [
    test(
      'many requests are left out',
      excluded,
      planted(EXCLUDED_COUNTER, twice(excludedShare)),
      true,
    ),
    test(
      'few requests are left out',
      excluded,
      planted(EXCLUDED_COUNTER, excludedShare / 2),
      false,
    ),
    test('many cannot be judged', unjudged, planted(UNJUDGED_COUNTER, twice(unjudgedShare)), true),
    test('few cannot be judged', unjudged, planted(UNJUDGED_COUNTER, unjudgedShare / 2), false),
    test('nobody counts', 'GoodputNoData', [], true),
    test('requests are counted', 'GoodputNoData', requests, false),
  ];
}

function requestSeries(
  plan: AlertPlan,
  { slo }: WatchedSlo,
  stretches: readonly Stretch[],
): RuleTest['input_series'] {
  const revision = plan.own?.revision ?? '';
  const of = (result: string) =>
    `${REQUESTS_COUNTER}${selector({ slo, revision, stratum: 'all', result })}`;
  return [
    {
      series: of('good'),
      values: counterValues(stretches, (each) => each.requestsPerStep - each.badPerStep),
    },
    { series: of('bad'), values: counterValues(stretches, ({ badPerStep }) => badPerStep) },
  ];
}

/** A counter in promtool's notation: `0+600x60 36000+0x60`, one sample a step. */
function counterValues(
  stretches: readonly Stretch[],
  perStep: (stretch: Stretch) => number,
): string {
  let value = 0;
  const parts = stretches.map((stretch, at) => {
    const increase = perStep(stretch);
    if (stretch.restarts === true) value = 0;
    // The first sample of all is the 0 that every exporter starts with.
    const first = at === 0 || stretch.restarts === true ? value : value + increase;
    const more = at === 0 ? stretch.steps : stretch.steps - 1;
    value = first + increase * more;
    return `${first}+${increase}x${more}`;
  });
  return parts.join(' ');
}

function expectation(
  plan: AlertPlan,
  slo: WatchedSlo,
  alert: BurnAlert,
  atNs: number,
  fires: boolean,
): ExpectedAlerts {
  const alertname = burnAlertName(slo, alert);
  return {
    eval_time: durationText(atNs),
    alertname,
    exp_alerts: fires ? [firing(plan, slo.slo, alertname)] : [],
  };
}

/** The alert as promtool wants it in full: every label and annotation. */
function firing(plan: AlertPlan, slo: string, alertname: string): object {
  const rule = ruleGroups(plan)
    .flatMap(({ rules }) => rules)
    .filter((each): each is AlertingRule => 'alert' in each)
    .find((each) => each.alert === alertname && each.labels['slo'] === slo);
  assert(rule !== undefined, `no alert ${alertname} of ${slo}`);
  // absent() takes over the labels of its selector.
  const revision = alertname === 'GoodputNoData' ? { revision: plan.own?.revision ?? '' } : {};
  return { exp_labels: { ...rule.labels, ...revision }, exp_annotations: rule.annotations };
}
