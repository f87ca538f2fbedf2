/** Everything about one load point: ledger, latencies with n and coverage, rates, timelines. */
import { markup, type Markup } from '../../base/index.ts';
import { type Chart, partsChart } from '../../charts/index.ts';
import { chartFigure, figuresTable } from '../../page/index.ts';
import type { Objective } from '../../slo/index.ts';
import type { PointSummary, QuantileSummary, StratumSummary } from '../../summary/index.ts';
import { sureRateFigures, sureShareFigure } from '../certainty.ts';
import { countFigure, durationFigure, levelFigure, NOT_OBSERVED, shareFigure } from '../figures.ts';
import { cachedText, draftText, firstAnswerRows, limitsText, triesText } from '../hosted-words.ts';
import {
  sessionBasisText,
  sessionPaceText,
  sessionsText,
  TURN_COLUMNS,
  turnRows,
} from '../session-words.ts';
import { tokensText } from '../token-words.ts';
import { unjudgedText } from '../unjudged-text.ts';
import {
  attainmentText,
  endText,
  gapName,
  inFlightText,
  ledgerText,
  marginalsText,
  missesText,
  quantileFigure,
  tpotName,
  warmUpText,
  windowText,
} from '../words.ts';
import { latencyCharts } from './latency-charts.ts';
import type { PointCurves } from './point-curves.ts';
import { inFlightChart, requestsCharts, sampleText } from './timeline-charts.ts';

export interface PointContent {
  readonly body: Markup;
  readonly charts: readonly Chart[];
}

/** `curves` is null when the records are not at hand. `prefix` keeps names on the page apart. */
export function pointContent(
  point: PointSummary,
  curves: PointCurves | null,
  objective: Objective | null,
  prefix: string,
): PointContent {
  const ledger = ledgerChart(point, prefix);
  const latency = curves === null ? [] : latencyCharts(point, curves, objective, prefix);
  const inFlight = curves === null ? null : inFlightChart(point, curves, prefix);
  const requests = curves === null ? [] : requestsCharts(point, curves, prefix);
  const judged = windowText(point.rates.window, point.warmUp);
  const body = markup`<h3>Ledger and attainment</h3>
${ledgerItems(point)}
<div class="charts">${chartFigure(ledger, ledgerText(point))}</div>
<h3>Latencies</h3>
<p class="soft">Nearest rank; completed requests of the judged window: ${judged}. ~: no interval, so no claim.</p>
${latencyTable(point)}
<div class="charts">${latency.map((chart) => chartFigure(chart, 'Completed requests of the judged window. Dashed red: the objective.'))}</div>
${sessionsPart(point)}${strataPart('By prompt tokens', point.promptBuckets)}${strataPart('By output tokens', point.outputBuckets)}${strataPart('By phase and connection', point.phases)}${strataPart('By tenant or class', point.groups)}
<h3>Rates</h3>
${ratesTable(point)}
${timelinePart(point, curves, inFlight, requests)}`;
  const charts = [ledger, ...latency, inFlight, ...requests].filter((chart) => chart !== null);
  return { body, charts };
}

function ledgerItems(point: PointSummary): Markup {
  const lines: readonly (readonly [string, string | null])[] = [
    ['Good', attainmentText(point)],
    ['Tries', triesText(point)],
    ['The provider says', limitsText(point)],
    ['Speculative decoding', draftText(point)],
    ['Tokens', tokensText(point)],
    ['Cached share of the prompt tokens', cachedText(point)],
    ['Missed', missesText(point)],
    ['Unjudged', unjudgedText(point.unjudgedReasons)],
    ['Each latency alone', marginalsText(point)],
    ['Warm-up', warmUpText(point)],
    ['End', endText(point)],
    [
      'Load',
      `${inFlightText(point)}${point.backlogGrowing ? ' · the backlog grew: latencies depend on the duration' : ''}`,
    ],
  ];
  return markup`<ul>${lines.map(([name, text]) => (text === null ? null : markup`<li>${name}: ${text}</li>`))}</ul>`;
}

export function ledgerChart(point: PointSummary, prefix: string): Chart {
  const { ledger, verdicts } = point;
  const tone: Readonly<Record<string, string>> = {
    completed: 's0',
    failed: 'bad',
    'timed out': 's5',
    cancelled: 'wait',
    refused: 's4',
    dropped: 's1',
  };
  const parts = [
    ['completed', ledger.completed],
    ['failed', ledger.failed],
    ['timed out', ledger.timedOut],
    ['cancelled', ledger.cancelled],
    ['refused', ledger.refused],
    ['dropped', ledger.dropped],
  ] as const;
  return partsChart({
    name: `${prefix}ledger`,
    title: 'What became of every request',
    description: `${ledgerText(point)}. Good ${countFigure(verdicts.good)}, bad ${countFigure(verdicts.bad)}, unjudged ${countFigure(verdicts.unjudged)}, excluded ${countFigure(verdicts.excluded)}.`,
    parts: parts.map(([name, count]) => ({ name, count, tone: tone[name] ?? 's7' })),
  });
}

function latencyTable(point: PointSummary): Markup {
  const rows: readonly (readonly [string, QuantileSummary])[] = [
    ['TTFT from planned', point.ttftFromPlannedNs],
    ['TTFT from dispatch', point.ttftFromDispatchNs],
    ...firstAnswerRows(point, 'both'),
    [tpotName(point), point.tpotNs],
    [gapName(point), point.chunkGapNs],
    ['token gap (ITL)', point.itlNs],
    ['completion', point.completionNs],
    ['completion from planned', point.completionFromPlannedNs],
    ['queue delay, as the server told', point.queueDelayNs],
    ['client lateness (all sent)', point.scheduleLagNs],
  ];
  const columns = [
    'measure',
    'n',
    'coverage',
    'mean',
    'p50',
    'p90',
    'p95',
    'p95 interval',
    'p99',
    'p99.9',
    'max',
  ];
  return figuresTable(
    {
      columns,
      rows: rows.map(([name, summary]) => [
        name,
        countFigure(summary.n),
        shareFigure(summary.coverage),
        durationFigure(summary.mean),
        ...[0.5, 0.9, 0.95].map((q) => quantileFigure(summary, q)),
        intervalOf(summary, 0.95),
        ...[0.99, 0.999].map((q) => quantileFigure(summary, q)),
        durationFigure(summary.max),
      ]),
    },
    `Latencies of ${point.load.label}`,
  );
}

function intervalOf(summary: QuantileSummary, q: number): string {
  const interval = summary.quantiles.find((entry) => entry.q === q)?.interval ?? null;
  return interval === null
    ? NOT_OBSERVED
    : `${durationFigure(interval.low)} – ${durationFigure(interval.high)}`;
}

function ratesTable(point: PointSummary): Markup {
  const columns = [
    'window',
    'offered /s',
    'realised /s',
    'completed /s',
    'correct /s',
    'good /s',
    'in tok/s',
    'out tok/s',
    'good tok/s',
    'usage unknown',
  ];
  return figuresTable(
    {
      columns,
      rows: [point.rates, ...point.otherWindows].map((rates) => [
        windowText(rates.window, point.warmUp),
        levelFigure(rates.offeredRps),
        levelFigure(rates.realisedOfferedRps),
        ...sureRateFigures(rates),
        countFigure(rates.unknownUsageCount),
      ]),
    },
    `Rates of ${point.load.label}`,
  );
}

function sessionsPart(point: PointSummary): Markup | null {
  const { sessions } = point;
  if (sessions === null) return null;
  const texts = [sessionsText(sessions), sessionPaceText(sessions), sessionBasisText(point)];
  const rows = turnRows(sessions);
  return markup`<h3>Sessions</h3>
<ul>${texts.map((text) => markup`<li>${text}</li>`)}</ul>
${figuresTable({ columns: [...TURN_COLUMNS], rows }, 'By turn')}`;
}

function strataPart(title: string, strata: readonly StratumSummary[]): Markup | null {
  // One stratum that is everything says nothing new.
  if (strata.length < 2) return null;
  const columns = [
    'requests',
    'due',
    'completed',
    'attained',
    'n TTFT',
    'TTFT p50',
    'TTFT p95',
    'TPOT p95',
    'done p95',
  ];
  const rows = strata.map((stratum) => [
    stratum.name,
    countFigure(stratum.ledger.scheduled),
    countFigure(stratum.ledger.completed),
    sureShareFigure(stratum.attainment),
    countFigure(stratum.ttftFromPlannedNs.n),
    quantileFigure(stratum.ttftFromPlannedNs, 0.5),
    quantileFigure(stratum.ttftFromPlannedNs, 0.95),
    quantileFigure(stratum.tpotNs, 0.95),
    quantileFigure(stratum.completionNs, 0.95),
  ]);
  return markup`<h4>${title}</h4>${figuresTable({ columns, rows }, title)}`;
}

function timelinePart(
  point: PointSummary,
  curves: PointCurves | null,
  inFlight: Chart | null,
  requests: readonly Chart[],
): Markup | null {
  if (curves === null || inFlight === null) return null;
  return markup`<h3>Over time</h3>
<div class="charts">${chartFigure(inFlight, `${inFlightText(point)}.`)}${requests.map((chart, at) => chartFigure(chart, at === 0 ? sampleText(point, curves) : 'A request a row.'))}</div>`;
}
