/** Everything about one load point, in Markdown. */
import type { PointSummary, QuantileSummary, StratumSummary } from '../summary/index.ts';
import { certaintyLines, sureRateFigures, sureShareFigure } from './certainty.ts';
import { countFigure, durationFigure, levelFigure, rateFigure, shareFigure } from './figures.ts';
import { cachedText, draftText, firstAnswerRows, limitsText, triesText } from './hosted-words.ts';
import { literal, table } from './markdown-text.ts';
import {
  sessionBasisText,
  sessionPaceText,
  sessionsText,
  TURN_COLUMNS,
  turnRows,
} from './session-words.ts';
import { tokensText } from './token-words.ts';
import { unjudgedText } from './unjudged-text.ts';
import {
  attainmentText,
  endText,
  inFlightText,
  ledgerText,
  marginalsText,
  missesText,
  quantileFigure,
  tpotName,
  windowText,
} from './words.ts';

export function pointSections(point: PointSummary): string[] {
  const marginals = marginalsText(point);
  const unjudged = unjudgedText(point.unjudgedReasons);
  const [tries, limits, draft] = [triesText(point), limitsText(point), draftText(point)];
  const tokens = tokensText(point);
  return [
    `## Load: ${literal(point.load.label)}`,
    '',
    `${literal(endText(point))} · ${literal(inFlightText(point))}${point.backlogGrowing ? ' · **the backlog grew: latencies depend on the duration**' : ''}`,
    '',
    '### Ledger and attainment',
    '',
    `- ${literal(ledgerText(point), 1_000)}`,
    `- good: ${literal(attainmentText(point))}`,
    ...(tries === null ? [] : [`- tries: ${literal(tries, 1_000)}`]),
    ...(limits === null ? [] : [`- the provider says: ${literal(limits, 1_000)}`]),
    ...(draft === null ? [] : [`- speculative decoding: ${literal(draft)}`]),
    ...(tokens === null ? [] : [`- tokens: ${literal(tokens, 1_000)}`]),
    `- missed: ${literal(missesText(point))}`,
    ...(unjudged === null ? [] : [`- unjudged: ${literal(unjudged, 1_000)}`]),
    ...(marginals === null ? [] : [`- each latency alone: ${literal(marginals)}`]),
    `- judged window: ${literal(windowText(point.rates.window, point.warmUp))}`,
    `- shares of all scheduled: errors ${shareFigure(point.errorShare)}, dropped ${shareFigure(point.dropShare)}, refused ${shareFigure(point.refusalShare)}`,
    '',
    '### Latencies',
    '',
    ...latencyTable(point),
    '',
    'Nearest rank; completed requests unless it says otherwise. `~`: no interval, so no claim.',
    'Intervals are at 95 % and hold although requests share a queue (docs/statistics.md).',
    '',
    '### Rates',
    '',
    ...ratesTable(point),
    '',
    '(low–high): 95 % interval; `~` where none can be stated. What was offered, realised and admitted is what the client did, counted and not estimated.',
    '',
    `Requests whose token usage is unknown, in no token rate: ${countFigure(point.rates.unknownUsageCount)}.`,
    '',
    ...sessionsSection(point),
    ...strataSection(promptTitle(point), point.promptBuckets),
    ...strataSection('By output tokens', point.outputBuckets),
    ...strataSection('By phase and connection (the whole point)', point.phases),
    ...strataSection('By tenant or class', point.groups),
    ...lengthsSection(point),
    ...certaintySection(point),
    ...littleSection(point),
  ];
}

/** Lengths are the server's unless it did not tell them. */
function promptTitle({ promptTokensFrom: { planned, unknown } }: PointSummary): string {
  const notes = [
    planned > 0 ? `${countFigure(planned)} by the planned length` : null,
    unknown > 0 ? `${countFigure(unknown)} unknown` : null,
  ].filter((note) => note !== null);
  return notes.length === 0 ? 'By prompt tokens' : `By prompt tokens (${notes.join(', ')})`;
}

function latencyTable(point: PointSummary): string[] {
  const rows: readonly (readonly [string, QuantileSummary])[] = [
    ['TTFT from planned', point.ttftFromPlannedNs],
    ['TTFT from dispatch', point.ttftFromDispatchNs],
    ...firstAnswerRows(point, 'both'),
    [tpotName(point), point.tpotNs],
    ['chunk gap (pooled)', point.chunkGapNs],
    ['token gap (ITL)', point.itlNs],
    ['completion', point.completionNs],
    ['completion from planned', point.completionFromPlannedNs],
    ['queue delay, as the server told', point.queueDelayNs],
    ['client lateness (all sent)', point.scheduleLagNs],
  ];
  return table(
    [
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
    ],
    rows.map(([name, summary]) => [
      literal(name),
      countFigure(summary.n),
      shareFigure(summary.coverage),
      durationFigure(summary.mean),
      ...[0.5, 0.9, 0.95].map((q) => quantileFigure(summary, q)),
      intervalText(summary, 0.95),
      ...[0.99, 0.999].map((q) => quantileFigure(summary, q)),
      durationFigure(summary.max),
    ]),
  );
}

function intervalText(summary: QuantileSummary, q: number): string {
  const interval = summary.quantiles.find((entry) => entry.q === q)?.interval ?? null;
  return interval === null
    ? 'none'
    : `${durationFigure(interval.low)} to ${durationFigure(interval.high)}`;
}

function ratesTable(point: PointSummary): string[] {
  return table(
    [
      'window',
      'offered /s',
      'realised /s',
      'admitted /s',
      'completed /s',
      'correct /s',
      'good /s',
      'in tok/s',
      'out tok/s',
      'good tok/s',
      'out tokens by',
    ],
    [point.rates, ...point.otherWindows].map((rates) => [
      literal(windowText(rates.window, point.warmUp)),
      ...[rates.offeredRps, rates.realisedOfferedRps, rates.admittedRps].map(levelFigure),
      ...sureRateFigures(rates),
      rates.outputTokensBasis,
    ]),
  );
}

function sessionsSection(point: PointSummary): string[] {
  const { sessions } = point;
  if (sessions === null) return [];
  return [
    '### Sessions',
    '',
    `- ${literal(sessionsText(sessions), 1_000)}`,
    `- ${literal(sessionPaceText(sessions), 1_000)}`,
    `- interval: ${literal(sessionBasisText(point) ?? '', 1_000)}`,
    '',
    ...table(
      [...TURN_COLUMNS],
      turnRows(sessions).map((row) => row.map((cell) => literal(cell))),
    ),
    '',
  ];
}

function strataSection(title: string, strata: readonly StratumSummary[]): string[] {
  if (strata.length === 0) return [];
  return [
    `### ${title}`,
    '',
    ...table(
      [
        '',
        'due',
        'completed',
        'good',
        'offered',
        'attained',
        'TTFT p50',
        'TTFT p95',
        'TPOT p95',
        'done p50',
        'done p95',
      ],
      strata.map((stratum) => [
        literal(stratum.name),
        countFigure(stratum.ledger.scheduled),
        countFigure(stratum.ledger.completed),
        countFigure(stratum.attainment.good),
        countFigure(stratum.attainment.offered),
        sureShareFigure(stratum.attainment),
        quantileFigure(stratum.ttftFromPlannedNs, 0.5),
        quantileFigure(stratum.ttftFromPlannedNs, 0.95),
        quantileFigure(stratum.tpotNs, 0.95),
        quantileFigure(stratum.completionNs, 0.5),
        quantileFigure(stratum.completionNs, 0.95),
      ]),
    ),
    '',
  ];
}

function lengthsSection(point: PointSummary): string[] {
  const row = (name: string, summary: QuantileSummary): string[] => [
    name,
    countFigure(summary.n),
    levelFigure(summary.mean),
    ...[0.5, 0.95].map((q) => quantileFigure(summary, q, countFigure)),
    summary.max === null ? '–' : countFigure(summary.max),
  ];
  return [
    '### Lengths, as the server counted them',
    '',
    ...table(
      ['tokens', 'n', 'mean', 'p50', 'p95', 'max'],
      [row('prompt', point.promptTokens), row('output', point.outputTokens)],
    ),
    '',
    `Cached share of the prompt tokens: ${cachedText(point) ?? 'the server did not say'}. Gaps of zero (events of one socket read): ${shareFigure(point.zeroGapShare)}.`,
    '',
  ];
}

function certaintySection(point: PointSummary): string[] {
  const lines = certaintyLines(point);
  if (lines.length === 0) return [];
  return ['### How sure', '', ...lines.map((line) => `- ${literal(line, 1_000)}`), ''];
}

function littleSection(point: PointSummary): string[] {
  const { lMean, lambdaRps, wMeanNs, pathGapShare, stationaryGapShare } = point.littlesLaw;
  return [
    "### Little's law",
    '',
    `L ${levelFigure(lMean)} in flight, λ ${rateFigure(lambdaRps)} sent, W ${durationFigure(wMeanNs)} mean stay; λ·W differs from L by ${shareFigure(stationaryGapShare)}.`,
    pathGapShare === null
      ? 'Path check: the records hold no in-flight count to check against.'
      : `Path check: ∫ in-flight and the sum of stays differ by ${shareFigure(pathGapShare)}.`,
    '',
  ];
}
