/** The dashboard of a plan as Grafana's JSON: what was judged first, engine gauges below it. */
import { contentHash, durationText } from '../base/index.ts';
import { shareText } from '../slo/index.ts';
import type { AlertPlan, WatchedSlo } from './alert-plan.ts';
import { burnAlertName, RECORDED } from './prometheus-rules.ts';
import {
  EXCLUDED_COUNTER,
  MISS_COUNTER,
  REQUESTS_COUNTER,
  selector,
  UNJUDGED_COUNTER,
} from './counter-family.ts';

interface Query {
  readonly expr: string;
  readonly legend: string;
}

interface Panel {
  readonly title: string;
  /** What a reader must know to believe it. */
  readonly description: string;
  readonly kind: 'timeseries' | 'stat';
  readonly unit: 'percentunit' | 'short' | 'reqps' | 'currencyUSD';
  readonly queries: readonly Query[];
  readonly thresholds?: readonly { readonly color: string; readonly value: number | null }[];
}

const PANELS_A_ROW = 2;
const PANEL_HEIGHT = 8;
const GRID_WIDTH = 24;

/** Waiting requests as the engines call them; the first that exists is shown. */
const QUEUE_GAUGES = [
  'vllm:num_requests_waiting',
  'sglang:num_queue_reqs',
  'trtllm_num_requests_waiting',
  'tgi_queue_size',
  'llamacpp:requests_deferred',
] as const;

/** JSON that Grafana imports; goodput's own counters only. */
export function grafanaDashboard(plan: AlertPlan): string {
  const panels = panelsOf(plan).map((panel, at) => grafanaPanel(panel, at));
  const dashboard = {
    // Of name and revision: two services judged alike must not overwrite each other's dashboard.
    uid: `goodput-${contentHash({ name: plan.name, revision: plan.own?.revision }).slice(0, 12)}`,
    title: `${plan.name}: goodput and error budget`,
    description: `Owner ${plan.people.owner}. Runbook ${plan.people.runbook}. Rollback ${plan.people.rollback}.`,
    tags: ['goodput', 'slo'],
    timezone: 'browser',
    schemaVersion: 38,
    version: 1,
    editable: true,
    refresh: '1m',
    time: { from: 'now-24h', to: 'now' },
    templating: {
      list: [
        DATASOURCE,
        textVariable('usd_per_replica_hour', '2', 'USD an hour'),
        textVariable('replicas', '1', 'Replicas'),
      ],
    },
    annotations: { list: [firingAlerts(plan)] },
    panels,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

const DATASOURCE = {
  name: 'datasource',
  label: 'Prometheus',
  type: 'datasource',
  query: 'prometheus',
};

function textVariable(name: string, value: string, label: string): object {
  return { name, label, type: 'textbox', query: value, current: { text: value, value } };
}

/** Every page and ticket stands as a mark on every panel. */
function firingAlerts(plan: AlertPlan): object {
  const names = plan.slos.map(({ slo }) => slo).join('|');
  return {
    name: 'alerts',
    datasource: { type: 'prometheus', uid: '${datasource}' },
    enable: true,
    iconColor: 'red',
    expr: `ALERTS{alertname=~"Goodput.*",alertstate="firing",slo=~"${names}"}`,
    titleFormat: '{{alertname}} {{slo}}',
  };
}

function panelsOf(plan: AlertPlan): Panel[] {
  const own = plan.slos[0];
  if (own === undefined) return [];
  return [
    attainmentPanel(own),
    goodputPanel(plan, own),
    ...plan.slos.flatMap((slo) => [budgetPanel(plan, slo), burnPanel(slo)]),
    missPanel(plan),
    strataPanel(own),
    coveragePanel(plan),
    queuePanel(),
    costPanel(own),
  ];
}

/** The interval is Wilson's, 95 % two-sided, from the same two counts as the share. */
function attainmentPanel({ slo, targetShare }: WatchedSlo): Panel {
  const of = selector({ slo });
  const [bad, valid] = [`${RECORDED.bad('1h')}${of}`, `${RECORDED.valid('1h')}${of}`];
  const z = 1.96;
  const z2 = 3.8416;
  const good = `(${valid} - ${bad})`;
  const root = `${z} * sqrt(${good} * ${bad} / (${valid} > 0) + ${z2 / 4})`;
  const bound = (sign: '+' | '-') => `(${good} + ${z2 / 2} ${sign} ${root}) / (${valid} + ${z2})`;
  return {
    title: 'Attainment over 1 h',
    description:
      'Good of judged requests with a 95 % interval. The interval takes requests as independent; ' +
      'requests that share a queue are not, so the truth is wider.',
    kind: 'timeseries',
    unit: 'percentunit',
    queries: [
      { expr: `1 - ${RECORDED.badShare('1h')}${of}`, legend: 'attainment' },
      { expr: bound('-'), legend: 'low' },
      { expr: bound('+'), legend: 'high' },
      { expr: `${RECORDED.target}${of}`, legend: `target ${shareText(targetShare)}` },
    ],
  };
}

function goodputPanel(plan: AlertPlan, { slo }: WatchedSlo): Panel {
  const rate = (result: string): string =>
    `sum(rate(${REQUESTS_COUNTER}${selector({ slo, revision: plan.own?.revision ?? '', result })}[$__rate_interval]))`;
  return {
    title: 'Goodput',
    description: 'Requests per second that met the whole objective, and those that did not.',
    kind: 'timeseries',
    unit: 'reqps',
    queries: [
      { expr: rate('good'), legend: 'good' },
      { expr: rate('bad'), legend: 'bad' },
    ],
  };
}

function budgetPanel(plan: AlertPlan, { slo, title }: WatchedSlo): Panel {
  return {
    title: `Budget left, ${title}`,
    description: `From counts over ${durationText(plan.periodNs)}, never from a mean of ratios. Below 0 it is overspent.`,
    kind: 'stat',
    unit: 'percentunit',
    queries: [{ expr: `${RECORDED.budgetLeft}${selector({ slo })}`, legend: slo }],
    thresholds: [
      { color: 'red', value: null },
      { color: 'orange', value: 0 },
      { color: 'green', value: 0.2 },
    ],
  };
}

function burnPanel(watched: WatchedSlo): Panel {
  const { slo, title, targetShare, alerts } = watched;
  const budget = Number((1 - targetShare).toPrecision(12));
  const windows = alerts.map((alert) => ({ alert, long: durationText(alert.longNs) }));
  return {
    title: `Burn rate, ${title}`,
    description: `At 1 the budget lasts exactly its period. ${windows.map(({ alert, long }) => `${burnAlertName(watched, alert)}: above ${Number(alert.factor.toPrecision(3))} over ${long}.`).join(' ')}`,
    kind: 'timeseries',
    unit: 'short',
    queries: windows.map(({ long }) => ({
      expr: `${RECORDED.badShare(long)}${selector({ slo })} / ${budget}`,
      legend: long,
    })),
  };
}

function missPanel({ name }: AlertPlan): Panel {
  const of = (labels: Readonly<Record<string, string>>) =>
    `sum by (objective) (rate(${MISS_COUNTER}${selector({ slo: name, ...labels })}[$__rate_interval]))`;
  return {
    title: 'Misses by objective',
    description:
      'A request may miss several objectives. Only those that missed one alone say which objective binds.',
    kind: 'timeseries',
    unit: 'reqps',
    queries: [
      { expr: of({}), legend: '{{objective}}' },
      { expr: of({ sole: 'true' }), legend: '{{objective}} alone' },
    ],
  };
}

function strataPanel({ slo }: WatchedSlo): Panel {
  const sum = (labels: Readonly<Record<string, string>>) =>
    `sum by (stratum) (increase(${REQUESTS_COUNTER}${selector({ slo, ...labels })}[1h]))`;
  return {
    title: 'Attainment by prompt length over 1 h',
    description: 'The pooled figure is the sum of counts, not the mean of these lines.',
    kind: 'timeseries',
    unit: 'percentunit',
    queries: [{ expr: `${sum({ result: 'good' })} / (${sum({})} > 0)`, legend: '{{stratum}}' }],
  };
}

function coveragePanel({ name }: AlertPlan): Panel {
  const of = selector({ slo: name });
  return {
    title: 'Left out and not understood',
    description: 'Excluded requests spend no budget; unjudged ones are neither good nor bad.',
    kind: 'timeseries',
    unit: 'percentunit',
    queries: [
      { expr: `${RECORDED.excludedShare}${of}`, legend: 'excluded' },
      { expr: `${RECORDED.unjudgedShare}${of}`, legend: 'unjudged' },
      {
        expr: `sum by (reason) (increase(${EXCLUDED_COUNTER}${of}[1h])) / scalar(sum(increase(${EXCLUDED_COUNTER}${of}[1h])) > 0)`,
        legend: 'of the excluded: {{reason}}',
      },
      {
        expr: `sum by (reason) (increase(${UNJUDGED_COUNTER}${of}[1h])) / scalar(sum(increase(${UNJUDGED_COUNTER}${of}[1h])) > 0)`,
        legend: 'of the unjudged: {{reason}}',
      },
    ],
  };
}

function queuePanel(): Panel {
  return {
    title: 'Queue depth',
    description: 'Requests that wait in the engine, all replicas together.',
    kind: 'timeseries',
    unit: 'short',
    queries: [
      { expr: QUEUE_GAUGES.map((gauge) => `sum(${gauge})`).join(' or '), legend: 'waiting' },
    ],
  };
}

function costPanel({ slo }: WatchedSlo): Panel {
  const good = `sum(rate(${REQUESTS_COUNTER}${selector({ slo, result: 'good' })}[1h])) * 3600`;
  return {
    title: 'Cost of a thousand good requests',
    description: 'Price and number of replicas are the variables above; only good requests count.',
    kind: 'timeseries',
    unit: 'currencyUSD',
    queries: [
      { expr: `1000 * $usd_per_replica_hour * $replicas / (${good} > 0)`, legend: 'USD per 1,000' },
    ],
  };
}

function grafanaPanel(panel: Panel, at: number): object {
  const width = GRID_WIDTH / PANELS_A_ROW;
  const steps = panel.thresholds ?? [{ color: 'green', value: null }];
  return {
    id: at + 1,
    title: panel.title,
    description: panel.description,
    type: panel.kind,
    datasource: { type: 'prometheus', uid: '${datasource}' },
    gridPos: {
      h: PANEL_HEIGHT,
      w: width,
      x: (at % PANELS_A_ROW) * width,
      y: Math.floor(at / PANELS_A_ROW) * PANEL_HEIGHT,
    },
    fieldConfig: {
      defaults: {
        unit: panel.unit,
        ...(panel.unit === 'percentunit' && panel.kind === 'timeseries' ? { max: 1 } : {}),
        thresholds: { mode: 'absolute', steps },
      },
      overrides: [],
    },
    targets: panel.queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      expr,
      legendFormat: legend,
    })),
  };
}
