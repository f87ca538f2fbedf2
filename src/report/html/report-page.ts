/** The whole page: one run from top to bottom, or several with what tells them apart first. */
import { markup, type Markup } from '../../base/index.ts';
import type { Chart } from '../../charts/index.ts';
import type { Comparison } from '../../comparison/index.ts';
import { chartFigure, figuresTable, htmlDocument, NO_EXTRA } from '../../page/index.ts';
import type { ParetoResult } from '../../planner/index.ts';
import { sureFigure, sureShareFigure } from '../certainty.ts';
import {
  changeText,
  comparisonWord,
  designText,
  headline,
  intervalText,
  metricValue,
  verdictText,
} from '../comparison-words.ts';
import { countFigure, levelFigure } from '../figures.ts';
import { bestText, paretoTable, removedText } from '../pareto-rows.ts';
import { levelText, quantileFigure, verdictWord } from '../words.ts';
import { comparisonChart } from './comparison-chart.ts';
import { overlaidCharts } from './latency-charts.ts';
import { paretoChart } from './pareto-chart.ts';
import { type ReportedRun, runContent } from './run-section.ts';
import { type Section, sectionMarkup } from './section.ts';

export interface ReportInputs {
  readonly runs: readonly ReportedRun[];
  /** Of two runs; `null` when there are not two, or they cannot be compared. */
  readonly comparison: Comparison | null;
  /** Why there is none; `null` when there is one, or nothing to compare. */
  readonly notCompared: string | null;
  /** `null` when there is nothing to trade: one point. */
  readonly pareto: ParetoResult | null;
  readonly toolVersion: string;
}

export interface ReportFile {
  /** One self-contained HTML file. */
  readonly html: string;
  /** Every chart on it, names unique. */
  readonly charts: readonly Chart[];
}

export function reportPage(inputs: ReportInputs): ReportFile {
  const { runs, pareto } = inputs;
  const charts: Chart[] = [];
  const sections: Section[] = [];
  const isOne = runs.length === 1;
  if (!isOne) {
    const together = runsSection(inputs);
    sections.push(together.section);
    charts.push(...together.charts);
  }
  const contents = runs.map((run, at) => runContent(run, isOne ? '' : `r${at + 1}-`));
  for (const content of contents) charts.push(...content.charts);
  const paretoPart = pareto === null ? null : paretoSection(pareto);
  if (paretoPart !== null) charts.push(paretoPart.chart);
  const bodies = contents.map(({ sections: own }, at) => {
    // The frontier stands with the loads it is made of, before the settings.
    const all =
      isOne && paretoPart !== null
        ? [...own.slice(0, -1), paretoPart.section, ...own.slice(-1)]
        : own;
    if (isOne) {
      sections.push(...all);
      return null;
    }
    const label = runName(runs[at] as ReportedRun, at);
    return markup`<details id="${`run-${at + 1}`}" data-print=""><summary><strong>${label}</strong></summary>${all.map(sectionMarkup)}</details>`;
  });
  if (!isOne && paretoPart !== null) sections.push(paretoPart.section);
  const title = titleOf(inputs);
  const html = htmlDocument({
    title,
    sections: [
      ...sections.filter(({ id }) => !/^load-\d+$|^more$/.test(id)),
      ...(isOne ? [] : runs.map((run, at) => ({ id: `run-${at + 1}`, name: runName(run, at) }))),
    ],
    main: markup`<h1>${title}</h1>${sections.map(sectionMarkup)}${bodies}`,
    footer: markup`<p>goodput ${inputs.toolVersion}. Every figure names its n; “~” and hollow marks make no claim. This file needs no network and no scripts.</p>`,
    extra: NO_EXTRA,
  });
  return { html, charts };
}

function titleOf({ runs }: ReportInputs): string {
  const [only] = runs;
  if (runs.length !== 1 || only === undefined) return `goodput: ${runs.length} runs`;
  const { points } = only.summary;
  const load = points.length === 1 ? (points[0]?.load.label ?? '') : `${points.length} loads`;
  return `${verdictWord(only.summary)}: ${load}`;
}

function runName({ label }: ReportedRun, at: number): string {
  return `${String.fromCharCode(65 + (at % 26))} ${label}`;
}

/** Several runs beside each other: table, curves over one another, and what changed. */
function runsSection(inputs: ReportInputs): {
  readonly section: Section;
  readonly charts: Chart[];
} {
  const { runs, comparison, notCompared } = inputs;
  const sides = runs.flatMap(({ summary, curves }, at) => {
    const [point] = summary.points;
    const own = curves.find(({ pointIndex }) => pointIndex === point?.index);
    return summary.points.length === 1 && own !== undefined
      ? [{ name: String.fromCharCode(65 + at), curves: own }]
      : [];
  });
  const overlaid =
    sides.length < 2 ? [] : overlaidCharts(sides, runs[0]?.summary.objective ?? null, 'runs-');
  const changes = comparison === null ? null : comparisonChart(comparison, 'runs-');
  const charts = [...(changes === null ? [] : [changes]), ...overlaid];
  const body = markup`${runsTable(runs)}
${notCompared === null ? null : markup`<p>Not compared: ${notCompared}</p>`}
${comparison === null ? null : comparisonPart(comparison, changes)}
<div class="charts">${overlaid.map((chart) => chartFigure(chart, 'Completed requests of each run’s judged window.'))}</div>`;
  return { section: { id: 'runs', name: 'The runs', body }, charts };
}

function runsTable(runs: readonly ReportedRun[]): Markup {
  const columns = [
    'run',
    'load',
    'n',
    'verdict',
    'attained',
    'good /s',
    'output tok/s',
    'TTFT p95',
    'TPOT p95',
  ];
  const rows = runs.flatMap((run, at) =>
    run.summary.points.map((point) => [
      runName(run, at),
      levelText(point.load),
      countFigure(point.ledger.scheduled),
      verdictWord(run.summary),
      sureShareFigure(point.attainment),
      sureFigure(point.goodputRps, point.rates.intervals.goodRps, levelFigure),
      sureFigure(
        point.rates.outputTokensPerSecond,
        point.rates.intervals.outputTokensPerSecond,
        levelFigure,
      ),
      quantileFigure(point.ttftFromPlannedNs, 0.95),
      quantileFigure(point.tpotNs, 0.95),
    ]),
  );
  return figuresTable({ columns, rows }, 'The runs');
}

function comparisonPart(comparison: Comparison, chart: Chart | null): Markup {
  const columns = ['metric', 'A', 'B', 'change', '95 % interval', 'pairs', 'verdict'];
  const rows = comparison.metrics.map((metric) => [
    metric.metric,
    metricValue(metric, metric.a),
    metricValue(metric, metric.b),
    changeText(metric),
    intervalText(metric),
    countFigure(metric.pairs),
    verdictText(metric.verdict),
  ]);
  const caveats = comparison.attribution.caveats.map((text) => markup`<li>${text}</li>`);
  return markup`<div class="verdict ${comparisonTone(comparison)}"><p><strong>${comparisonWord(comparison)}</strong> ${headline(comparison)}</p><p class="soft">${designText(comparison)}</p></div>
${figuresTable({ columns, rows }, 'Changes from A to B')}
<div class="charts">${chart === null ? null : chartFigure(chart, 'Whiskers: 95 % intervals. Hollow: none can be stated.')}</div>
<ul>${caveats}</ul>`;
}

function comparisonTone({ verdict }: Comparison): 'good' | 'bad' | 'doubt' {
  if (verdict === 'worse' || verdict === 'notComparable') return 'bad';
  return verdict === 'better' || verdict === 'equivalent' ? 'good' : 'doubt';
}

function paretoSection(result: ParetoResult): { readonly section: Section; readonly chart: Chart } {
  const chart = paretoChart(result, '');
  const { head, rows } = paretoTable(result, true);
  const best = bestText(result);
  const body = markup`<div class="charts">${chartFigure(chart, `${removedText(result)}.`)}</div>
${best === null ? null : markup`<p>${best}.</p>`}
${figuresTable({ columns: head, rows }, 'Points of the frontier')}`;
  return { section: { id: 'pareto', name: 'Throughput against latency', body }, chart };
}
