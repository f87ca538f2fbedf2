/** Several load points on the terminal: one row each, so that the cliff can be seen. */
import { objectiveText } from '../slo/index.ts';
import type { PointSummary } from '../summary/index.ts';
import { markedFigure, sureShareFigure } from './certainty.ts';
import { countFigure, levelFigure, rateFigure, tokenRateFigure } from './figures.ts';
import { kneeText } from './knee-text.ts';
import { aligned } from './layout.ts';
import { pooledLoadLines } from './pooled-loads.ts';
import { marginLines, validityLines, type TerminalPage } from './terminal-page.ts';
import { summedReasons, unjudgedText } from './unjudged-text.ts';
import { levelText, provenanceText, quantileFigure, windowName } from './words.ts';

/** The asked objective, a row per load, what the rows show, and what they cannot show. */
export function sweepLines(page: TerminalPage): string[] {
  const { summary, palette } = page;
  const { points } = summary;
  const closed = points.some((point) => point.load.closedLoop);
  const unjudged = unjudgedText(summedReasons(points.map((point) => point.unjudgedReasons)));
  const [header = '', ...rows] = aligned([
    [
      closed ? 'load' : 'offered',
      'in flight',
      'out tok/s',
      'good/s',
      'attained',
      'TTFT p95',
      'TPOT p95',
      'drops',
      'fails',
      'target',
    ],
    ...points.map(row),
  ]);
  return [
    `${palette.bold('SWEEP')}    ${points.length} loads, ${closed ? 'closed loop: a slower server gets less load' : 'open loop'}`,
    ...(summary.objective === null
      ? []
      : marginLines(page, 'Asked', objectiveText(summary.objective))),
    '',
    palette.dim(header),
    ...rows.map((line, index) => painted(page, points[index] as PointSummary, line)),
    '',
    ...(summary.knee === null
      ? []
      : marginLines(
          page,
          'Knee',
          kneeText(summary.knee, (points[0] as PointSummary).load.kind),
          2,
        )),
    ...pooledLoadLines(points).flatMap((text) => marginLines(page, 'Pooled', text, 2)),
    ...marginLines(page, 'Shows', storyText(points), 3),
    ...legendLines(page),
    ...(unjudged === null ? [] : marginLines(page, 'Unjudged', unjudged, 2)),
    ...validityLines(
      page,
      summary.validity.reasons.filter((reason) => reason.severity !== 'note'),
      3,
    ),
    ...marginLines(
      page,
      'Window',
      `${windowName((points[0] as PointSummary).rates.window, (points[0] as PointSummary).warmUp)} · ${provenanceText(summary)}`,
      2,
    ),
  ];
}

function row(point: PointSummary): string[] {
  const { ledger, validity, backlogGrowing } = point;
  const marks = `${validity.valid ? '' : ' !'}${backlogGrowing ? ' ^' : ''}${point.partial ? ' *' : ''}`;
  return [
    `${levelText(point.load)}${marks}`,
    levelFigure(point.inFlightMean),
    markedFigure(
      point.rates.outputTokensPerSecond,
      point.rates.intervals.outputTokensPerSecond,
      levelFigure,
    ),
    goodputFigure(point, levelFigure),
    sureShareFigure(point.attainment),
    quantileFigure(point.ttftFromPlannedNs, 0.95),
    quantileFigure(point.tpotNs, 0.95),
    countFigure(ledger.dropped),
    countFigure(ledger.failed + ledger.timedOut),
    targetWord(point),
  ];
}

function goodputFigure(point: PointSummary, figure: (value: number | null) => string): string {
  return markedFigure(point.goodputRps, point.rates.intervals.goodRps, figure);
}

function targetWord(point: PointSummary): string {
  if (point.population.length === 0) return '–';
  if (point.population.some((result) => result.state === 'missed')) return 'missed';
  return point.population.every((result) => result.state === 'met') ? 'met' : '?';
}

function painted({ palette }: TerminalPage, point: PointSummary, line: string): string {
  if (!point.validity.valid) return palette.bad(line);
  switch (targetWord(point)) {
    case 'met':
      return palette.good(line);
    case 'missed':
      return palette.bad(line);
    case '?':
      return palette.doubtful(line);
    default:
      return line;
  }
}

/** Where goodput was best, and whether throughput kept rising past it. */
function storyText(points: readonly PointSummary[]): string {
  const best = points.reduce((a, b) => ((b.goodputRps ?? 0) > (a.goodputRps ?? 0) ? b : a));
  const last = points.at(-1) as PointSummary;
  if ((best.goodputRps ?? 0) === 0) return 'no request was good at any of these loads.';
  const peak = `goodput is best at ${levelText(best.load)}: ${goodputFigure(best, rateFigure)}`;
  const caution = 'Seen at these loads and this length; a capacity claim needs longer runs.';
  if (best === last) return `${peak}, the highest load tried. ${caution}`;
  const tokens = [best, last].map((point) => point.rates.outputTokensPerSecond ?? 0);
  const rose = (tokens[1] as number) > (tokens[0] as number);
  const fell = (last.goodputRps ?? 0) < (best.goodputRps ?? 0);
  const past =
    rose && fell
      ? `past it throughput rises (${tokenRateFigure(tokens[0] as number)} → ${tokenRateFigure(tokens[1] as number)}) while goodput falls to ${goodputFigure(last, rateFigure)}`
      : `at ${levelText(last.load)} it is ${goodputFigure(last, rateFigure)}`;
  return `${peak}; ${past}. ${caution}`;
}

/** Names the quantile rule, and explains the marks that the table uses, and only those. */
function legendLines(page: TerminalPage): string[] {
  const { points } = page.summary;
  const unclaimed = points.some(
    (point) =>
      (point.attainment.share !== null && point.attainment.interval === null) ||
      (point.goodputRps !== null && point.rates.intervals.goodRps === null) ||
      [point.ttftFromPlannedNs, point.tpotNs].some((summary) =>
        summary.quantiles.some((entry) => entry.q === 0.95 && !entry.claimable),
      ),
  );
  const marks = [
    [unclaimed, '~ no interval: shown, not claimed'],
    [points.some((point) => point.backlogGrowing), '^ backlog grew: depends on duration'],
    [points.some((point) => !point.validity.valid), '! not to be trusted'],
    [points.some((point) => point.partial), '* cut short'],
    [points.some((point) => targetWord(point) === '?'), '? not enough data'],
  ] as const;
  const used = marks.filter(([isUsed]) => isUsed).map(([, text]) => text);
  return marginLines(page, 'Marks', ['p95 by nearest rank', ...used].join(' · '), 2);
}
