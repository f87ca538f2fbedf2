/**
 * Numbers as people read them: three significant digits, a unit on each, `–` where nothing was
 * observed. Rounding happens here and nowhere before.
 */
import { NS_PER_MS, NS_PER_SECOND, NS_PER_US, percentText } from '../base/index.ts';
import { shareText } from '../slo/index.ts';

/** What stands for a value that was not observed. */
export const NOT_OBSERVED = '–';

/** `611 ms`, `1.23 s`, `45.0 µs`. */
export function durationFigure(ns: number | null): string {
  if (ns === null) return NOT_OBSERVED;
  const size = Math.abs(ns);
  if (ns === 0) return '0 ms';
  // Compared as rounded, so that 999.9 ms is 1.00 s and never 1000 ms.
  if (size < 999.5) return `${digits(ns)} ns`;
  if (size < 999.5 * NS_PER_US) return `${digits(ns / NS_PER_US)} µs`;
  if (size < 999.5 * NS_PER_MS) return `${digits(ns / NS_PER_MS)} ms`;
  return `${digits(ns / NS_PER_SECOND)} s`;
}

/** `4.00/s`, `1,950/s`. */
export function rateFigure(perSecond: number | null): string {
  return perSecond === null ? NOT_OBSERVED : `${digits(perSecond)}/s`;
}

/** `975 tok/s`. */
export function tokenRateFigure(tokensPerSecond: number | null): string {
  return tokensPerSecond === null ? NOT_OBSERVED : `${digits(tokensPerSecond)} tok/s`;
}

/** `12.3`: a number of things that need not be whole. */
export function levelFigure(level: number | null): string {
  return level === null ? NOT_OBSERVED : digits(level);
}

/** `1,950`. */
export function countFigure(count: number): string {
  return grouped(String(count));
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

/** Three significant digits without an exponent: `4.00`, `0.0123`, `1,950`. */
function digits(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 999.5) return grouped(String(Math.round(value)));
  const decimals = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(size))));
  const text = value.toFixed(decimals);
  // 9.996 rounds up into a digit more: 10.00 has one too many.
  return decimals > 0 && Math.abs(Number(text)) >= 10 ** (3 - decimals)
    ? value.toFixed(decimals - 1)
    : text;
}

function grouped(digitsText: string): string {
  return digitsText.replace(/\B(?=(\d{3})+$)/g, ',');
}
