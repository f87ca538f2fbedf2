/** One load point on the terminal. */
import { objectiveText } from '../slo/index.ts';
import type { PointSummary, QuantileSummary } from '../summary/index.ts';
import { countFigure, durationFigure, shareFigure } from './figures.ts';
import { aligned, atMost, LABEL_WIDTH, wrapped } from './layout.ts';
import {
  marginLines,
  paintedVerdict,
  targetsText,
  validityLines,
  type TerminalPage,
} from './terminal-page.ts';
import {
  attainmentText,
  endText,
  inFlightText,
  ledgerText,
  marginalsText,
  missesText,
  provenanceText,
  quantileFigure,
  ratesText,
  tpotName,
  verdictWord,
  windowText,
} from './words.ts';

/** Lines a default report may have, the line that names its files included. */
const LINE_LIMIT = 20;

/** The point in at most nineteen lines, leaving one for its files; with `explain`, in full. */
export function pointLines(page: TerminalPage, point: PointSummary): string[] {
  const lines = [
    ...verdictLines(page, point),
    ...marginLines(page, 'Load', loadText(point)),
    ...askedLines(page),
    ...pointBody(page, point),
    ...marginLines(
      page,
      'Window',
      `${windowText(point.rates.window)} · ${provenanceText(page.summary)}`,
    ),
  ];
  // Blank lines are the first thing a full page can do without.
  return page.explain || lines.length < LINE_LIMIT ? lines : lines.filter((line) => line !== '');
}

/** Attainment, rates, ledger, latencies, misses and validity of one point. */
export function pointBody(page: TerminalPage, point: PointSummary): string[] {
  const marginals = marginalsText(point);
  const reasons = validityLines(page, point.validity.reasons, 2);
  return [
    ...marginLines(page, 'Good', attainmentText(point)),
    ...marginLines(page, 'Rates', ratesText(point)),
    ...marginLines(page, 'Ledger', ledgerText(point), 2),
    '',
    ...latencyTable(page, point),
    '',
    ...marginLines(page, 'Missed', missesText(point)),
    ...(marginals === null ? [] : marginLines(page, 'Alone', marginals)),
    ...(reasons.length > 0 ? reasons : marginLines(page, 'Valid', 'yes, no reason against it')),
  ];
}

function verdictLines(page: TerminalPage, point: PointSummary): string[] {
  const word = verdictWord(page.summary);
  const text = targetsText(page, point);
  // The other lines' margin holds most verdicts; a longer one pushes its text to the right.
  const margin = Math.max(LABEL_WIDTH, word.length + 2);
  const lines = wrapped(text, page.width - margin);
  const shown = page.explain ? lines : atMost(2, lines, page.width - margin);
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
  const rows: [string, QuantileSummary][] = [
    ['TTFT from planned', point.ttftFromPlannedNs],
    [tpotName(point), point.tpotNs],
    ['chunk gap', point.chunkGapNs],
    ['completion', point.completionNs],
  ];
  if (page.explain) {
    rows.splice(1, 0, ['TTFT from dispatch', point.ttftFromDispatchNs]);
    rows.push(
      ['completion from planned', point.completionFromPlannedNs],
      ['token gap (ITL)', point.itlNs],
      ['queue, as the server told', point.queueDelayNs],
      ['client lateness', point.scheduleLagNs],
    );
  }
  const [header = '', ...body] = aligned([
    ['Latency', 'p50', 'p90', 'p95', 'p99', 'mean', 'max', 'n', 'coverage'],
    ...rows.map(([name, summary]) => [
      name,
      ...[0.5, 0.9, 0.95, 0.99].map((q) => quantileFigure(summary, q)),
      durationFigure(summary.mean),
      durationFigure(summary.max),
      countFigure(summary.n),
      shareFigure(summary.coverage),
    ]),
  ]);
  return [page.palette.dim(header), ...body];
}
