/** What `--explain` adds: every window, every stratum, and what the words mean. */
import { secondsFromNs } from '../base/index.ts';
import type { PointSummary, StratumSummary } from '../summary/index.ts';
import { certaintyLines, markedRateFigures, sureShareFigure } from './certainty.ts';
import { countFigure, durationFigure, levelFigure, rateFigure, shareFigure } from './figures.ts';
import { aligned, labelled, wrapped } from './layout.ts';
import { serverView } from './server-view.ts';
import { TURN_COLUMNS, turnRows } from './session-words.ts';
import type { TerminalPage } from './terminal-page.ts';
import { pointBody } from './terminal-point.ts';
import { quantileFigure } from './words.ts';

/** The whole appendix of a report. */
export function explanation(page: TerminalPage): string[] {
  const several = page.summary.points.length > 1;
  return [
    ...page.summary.points.flatMap((point) => [
      ...(several ? pointLinesOfSweep(page, point) : []),
      ...section(page, 'Per second of each window', windowTable(point)),
      ...section(page, 'By prompt tokens', strataTable(point.promptBuckets)),
      ...section(page, 'By output tokens', strataTable(point.outputBuckets)),
      ...section(page, 'By phase and connection', strataTable(point.phases)),
      ...section(page, 'By tenant or class', strataTable(point.groups)),
      ...section(page, 'By turn', turnTable(point)),
      ...section(
        page,
        'How sure',
        certaintyLines(point).flatMap((text) => labelled('', text, page.width)),
      ),
      ...section(page, 'Servers', serverLines(page, point)),
      ...section(page, "Little's law", littleLines(page, point)),
    ]),
    ...section(page, 'Words', definitions(page.width)),
  ];
}

function pointLinesOfSweep(page: TerminalPage, point: PointSummary): string[] {
  const [title = ''] = wrapped(point.load.label, page.width);
  return ['', page.palette.bold(title), ...pointBody(page, point)];
}

function section(page: TerminalPage, title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', page.palette.dim(title), ...lines];
}

function turnTable({ sessions }: PointSummary): string[] {
  return sessions === null ? [] : aligned([TURN_COLUMNS, ...turnRows(sessions)]);
}

function windowTable(point: PointSummary): string[] {
  const windows = [point.rates, ...point.otherWindows];
  return aligned([
    [
      '',
      'length',
      'realised',
      'admitted',
      'completed',
      'correct',
      'good',
      'in tok',
      'out tok',
      'good tok',
    ],
    ...windows.map((rates) => [
      rates.window.kind,
      durationFigure(rates.window.toNs - rates.window.fromNs),
      ...[rates.realisedOfferedRps, rates.admittedRps].map(levelFigure),
      ...markedRateFigures(rates),
    ]),
  ]);
}

/** One row a stratum; a split with a single part says nothing and is left out. */
function strataTable(strata: readonly StratumSummary[]): string[] {
  if (strata.length < 2) return [];
  return aligned([
    ['', 'due', 'done', 'attained', 'TTFT p50', 'TTFT p95', 'TPOT p95', 'done p50', 'done p95'],
    ...strata.map((stratum) => [
      stratum.name,
      countFigure(stratum.ledger.scheduled),
      countFigure(stratum.ledger.completed),
      sureShareFigure(stratum.attainment),
      quantileFigure(stratum.ttftFromPlannedNs, 0.5),
      quantileFigure(stratum.ttftFromPlannedNs, 0.95),
      quantileFigure(stratum.tpotNs, 0.95),
      quantileFigure(stratum.completionNs, 0.5),
      quantileFigure(stratum.completionNs, 0.95),
    ]),
  ]);
}

function serverLines(page: TerminalPage, point: PointSummary): string[] {
  const view = serverView(page.servers, point, page.summary.objective);
  if (view === null) return [];
  return [...aligned(view.rows), ...view.notes.flatMap((note) => labelled('', note, page.width))];
}

function littleLines(page: TerminalPage, point: PointSummary): string[] {
  const { lMean, lambdaRps, wMeanNs, pathGapShare, stationaryGapShare } = point.littlesLaw;
  const w = wMeanNs === null ? null : secondsFromNs(wMeanNs);
  return labelled(
    '',
    `L ${levelFigure(lMean)} in flight, λ ${rateFigure(lambdaRps)} sent, W ${levelFigure(w)} s mean stay: ` +
      `λ·W is off by ${shareFigure(stationaryGapShare)} of L; path check: ${
        pathGapShare === null ? 'no count to check against' : `gap ${shareFigure(pathGapShare)}`
      }`,
    page.width,
  );
}

/** The definitions a reader needs to check the figures above. */
const WORDS: readonly (readonly [string, string])[] = [
  ['good', 'completed, correct, and every limit met; unknown is never good'],
  [
    'attained',
    'good / offered; offered = scheduled − excluded refusals, dropped requests included',
  ],
  ['goodput', 'good requests per second of the named window'],
  [
    'TTFT',
    'first counted output event − planned instant, so a late client never flatters the server',
  ],
  [
    'TPOT',
    '(last counted event − first) / (tokens − those of the first event), one value a request',
  ],
  ['gap', 'between events of one answer, pooled over answers; a chunk may hold several tokens'],
  ['p95', 'nearest rank over completed requests'],
  ['(…–…)', '95 % interval that holds although requests share a queue; ~ where there is none'],
  ['wall', 'first planned to last done, drain inside'],
  ['steady', 'end of the warm-up, declared or found, to the stop: requests by plan'],
  ['cohort', 'what came of the requests that arrived while load was offered, drain left out'],
];

function definitions(width: number): string[] {
  return WORDS.flatMap(([word, meaning]) => labelled(word, meaning, width));
}
