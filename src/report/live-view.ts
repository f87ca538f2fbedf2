/** A running load test on the terminal: a few lines that are drawn again and again in one place. */
import { NS_PER_SECOND, printable } from '../base/index.ts';
import type { LivePoint } from '../summary/index.ts';
import { countFigure, levelFigure, rateFigure, shareFigure, shareRange } from './figures.ts';
import { paletteOf } from './palette.ts';

/** A load point while it runs. */
export interface LiveStatus {
  readonly label: string;
  /** Of the run, from 1. */
  readonly pointNumber: number;
  /** `null` = not known beforehand: a search. */
  readonly pointCount: number | null;
  /** Since the first start of the point. */
  readonly elapsedNs: number;
  /** Planned length of the offering; behind it nothing starts and the rest drains. */
  readonly offeringNs: number;
  /** Planned offering of the points after this one; `null` = not known. */
  readonly laterNs: number | null;
  readonly requests: {
    readonly scheduled: number;
    readonly ended: number;
    readonly inFlight: number;
    readonly dropped: number;
  };
  /** Whether the number of requests, and not the time, may end the point. */
  readonly closedLoop: boolean;
  readonly live: LivePoint;
}

export interface LivePage {
  /** Columns that may be used. */
  readonly width: number;
  readonly color: boolean;
}

/** Below so many columns the words are cut to what counts. */
const NARROW_WIDTH = 64;
const BAR_WIDTH_MOST = 24;

/**
 * The block: always the same number of lines, each within the width. Every text in it is safe to
 * show.
 */
export function liveLines(status: LiveStatus, page: LivePage): string[] {
  const narrow = page.width < NARROW_WIDTH;
  const palette = paletteOf(page.color);
  const [attainment, state] = [attainmentText(status, narrow), attainmentState(status)];
  const fitted = (text: string): string => fit(text, page.width);
  return [
    palette.bold(fitted(headText(status))),
    fitted(progressText(status, page.width)),
    fitted(requestsText(status, narrow)),
    fitted(ratesText(status, narrow)),
    state === null ? fitted(attainment) : palette[state](fitted(attainment)),
  ];
}

/** The same on one line, for output that is no terminal. */
export function livePlainLine(status: LiveStatus): string {
  const { requests } = status;
  const open = `, ${countFigure(requests.inFlight)} in flight`;
  return `${countsText(status, open)}, ${leftText(status, true)}`;
}

/** What stays on the screen of a point that has ended. */
export function pointEndedLine(status: LiveStatus): string {
  return countsText(status, '');
}

function countsText(status: LiveStatus, open: string): string {
  const { requests, live } = status;
  const some = (count: number, what: string): string =>
    count > 0 ? `, ${countFigure(count)} ${what}` : '';
  return (
    `${headText(status)}: ${countFigure(requests.ended)} done${open}` +
    `${some(requests.dropped, 'dropped')}${some(errorCount(live), 'failed')}, ` +
    attainmentText(status, true)
  );
}

function headText({ label, pointNumber, pointCount }: LiveStatus): string {
  const name = printable(label, 80);
  if (pointCount === 1) return name;
  return `${pointNumber}${pointCount === null ? '' : `/${pointCount}`} ${name}`;
}

function progressText(status: LiveStatus, width: number): string {
  const share = progressShare(status);
  const narrow = width < NARROW_WIDTH;
  const { elapsedNs, offeringNs } = status;
  const text = `${String(Math.floor(100 * share)).padStart(3)} %  ${clockText(Math.min(elapsedNs, offeringNs))} of ${clockText(offeringNs)}, ${leftText(status, narrow)}`;
  const room = Math.min(BAR_WIDTH_MOST, width - text.length - 1);
  return room < 6 ? text.trimStart() : `${bar(share, room)} ${text}`;
}

/** `[#####.....]`: plain characters, so that any terminal and any font shows it. */
function bar(share: number, width: number): string {
  const inner = width - 2;
  const full = Math.round(share * inner);
  return `[${'#'.repeat(full)}${'.'.repeat(inner - full)}]`;
}

/** How much of the point's offering is over: by time, or by requests where they run out first. */
function progressShare({ elapsedNs, offeringNs, requests, closedLoop }: LiveStatus): number {
  const started = requests.ended + requests.inFlight + requests.dropped;
  const byTime = offeringNs > 0 ? elapsedNs / offeringNs : 1;
  const byRequests = closedLoop && requests.scheduled > 0 ? started / requests.scheduled : 0;
  return Math.min(1, Math.max(0, byTime, byRequests));
}

function leftText(status: LiveStatus, narrow: boolean): string {
  const share = progressShare(status);
  const { elapsedNs, offeringNs, laterNs } = status;
  if (share >= 1 && laterNs === 0) return 'draining';
  const byTimeNs = Math.max(0, offeringNs - elapsedNs);
  const byPaceNs = share > 0 ? (elapsedNs * (1 - share)) / share : byTimeNs;
  const hereNs = Math.min(byTimeNs, byPaceNs);
  if (laterNs === null) return `${clockText(hereNs)} left here`;
  const allNs = hereNs + laterNs;
  return narrow || laterNs === 0
    ? `${clockText(allNs)} left`
    : `${clockText(hereNs)} left here, ${clockText(allNs)} in all`;
}

function requestsText({ requests, live }: LiveStatus, narrow: boolean): string {
  const errors = errorCount(live);
  const parts = [
    `${countFigure(requests.ended)} done`,
    `${countFigure(requests.inFlight)} in flight`,
    `${countFigure(requests.dropped)} dropped`,
    `${countFigure(errors)} failed`,
  ];
  const refused =
    live.outcomes.refused > 0 ? [`${countFigure(live.outcomes.refused)} refused`] : [];
  return narrow
    ? parts.join(' ').replaceAll(' in flight', ' open')
    : `requests    ${[...parts, ...refused].join(', ')}`;
}

/** Over the point so far; offered is over the offering alone. */
function ratesText({ requests, live, elapsedNs, offeringNs }: LiveStatus, narrow: boolean): string {
  const seconds = elapsedNs / NS_PER_SECOND;
  const offeringSeconds = Math.min(elapsedNs, offeringNs) / NS_PER_SECOND;
  const perSecond = (count: number, over: number): number | null =>
    over > 0 ? count / over : null;
  const offered = perSecond(
    requests.ended + requests.inFlight + requests.dropped - live.verdicts.excluded,
    offeringSeconds,
  );
  const completed = perSecond(live.outcomes.completed, seconds);
  const good = perSecond(live.verdicts.good, seconds);
  return narrow
    ? `${levelFigure(offered)} in ${levelFigure(completed)} out ${levelFigure(good)} good /s`
    : `rates       ${rateFigure(offered)} offered, ${rateFigure(completed)} completed, ${rateFigure(good)} good`;
}

function attainmentText({ live }: LiveStatus, narrow: boolean): string {
  const { share, interval, offered } = live.attainment;
  const { targetShare } = live;
  if (share === null) return narrow ? 'nothing judged yet' : 'attainment  nothing judged yet';
  const range =
    interval === null ? '' : ` (${shareRange(interval.low, interval.high).replaceAll(' %', '')})`;
  const target = targetShare === null ? '' : `, target ${shareFigure(targetShare)}`;
  return narrow
    ? `${shareFigure(share)}${range} good of ${countFigure(offered)}`
    : `attainment  ${shareFigure(share)}${range} of the ${countFigure(offered)} due first${target}`;
}

/** Painted only when the interval has made up its mind. */
function attainmentState({ live }: LiveStatus): 'good' | 'bad' | 'doubtful' | null {
  const { targetShare } = live;
  const { interval, share } = live.attainment;
  if (targetShare === null || share === null) return null;
  if (interval === null) return 'doubtful';
  if (interval.low >= targetShare) return 'good';
  return interval.high < targetShare ? 'bad' : 'doubtful';
}

function errorCount({ outcomes }: LivePoint): number {
  return outcomes.failed + outcomes.timedOut;
}

/** `0:07`, `12:30`, `1:02:30`: rounded up, so that nothing left reads as nothing. */
function clockText(ns: number): string {
  const seconds = Math.ceil(ns / NS_PER_SECOND - 1e-6);
  const two = (part: number): string => String(part).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

function fit(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
