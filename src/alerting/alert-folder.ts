/** Everything that is written for a plan, file by file. */
import { durationText } from '../base/index.ts';
import { shareText } from '../slo/index.ts';
import type { AlertPlan, WatchedSlo } from './alert-plan.ts';
import { alertmanagerConfig } from './alertmanager-config.ts';
import { grafanaDashboard } from './grafana-dashboard.ts';
import { fireTimes, type FireTime } from './fire-times.ts';
import { openSlo } from './openslo.ts';
import { prometheusRules } from './prometheus-rules.ts';
import { ruleTests } from './rule-tests.ts';
import { slothSpec } from './sloth.ts';
import { windowText } from './window-text.ts';

export interface AlertFile {
  /** Relative to the folder. */
  readonly path: string;
  readonly text: string;
}

const RULES = 'rules.yml';

/** The files of a plan, the same for the same plan; without tests for foreign counters. */
export function alertFolder(plan: AlertPlan): AlertFile[] {
  return [
    { path: RULES, text: prometheusRules(plan) },
    ...(plan.own === null ? [] : ruleTests(plan, RULES)),
    { path: 'alertmanager.yml', text: alertmanagerConfig(plan) },
    ...(plan.own === null ? [] : [{ path: 'dashboard.json', text: grafanaDashboard(plan) }]),
    { path: 'sloth.yml', text: slothSpec(plan) },
    { path: 'openslo.yml', text: openSlo(plan) },
    { path: 'README.md', text: readme(plan) },
  ];
}

function readme(plan: AlertPlan): string {
  const { owner, runbook, rollback } = plan.people;
  const lines = [
    `# Alerts of ${plan.name}`,
    '',
    `Owner ${owner} · runbook ${runbook} · rollback ${rollback} · period ${durationText(plan.periodNs)}`,
    ...plan.slos.flatMap((slo) => ['', ...fireTimeTable(slo)]),
    '',
    'Times count from the start of an incident after a clean history, at high traffic; at low traffic',
    'the guard (a Wilson lower bound and a least count of misses) waits for more evidence.',
    '',
  ];
  return lines.join('\n');
}

function fireTimeTable(slo: WatchedSlo): string[] {
  return [
    `## ${slo.slo}: ${slo.title}, target ${shareText(slo.targetShare)}`,
    '',
    '| alert | windows | factor | fires above | budget then spent | all bad | half bad | 2× budget |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...fireTimes(slo).map((row) => `| ${fireTimeCells(row).join(' | ')} |`),
  ];
}

/** One row of the table, as terminal and Markdown both show it. */
export function fireTimeCells({ alert, outageNs, halfNs, twiceBudgetNs }: FireTime): string[] {
  const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`;
  const after = (ns: number | null): string => (ns === null ? 'never' : roughly(ns));
  const lowered = alert.loweredFrom === null ? '' : ` (for ${alert.loweredFrom})`;
  return [
    `${alert.severity} ${alert.name.replace(/^Page|^Ticket/, '').toLowerCase()}`,
    `${windowText(alert.longNs)} and ${windowText(alert.shortNs)}`,
    `${Number(alert.factor.toPrecision(3))}${lowered}`,
    percent(alert.thresholdShare),
    percent(alert.budgetShare),
    after(outageNs),
    after(halfNs),
    after(twiceBudgetNs),
  ];
}

/** Minutes and hours, as people plan by. */
function roughly(ns: number): string {
  const minutes = ns / 60e9;
  if (minutes < 120) return `${Number(minutes.toPrecision(2))} min`;
  return `${Number((minutes / 60).toPrecision(2))} h`;
}
