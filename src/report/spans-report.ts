/** Where the time of requests went, by their servers' spans: terminal and Markdown. */
import {
  type PartFigures,
  type TimeParts,
  TTFT_PARTS,
  type TtftBlame,
  type TtftPart,
} from '../tracing/index.ts';
import { countFigure, durationFigure, shareFigure } from './figures.ts';
import { aligned, wrapped } from './layout.ts';
import { literal, table } from './markdown-text.ts';

/** One load point with its joined spans. */
export interface SpannedLoad {
  /** `8/s`. */
  readonly label: string;
  readonly parts: TimeParts;
}

const PART_NAMES: Readonly<Record<TtftPart, string>> = {
  late: 'late start of this client',
  way: 'way: network, gateway, first write',
  queue: 'queue in the server',
  prefill: 'prefill',
  unnamed: 'rest of the server’s TTFT',
};

/** As sentences name them. */
const PART_WORDS: Readonly<Record<TtftPart, string>> = {
  late: 'late start',
  way: 'way',
  queue: 'queue',
  prefill: 'prefill',
  unnamed: 'rest of the server’s TTFT',
};

const COLUMNS = ['TTFT, from the planned start', 'n', 'mean', 'of mean', 'p50', 'p95', 'max'];

export function terminalSpans(loads: readonly SpannedLoad[], width: number): string {
  return loads
    .map(({ label, parts }) =>
      [
        ...wrapped(`${label}: ${joinText(parts)}`, width),
        ...(parts.joined === 0 ? [] : ['', ...aligned([COLUMNS, ...rowsOf(parts)]), '']),
        ...sentencesOf(parts).flatMap((sentence) => wrapped(sentence, width)),
        '',
      ].join('\n'),
    )
    .join('\n');
}

export function markdownSpans(loads: readonly SpannedLoad[]): string {
  return loads
    .map(({ label, parts }) =>
      [
        `## Where the time went: ${literal(label)}`,
        '',
        joinText(parts),
        '',
        ...(parts.joined === 0 ? [] : [...table(COLUMNS, rowsOf(parts)), '']),
        ...sentencesOf(parts).map((sentence) => `- ${literal(sentence)}`),
        '',
      ].join('\n'),
    )
    .join('\n');
}

function joinText({ sent, joined }: TimeParts): string {
  const share = sent === 0 ? null : joined / sent;
  return `${countFigure(joined)} of ${countFigure(sent)} sent requests (${shareFigure(share)}) joined with a server span`;
}

function rowsOf({ parts, clientTtft, serverTtft, tpotAdded }: TimeParts): string[][] {
  const whole = clientTtft?.meanNs ?? null;
  const row = (name: string, figures: PartFigures | null, isPart: boolean): string[] => [
    name,
    countFigure(figures?.n ?? 0),
    durationFigure(figures?.meanNs ?? null),
    isPart && figures !== null && whole !== null ? shareFigure(figures.meanNs / whole) : '',
    durationFigure(figures?.p50Ns ?? null),
    durationFigure(figures?.p95Ns ?? null),
    durationFigure(figures?.maxNs ?? null),
  ];
  return [
    ...TTFT_PARTS.filter((part) => parts[part] !== null).map((part) =>
      row(PART_NAMES[part], parts[part], true),
    ),
    row('as this client saw it', clientTtft, false),
    row('as the server counts it', serverTtft, false),
    ...(tpotAdded === null ? [] : [row('TPOT added on the way', tpotAdded, false)]),
  ];
}

function sentencesOf({ blame, heldBack, contradictory, joined }: TimeParts): string[] {
  return [
    ...(joined === 0
      ? [
          'no span carries an id of this run: is the sampling on, and does the way keep x-request-id?',
        ]
      : []),
    ...(blame === null || joined === 0 ? [] : blameTexts(blame)),
    ...(heldBack > 0
      ? [
          `${countFigure(heldBack)} answers were held back on the way: the server streamed them, and they came at once; look for a buffering proxy`,
        ]
      : []),
    ...(contradictory > 0
      ? [
          `in ${countFigure(contradictory)} requests the server’s TTFT is longer than this client’s: the two do not mean the same, or the join is wrong`,
        ]
      : []),
  ];
}

function blameTexts({ missed, serverAlone, metWithout }: TtftBlame): string[] {
  if (missed === 0) return ['no joined request missed its TTFT limit'];
  const helped = TTFT_PARTS.filter((part) => metWithout[part] > 0).map(
    (part) => `${countFigure(metWithout[part])} without the ${PART_WORDS[part]}`,
  );
  return [
    `${countFigure(missed)} joined requests missed their TTFT limit; in ${countFigure(serverAlone)} of them the server’s own TTFT is over it already`,
    `of these would have met it: ${helped.length === 0 ? 'none by taking a single part away' : helped.join('; ')}`,
  ];
}
