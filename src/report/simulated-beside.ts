/** What a short live run showed beside what the simulator says of the same service in the long run. */
import { NO_INTERVAL_MARK } from './certainty.ts';
import { countFigure, levelFigure, shareFigure } from './figures.ts';
import { aligned, labelled, PAGE_WIDTH } from './layout.ts';

/** Attainment at one load, seen live for a moment and simulated for long. */
export interface BesideRow {
  /** Requests per second. */
  readonly offeredRps: number;
  readonly live: AttainedCounts;
  readonly simulated: AttainedCounts & {
    /** Good requests per second of virtual time. */
    readonly goodRps: number;
    /** The backlog grew: attainment then depends on how long one looks. */
    readonly growing: boolean;
  };
}

export interface AttainedCounts {
  readonly requests: number;
  /** `null` when nothing was offered. */
  readonly attainedShare: number | null;
}

/**
 * Lines for a terminal: a heading that says which column is which source, a row a load. Measured and
 * simulated figures are never in one column.
 */
export function simulatedBesideLines(
  heading: string,
  rows: readonly BesideRow[],
  width = PAGE_WIDTH,
): string[] {
  const table = aligned([
    [
      'offered',
      'live requests',
      'live attained',
      'simulated requests',
      'simulated attained',
      'simulated good/s',
    ],
    ...rows.map(({ offeredRps, live, simulated }) => [
      `${levelFigure(offeredRps)}/s${simulated.growing ? ' ^' : ''}`,
      countFigure(live.requests),
      seenShare(live),
      countFigure(simulated.requests),
      seenShare(simulated),
      levelFigure(simulated.goodRps),
    ]),
  ]);
  return [
    ...labelled('Beside', `simulated: ${heading}`, width),
    '',
    ...table,
    `${NO_INTERVAL_MARK} no interval: shown, not claimed`,
    ...(rows.some((row) => row.simulated.growing)
      ? ['^ the backlog grows all the while: the longer one looks, the worse it is']
      : []),
  ];
}

/** Counts alone cannot tell how sure a share is. */
function seenShare({ attainedShare }: AttainedCounts): string {
  const figure = shareFigure(attainedShare);
  return attainedShare === null ? figure : `${NO_INTERVAL_MARK}${figure}`;
}
