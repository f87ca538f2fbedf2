/** One run, from verdict to settings. */
import { markup, type Markup } from '../../base/index.ts';
import type { Chart } from '../../charts/index.ts';
import type { CapacityReport } from '../../planner/index.ts';
import type { Manifest, StepLog } from '../../record/index.ts';
import type { PointSummary, Summary } from '../../summary/index.ts';
import { chartFigure, figuresTable } from '../../page/index.ts';
import { endText as searchEndText } from '../capacity-words.ts';
import { sureFigure, sureShareFigure } from '../certainty.ts';
import { countFigure, levelFigure } from '../figures.ts';
import { levelText, quantileFigure, stateWord } from '../words.ts';
import { capacityChart } from './capacity-chart.ts';
import { loadSides, overlaidCharts } from './latency-charts.ts';
import { attainmentChart, goodputChart, tokensChart } from './load-charts.ts';
import { pointContent } from './point-section.ts';
import type { PointCurves } from './point-curves.ts';
import type { Section } from './section.ts';
import { settingsSection } from './settings-section.ts';
import { stepContent } from './step-section.ts';
import { validitySection, verdictSection } from './verdict-section.ts';

/** A run as its report needs it. */
export interface ReportedRun {
  /** What readers call it: the folder. */
  readonly label: string;
  readonly summary: Summary;
  readonly manifest: Manifest;
  readonly curves: readonly PointCurves[];
  /** Of load points of a simulation that kept its steps, by their index. */
  readonly steps: ReadonlyMap<number, StepLog>;
  /** `null` unless the run was a capacity search. */
  readonly capacity: CapacityReport | null;
}

export interface RunContent {
  readonly sections: readonly Section[];
  readonly charts: readonly Chart[];
}

/** Load points shown one by one; beyond that the page would drown its verdict. */
const POINTS_SHOWN_MAX = 12;

/** `prefix` keeps ids of several runs apart; empty for a single one. */
export function runContent(run: ReportedRun, prefix: string): RunContent {
  const { summary, manifest } = run;
  const sections: Section[] = [];
  const charts: Chart[] = [];
  const add = (id: string, name: string, body: Markup, drawn: readonly Chart[] = []): void => {
    sections.push({ id: `${prefix}${id}`, name, body });
    charts.push(...drawn);
  };
  add('verdict', 'Verdict', verdictSection(summary));
  add('validity', 'Validity', validitySection(summary));
  if (run.capacity !== null) addCapacity(run.capacity, prefix, add);
  if (summary.points.length > 1) addLoads(run, prefix, add);
  addPoints(run, prefix, add);
  add(
    'settings',
    manifest.simulated === null ? 'What was measured' : 'What was simulated',
    settingsSection(summary, manifest),
  );
  return { sections, charts };
}

type Add = (id: string, name: string, body: Markup, drawn?: readonly Chart[]) => void;

function addCapacity(capacity: CapacityReport, prefix: string, add: Add): void {
  const chart = capacityChart(capacity, prefix);
  const { windows, end } = capacity;
  const body = markup`<p>${capacityText(capacity)} ${searchEndText(end, capacity.capacity)}.</p>
<div class="charts">${chartFigure(chart, `${countFigure(windows.length)} windows, those of one load pooled.`)}</div>`;
  add('capacity', 'Capacity', body, [chart]);
}

function capacityText({ capacity, ladder }: CapacityReport): string {
  if (ladder !== null) {
    return `Largest concurrency that met the objective: ${ladder.largestStreams ?? 'none'}.`;
  }
  if (capacity === null || capacity.rps === null) return 'No capacity can be stated.';
  const { rps, lowRps, highRps } = capacity;
  const range =
    lowRps === null || highRps === null
      ? 'no interval'
      : `95 % interval ${levelFigure(lowRps)}–${levelFigure(highRps)}`;
  return `Capacity ${levelFigure(rps)} requests/s (${range}).`;
}

/** Throughput beside goodput, load by load. */
function addLoads({ summary, curves }: ReportedRun, prefix: string, add: Add): void {
  const levels = new Set(summary.points.map(({ load }) => load.level));
  const byLoad =
    levels.size < 2
      ? []
      : [
          goodputChart(summary, `${prefix}load-`),
          attainmentChart(summary, `${prefix}load-`),
          tokensChart(summary, `${prefix}load-`),
        ];
  const overlaid = overlaidCharts(
    loadSides(summary.points, curves),
    summary.objective,
    `${prefix}loads-`,
  );
  const body = markup`${loadsTable(summary.points)}
<div class="charts">${byLoad.map((chart) => chartFigure(chart, 'Whiskers: 95 % intervals that hold although requests share a queue. Hollow: none can be stated.'))}${overlaid.map((chart) => chartFigure(chart, 'Completed requests of each load’s judged window. Dashed red: the objective.'))}</div>
<p class="soft">Seen at these loads and this length; a capacity claim needs longer runs.</p>`;
  add('loads', 'All loads', body, [...byLoad, ...overlaid]);
}

export function loadsTable(points: readonly PointSummary[]): Markup {
  const columns = [
    'load',
    'n',
    'in flight',
    'completed /s',
    'good /s',
    'attained',
    'output tok/s',
    'TTFT p95',
    'TPOT p95',
    'dropped',
    'errors',
    'verdict',
  ];
  const rows = points.map((point) => [
    levelText(point.load),
    countFigure(point.ledger.scheduled),
    levelFigure(point.inFlightMean),
    sureFigure(point.rates.completedRps, point.rates.intervals.completedRps, levelFigure),
    sureFigure(point.goodputRps, point.rates.intervals.goodRps, levelFigure),
    sureShareFigure(point.attainment),
    sureFigure(
      point.rates.outputTokensPerSecond,
      point.rates.intervals.outputTokensPerSecond,
      levelFigure,
    ),
    quantileFigure(point.ttftFromPlannedNs, 0.95),
    quantileFigure(point.tpotNs, 0.95),
    countFigure(point.ledger.dropped),
    countFigure(point.ledger.failed + point.ledger.timedOut),
    verdictOf(point),
  ]);
  return figuresTable({ columns, rows }, 'All loads');
}

function verdictOf({ validity, population }: PointSummary): string {
  const order = ['missed', 'notEnoughData', 'met'] as const;
  const worst = order.find((state) => population.some((result) => result.state === state));
  return `${validity.valid ? '' : 'invalid, '}${worst === undefined ? 'no target' : stateWord(worst)}`;
}

function addPoints({ summary, curves, steps }: ReportedRun, prefix: string, add: Add): void {
  const { points, objective } = summary;
  const isOne = points.length === 1;
  for (const [at, point] of points.slice(0, POINTS_SHOWN_MAX).entries()) {
    const own = curves.find(({ pointIndex }) => pointIndex === point.index) ?? null;
    const pointPrefix = isOne ? prefix : `${prefix}p${at}-`;
    const measured = pointContent(point, own, objective, pointPrefix);
    const computed = stepContent(steps.get(point.index) ?? null, pointPrefix);
    const body = markup`${measured.body}${computed.body}`;
    const charts = [...measured.charts, ...computed.charts];
    const shown = isOne
      ? body
      : markup`<details data-print=""><summary>${point.load.label}: ledger, latencies, timeline</summary>${body}</details>`;
    add(
      isOne ? 'load' : `load-${at}`,
      isOne ? `Load: ${point.load.label}` : `Load ${levelText(point.load)}`,
      shown,
      charts,
    );
  }
  const hidden = points.length - POINTS_SHOWN_MAX;
  if (hidden > 0) {
    const text = `${countFigure(hidden)} more load points are in the table above and in summary.json.`;
    add('more', 'More loads', markup`<p>${text}</p>`);
  }
}
