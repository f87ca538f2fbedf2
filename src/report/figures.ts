/**
 * Numbers as people read them: three significant digits, a unit on each, `–` where nothing was
 * observed. Rounding happens here and nowhere before.
 */
import { groupedCount, percentText, roundedDuration, threeDigits } from '../base/index.ts';
import { shareText } from '../slo/index.ts';

/** What stands for a value that was not observed. */
export const NOT_OBSERVED = '–';

/** `611 ms`, `1.23 s`, `45.0 µs`; see `roundedDuration`. */
export function durationFigure(ns: number | null): string {
  return ns === null ? NOT_OBSERVED : roundedDuration(ns);
}

/** `4.00/s`, `1,950/s`. */
export function rateFigure(perSecond: number | null): string {
  return perSecond === null ? NOT_OBSERVED : `${threeDigits(perSecond)}/s`;
}

/** `975 tok/s`. */
export function tokenRateFigure(tokensPerSecond: number | null): string {
  return tokensPerSecond === null ? NOT_OBSERVED : `${threeDigits(tokensPerSecond)} tok/s`;
}

/** `12.3`: a number of things that need not be whole. */
export function levelFigure(level: number | null): string {
  return level === null ? NOT_OBSERVED : threeDigits(level);
}

/** `1,950`. */
export function countFigure(count: number): string {
  return groupedCount(count);
}

/** `95.6 %`; see `percentText`. */
export function shareFigure(share: number | null): string {
  return share === null ? NOT_OBSERVED : percentText(share);
}

/** A share that was set, as it was set and not rounded: `97 %`, `99.95 %`. */
export function targetFigure(share: number): string {
  return shareText(share).replace('%', ' %');
}

/** `53.7–66.0 %`. */
export function shareRange(low: number, high: number): string {
  return `${shareFigure(low).replace(' %', '')}–${shareFigure(high)}`;
}

/** `+3.1`, `−0.42`, `0.00`: a change, with one decimal from 1 on and two below. */
export function signedFigure(value: number): string {
  const text = Math.abs(value).toFixed(Math.abs(value) >= 0.995 ? 1 : 2);
  if (Number(text) === 0) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}
