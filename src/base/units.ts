/**
 * Conversions between the units used inside (integer nanoseconds, shares) and the units people
 * write and read. Nothing outside this file multiplies by a power of ten to change a unit.
 */

export const NS_PER_US = 1_000;
export const NS_PER_MS = 1_000_000;
export const NS_PER_SECOND = 1_000_000_000;

/** Seconds → whole nanoseconds. Exact to the nanosecond up to 104 days, the range of a run. */
export function nsFromSeconds(seconds: number): number {
  return Math.round(seconds * NS_PER_SECOND);
}

/** Milliseconds → whole nanoseconds. */
export function nsFromMs(ms: number): number {
  return Math.round(ms * NS_PER_MS);
}

export function secondsFromNs(ns: number): number {
  return ns / NS_PER_SECOND;
}

export function msFromNs(ns: number): number {
  return ns / NS_PER_MS;
}

const DURATION_UNITS_NS: Readonly<Record<string, number>> = {
  ns: 1,
  us: NS_PER_US,
  µs: NS_PER_US,
  ms: NS_PER_MS,
  s: NS_PER_SECOND,
  m: 60 * NS_PER_SECOND,
  min: 60 * NS_PER_SECOND,
  h: 3_600 * NS_PER_SECOND,
  d: 86_400 * NS_PER_SECOND,
};

const DURATION_PART = /(\d+(?:\.\d+)?|\.\d+)(ns|us|µs|ms|s|min|m|h|d)/y;

/**
 * Reads a duration with its unit: `500ms`, `30s`, `1.5m`, `1h30m`.
 *
 * Units: returns whole nanoseconds ≥ 0.
 * Undefined: `null` when the text is not a duration. A bare number is refused, because a reader
 * cannot know whether `30` means seconds or milliseconds.
 */
export function parseDurationNs(text: string): number | null {
  const source = text.trim();
  if (source === '') return null;
  let totalNs = 0;
  DURATION_PART.lastIndex = 0;
  while (DURATION_PART.lastIndex < source.length) {
    const part = DURATION_PART.exec(source);
    if (part === null) return null;
    totalNs += Number(part[1]) * (DURATION_UNITS_NS[part[2] as string] as number);
  }
  const rounded = Math.round(totalNs);
  return Number.isSafeInteger(rounded) ? rounded : null;
}

/** Writes nanoseconds as the shortest duration that {@link parseDurationNs} reads back exactly. */
export function durationText(ns: number): string {
  if (ns === 0) return '0s';
  if (ns % NS_PER_SECOND !== 0) {
    const ms = ns / NS_PER_MS;
    // Long durations do not fit into a double as parts of a millisecond.
    if (ns >= NS_PER_MS && Math.round(ms * NS_PER_MS) === ns) return `${ms}ms`;
    return ns % NS_PER_US === 0 ? `${ns / NS_PER_US}us` : `${ns}ns`;
  }
  const seconds = ns / NS_PER_SECOND;
  if (seconds % 86_400 === 0) return `${seconds / 86_400}d`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600}h`;
  if (seconds % 60 === 0 && seconds >= 120) return `${seconds / 60}m`;
  return `${seconds}s`;
}

/**
 * Reads a share: `95%` or `0.95`.
 *
 * Units and range: a share in [0, 1]. `null` when the text is neither, or is out of range: `95`
 * without a percent sign is refused rather than guessed.
 */
export function parseShare(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?|\.\d+)\s*(%?)$/.exec(text.trim());
  if (match === null) return null;
  // Moving the decimal point in the text keeps 99.9% at 0.999; dividing by 100 would not.
  const share = Number(match[2] === '%' ? `${match[1]}e-2` : match[1]);
  return share <= 1 ? share : null;
}

/**
 * Reads a token count: `1024`, `1k` (= 1,000), `16k`, `1.5k`, `2m`. Decimal, because a bucket
 * edge of "4k" is read as 4,000 prompt tokens. `null` when it is not a whole count.
 */
export function parseTokenCount(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)(k|m)?$/i.exec(text.trim());
  if (match === null) return null;
  const suffix = match[2]?.toLowerCase();
  const count = Number(match[1]) * (suffix === 'k' ? 1_000 : suffix === 'm' ? 1_000_000 : 1);
  return Number.isSafeInteger(count) ? count : null;
}

/** 16000 → `16k`, 1024 → `1024`: the inverse of {@link parseTokenCount}. */
export function tokenCountText(tokens: number): string {
  return tokens >= 1_000 && tokens % 1_000 === 0 ? `${tokens / 1_000}k` : String(tokens);
}
