/** Numbers rounded for reading. The one way in which reports, reasons and findings write them. */
import { NS_PER_MS, NS_PER_SECOND, NS_PER_US } from './units.ts';

/** Nanoseconds as `611 ms`, `1.23 s`, `45.0 µs`; not to be read back, as `durationText` is. */
export function roundedDuration(ns: number): string {
  const size = Math.abs(ns);
  if (ns === 0) return '0 ms';
  // Compared as rounded, so that 999.9 ms is 1.00 s and never 1000 ms.
  if (size < 999.5) return `${threeDigits(ns)} ns`;
  if (size < 999.5 * NS_PER_US) return `${threeDigits(ns / NS_PER_US)} µs`;
  if (size < 999.5 * NS_PER_MS) return `${threeDigits(ns / NS_PER_MS)} ms`;
  return `${threeDigits(ns / NS_PER_SECOND)} s`;
}

/** Three significant digits without an exponent: `4.00`, `0.0123`, `1,950`. */
export function threeDigits(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 999.5) return groupedCount(Math.round(value));
  const decimals = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(size))));
  const text = value.toFixed(decimals);
  // 9.996 rounds up into a digit more: 10.00 has one too many.
  return decimals > 0 && Math.abs(Number(text)) >= 10 ** (3 - decimals)
    ? value.toFixed(decimals - 1)
    : text;
}

/** Thousands told apart: `1,950`. Of a whole number. */
export function groupedCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
