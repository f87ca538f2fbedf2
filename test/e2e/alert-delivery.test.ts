/**
 * Written rules under a real Prometheus and Alertmanager: three days of history are planted, not
 * lived through, so what is true after 28 minutes of an outage is seen at once.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AlertFile, alertFolder, planAlerts } from '../../src/alerting/index.ts';
import { parseObjectiveFile } from '../../src/config/index.ts';
import {
  AlertingStack,
  alertmanagerProgram,
  freePorts,
  PagerDesk,
  plantHistory,
  type PlantedSeries,
} from '../support/alerting-stack.ts';
import { emptyFolder } from '../support/built-command.ts';

const REQUESTS_PER_MINUTE = 600;
const HISTORY_DAYS = 3;

/** A service, and since when each of its SLOs has seen nothing but misses. */
interface Service {
  readonly name: string;
  readonly outageMinutes: { readonly all: number; readonly failures: number };
}

/**
 * At 97 % an outage pages after 26 minutes, at 99.5 % after 4.3: what the table of `goodput rules`
 * says. Two minutes on either side: the history has a sample a minute.
 */
const SERVICES: readonly Service[] = [
  { name: 'slow-for-28-minutes', outageMinutes: { all: 28, failures: 0 } },
  { name: 'slow-for-24-minutes', outageMinutes: { all: 24, failures: 0 } },
  { name: 'down-for-7-minutes', outageMinutes: { all: 7, failures: 7 } },
  { name: 'down-for-2-minutes', outageMinutes: { all: 2, failures: 2 } },
  { name: 'healthy', outageMinutes: { all: 0, failures: 0 } },
];

const program = alertmanagerProgram();

describe.skipIf(program === null)(
  'alerts reach a person, under real Prometheus and Alertmanager (skipped without them)',
  { timeout: 120_000 },
  () => {
    let stack: AlertingStack | null = null;
    let desk: PagerDesk | null = null;

    beforeAll(async () => {
      const folder = emptyFolder();
      mkdirSync(join(folder, 'rules'));
      desk = await PagerDesk.open();
      const ports = await freePorts();
      const folders = SERVICES.map((service) => ({ service, files: filesOf(service) }));
      for (const { service, files } of folders) {
        writeFileSync(rulesPath(folder, service), oftener(textOf(files, 'rules.yml')));
      }
      writeFileSync(join(folder, 'prometheus.yml'), prometheusConfig(ports[1]));
      writeFileSync(
        join(folder, 'alertmanager.yml'),
        withPager(textOf(folders[0]?.files ?? [], 'alertmanager.yml'), desk.url),
      );
      plantHistory(
        folder,
        HISTORY_DAYS,
        folders.flatMap(({ service }, at) => [
          ...historyOf(service, revisionIn(rulesPath(folder, service))),
          ...(at === 0 ? coverageOf(service) : []),
        ]),
      );
      stack = AlertingStack.start(folder, program ?? '', ports);
    }, 60_000);

    afterAll(async () => {
      await stack?.stop();
      desk?.close();
    });

    it('pages for an outage once its stated time is over, and for nothing else', async () => {
      const groups = await vi.waitFor(evaluated, { timeout: 60_000, interval: 250 });
      const firing = groups.flatMap(({ rules }) =>
        rules
          .filter(({ type, state }) => type === 'alerting' && state !== 'inactive')
          .map(({ name, labels }) => `${labels['slo']}: ${name}`),
      );
      expect(firing.toSorted()).toEqual([
        'down-for-7-minutes-failures: GoodputFailureBurnPageFast',
        'slow-for-28-minutes: GoodputBudgetBurnPageFast',
      ]);
      await vi.waitFor(() => expect(desk?.received.length).toBeGreaterThanOrEqual(2), {
        timeout: 60_000,
        interval: 250,
      });
      const pages = (desk?.received ?? []).flatMap(({ receiver, alerts }) =>
        alerts.map(({ labels }) => ({ receiver, slo: labels['slo'], owner: labels['owner'] })),
      );
      expect(pages.toSorted((a, b) => String(a.slo).localeCompare(String(b.slo)))).toEqual([
        { receiver: 'pages', slo: 'down-for-7-minutes-failures', owner: 'team-serving' },
        { receiver: 'pages', slo: 'slow-for-28-minutes', owner: 'team-serving' },
      ]);
    });

    it('draws every panel of the dashboard from what was counted', async () => {
      await vi.waitFor(evaluated, { timeout: 60_000, interval: 250 });
      const [slow] = SERVICES;
      const panels = panelsOf(slow as Service);
      const drawn = new Map<string, readonly number[]>();
      for (const { title, queries } of panels) {
        for (const { legend, expr } of queries) {
          const values = (await stack?.query(expr)) ?? [];
          expect(values, `${title}: ${legend}: ${expr}`).not.toEqual([]);
          drawn.set(`${title}: ${legend}`, values);
        }
      }
      const [share = NaN] = drawn.get('Attainment over 1 h: attainment') ?? [];
      // 28 of the last 60 minutes were bad; a window holds a minute more or less of them.
      expect(share).toBeGreaterThan(1 - 29.5 / 60);
      expect(share).toBeLessThan(1 - 26.5 / 60);
      expect(drawn.get('Attainment over 1 h: low')?.[0]).toBeLessThan(share);
      expect(drawn.get('Attainment over 1 h: high')?.[0]).toBeGreaterThan(share);
      // 28 minutes of 3 days, where 3 % of them may be bad.
      expect(drawn.get('Budget left, attainment: slow-for-28-minutes')?.[0]).toBeCloseTo(
        1 - 28 / (0.03 * HISTORY_DAYS * 1_440),
        1,
      );
      expect(drawn.get('Queue depth: waiting')).toEqual([7]);
    });

    /** Every group has been evaluated to its end: what is silent then stays silent. */
    async function evaluated() {
      const groups = (await stack?.ruleGroups()) ?? [];
      expect(groups).toHaveLength(SERVICES.length * 5);
      for (const { rules } of groups) {
        for (const { name, health, lastError } of rules) {
          expect({ name, health, lastError }).toEqual({ name, health: 'ok', lastError: undefined });
        }
      }
      return groups;
    }
  },
);

function filesOf({ name }: Service): readonly AlertFile[] {
  const text = `name: ${name}
request: { ttft: 500ms, tpot: 40ms }
population: { attainment: 97%, success: 99.5%, period: 30d }
owner: team-serving
runbook: docs/runbooks/chat.md
rollback: previous engine image
`;
  const read = parseObjectiveFile(text, { file: 'chat.yaml', env: {} });
  if ('problems' in read) throw new Error(read.problems[0]?.message);
  const planned = planAlerts(read.objective, { file: 'chat.yaml', line: 1, column: 1 });
  if ('problems' in planned) throw new Error(planned.problems[0]?.message);
  return alertFolder(planned.plan);
}

const textOf = (files: readonly AlertFile[], path: string): string =>
  files.find((file) => file.path === path)?.text ?? '';

/** Evaluated every second: the rules are the written ones, only looked at sooner. */
const oftener = (rules: string): string => rules.replaceAll(/^( +interval: )\d+m$/gm, '$11s');

const rulesPath = (folder: string, { name }: Service): string =>
  join(folder, 'rules', `${name}.yml`);

const revisionIn = (path: string): string =>
  /revision="(\w+)"/.exec(readFileSync(path, 'utf8'))?.[1] ?? '';

const prometheusConfig = (alertmanagerPort: number): string => `
rule_files: ['rules/*.yml']
alerting:
  alertmanagers:
    - static_configs: [{ targets: ['127.0.0.1:${alertmanagerPort}'] }]
`;

/** The written routes with what their owner must add: whom to tell. Without its waiting. */
function withPager(config: string, url: string): string {
  return config
    .replaceAll(/- name: (pages|tickets)/g, `- name: $1\n    webhook_configs: [{ url: '${url}' }]`)
    .replace('group_wait: 10s', 'group_wait: 0s')
    .replace('receiver: tickets\n', 'receiver: tickets\n  group_wait: 0s\n');
}

/** The queries of a service's dashboard, its variables filled in as Grafana does. */
function panelsOf(service: Service) {
  const dashboard = JSON.parse(textOf(filesOf(service), 'dashboard.json')) as {
    readonly panels: readonly {
      readonly title: string;
      readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
    }[];
  };
  return dashboard.panels.map(({ title, targets }) => ({
    title,
    queries: targets.map(({ expr, legendFormat }) => ({
      legend: legendFormat,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '2'),
    })),
  }));
}

/** What else the first service's exporter and engine tell, so that every panel has something. */
function coverageOf({ name }: Service): PlantedSeries[] {
  const minutes = HISTORY_DAYS * 1_440;
  const counter = (series: string): PlantedSeries => ({
    series,
    valueAt: (before) => minutes - before,
  });
  return [
    counter(`goodput_slo_excluded_total{slo="${name}",stratum="all",reason="quota_429"}`),
    counter(`goodput_slo_unjudged_total{slo="${name}",reason="no_usage"}`),
    counter(`goodput_slo_miss_total{slo="${name}",stratum="all",objective="ttft",sole="true"}`),
    { series: 'vllm:num_requests_waiting{model_name="m"}', valueAt: () => 7 },
  ];
}

function historyOf({ name, outageMinutes }: Service, revision: string): PlantedSeries[] {
  const minutes = HISTORY_DAYS * 1_440;
  return [
    { slo: name, outage: outageMinutes.all },
    { slo: `${name}-failures`, outage: outageMinutes.failures },
  ].flatMap(({ slo, outage }) => {
    const series = (result: string): string =>
      `goodput_slo_requests_total{slo="${slo}",revision="${revision}",stratum="all",result="${result}"}`;
    return [
      {
        series: series('good'),
        valueAt: (before) => REQUESTS_PER_MINUTE * (minutes - Math.max(before, outage)),
      },
      {
        series: series('bad'),
        valueAt: (before) => REQUESTS_PER_MINUTE * Math.max(0, outage - before),
      },
    ] satisfies PlantedSeries[];
  });
}
