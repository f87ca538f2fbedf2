/** One load point on the terminal. */
import { objectiveText } from '../slo/index.ts';
import type { PointSummary, QuantileSummary } from '../summary/index.ts';
import { countFigure, durationFigure, shareFigure } from './figures.ts';
import { draftText, firstAnswerRows, limitsText, triesText } from './hosted-words.ts';
import { aligned, atMost, LABEL_WIDTH, wrapped } from './layout.ts';
import {
  marginLines,
  paintedVerdict,
  targetsText,
  validityLines,
  type TerminalPage,
} from './terminal-page.ts';
import { sessionPaceText, sessionsText, turnsText } from './session-words.ts';
import { tokensText } from './token-words.ts';
import { unjudgedText } from './unjudged-text.ts';
import {
  attainmentText,
  endText,
  gapName,
  inFlightText,
  ledgerText,
  marginalsText,
  missesText,
  provenanceText,
  quantileFigure,
  ratesText,
  tpotName,
  verdictWord,
  warmUpText,
  windowText,
} from './words.ts';

/**
 * The point in at most `room` lines; with `explain`, in full. Blank lines are the first thing a
 * full page can do without, then the second lines of its texts.
 */
export function pointLines(page: TerminalPage, point: PointSummary, room: number): string[] {
  const lines = roomyLines(page, point);
  if (page.explain || lines.length <= room) return lines;
  const dense = lines.filter((line) => line !== '');
  if (dense.length <= room) return dense;
  return roomyLines({ ...page, tight: true }, point).filter((line) => line !== '');
}

function roomyLines(page: TerminalPage, point: PointSummary): string[] {
  return [
    ...verdictLines(page, point),
    ...marginLines(page, 'Load', loadText(point)),
    ...askedLines(page),
    ...pointBody(page, point),
    ...marginLines(
      page,
      'Window',
      `${windowText(point.rates.window, point.warmUp)} · ${provenanceText(page.summary)}`,
      2,
    ),
  ];
}

/** Attainment, rates, ledger, latencies, misses and validity of one point. */
export function pointBody(page: TerminalPage, point: PointSummary): string[] {
  const marginals = marginalsText(point);
  const unjudged = unjudgedText(point.unjudgedReasons);
  const warmUp = warmUpText(point);
  const reasons = validityLines(page, point.validity.reasons, 2);
  return [
    ...marginLines(page, 'Good', attainmentText(point), 2),
    ...marginLines(page, 'Rates', ratesText(point), 2),
    ...marginLines(page, 'Ledger', ledgerText(point), 2),
    ...optionalLines(page, 'Tries', triesText(point)),
    ...optionalLines(page, 'Limits', limitsText(point)),
    ...optionalLines(page, 'Draft', draftText(point)),
    ...optionalLines(page, 'Tokens', tokensText(point)),
    '',
    ...latencyTable(page, point),
    '',
    ...marginLines(page, 'Missed', missesText(point)),
    ...(marginals === null ? [] : marginLines(page, 'Alone', marginals)),
    ...(unjudged === null ? [] : marginLines(page, 'Unjudged', unjudged, 2)),
    ...sessionLines(page, point),
    ...(warmUp === null ? [] : marginLines(page, 'Warm-up', warmUp)),
    ...(reasons.length > 0
      ? reasons
      : marginLines(page, 'Valid', 'yes, no fault of the measurement was found')),
  ];
}

/** Nothing of what a load does not have. */
function optionalLines(page: TerminalPage, name: string, text: string | null): string[] {
  return text === null ? [] : marginLines(page, name, text, 2);
}

function sessionLines(page: TerminalPage, { sessions }: PointSummary): string[] {
  if (sessions === null) return [];
  const turns = turnsText(sessions);
  return [
    ...marginLines(page, 'Sessions', sessionsText(sessions), 2),
    ...(turns === null ? [] : marginLines(page, 'Turns', turns)),
    ...(page.explain ? marginLines(page, 'Pace', sessionPaceText(sessions)) : []),
  ];
}

function verdictLines(page: TerminalPage, point: PointSummary): string[] {
  const word = verdictWord(page.summary);
  const text = targetsText(page, point);
  // The other lines' margin holds most verdicts; a longer one pushes its text to the right.
  const margin = Math.max(LABEL_WIDTH, word.length + 2);
  const lines = wrapped(text, page.width - margin);
  const shown = page.explain ? lines : atMost(page.tight ? 1 : 2, lines, page.width - margin);
  return shown.map((line, index) =>
    index === 0
      ? `${paintedVerdict(page)}${' '.repeat(margin - word.length)}${line}`
      : `${' '.repeat(margin)}${line}`,
  );
}

function loadText(point: PointSummary): string {
  return `${point.load.label} · ${endText(point)} · ${inFlightText(point)}`;
}

function askedLines(page: TerminalPage): string[] {
  const { objective } = page.summary;
  return objective === null ? [] : marginLines(page, 'Asked', objectiveText(objective));
}

/** TTFT, TPOT, gaps and completion; every row says how many values it rests on. */
function latencyTable(page: TerminalPage, point: PointSummary): string[] {
  const rows: (readonly [string, QuantileSummary])[] = [
    ['TTFT from planned', point.ttftFromPlannedNs],
    ...firstAnswerRows(point, page.explain ? 'both' : 'planned'),
    [tpotName(point), point.tpotNs],
    [gapName(point), point.chunkGapNs],
    ['completion', point.completionNs],
  ];
  if (page.explain) {
    rows.splice(1, 0, ['TTFT from dispatch', point.ttftFromDispatchNs]);
    rows.push(
      ['completion from planned', point.completionFromPlannedNs],
      ['token gap (ITL)', point.itlNs],
      ['queue (server told)', point.queueDelayNs],
      ['client lateness', point.scheduleLagNs],
    );
  }
  const [header = '', ...body] = aligned([
    ['By nearest rank', 'p50', 'p90', 'p95', 'p99', 'mean', 'max', 'n', 'coverage'],
    ...rows.map(([name, summary]) => [
      name,
      ...[0.5, 0.9, 0.95, 0.99].map((q) => quantileFigure(summary, q)),
      durationFigure(summary.mean),
      durationFigure(summary.max),
      countFigure(summary.n),
      shareFigure(summary.coverage),
    ]),
  ]);
  const legend = '~ no interval: shown, not claimed';
  const isMarked = !page.tight && body.some((line) => line.includes('~'));
  return [page.palette.dim(header), ...body, ...(isMarked ? [page.palette.dim(legend)] : [])];
}
