/**
 * The counts of one stretch of time: what a judge leaves of its requests, and all that a budget
 * needs. Counts of windows add up; shares of windows do not.
 */

/** As `goodput judge` writes them and `goodput budget` reads them, one a window. */
export interface WindowCounts {
  /** ISO 8601 with a zone; the window holds its start and not its end. */
  readonly windowStart: string;
  readonly windowEnd: string;
  /** scheduled − excluded = good + bad + unjudged. */
  readonly offered: number;
  readonly good: number;
  /** Known to have missed; unjudged requests are not among them, though a budget counts them. */
  readonly bad: number;
  /** Refused by a published limit: outside `offered`. */
  readonly excluded: number;
  readonly unjudged: number;
  /**
   * Of the bad: without a complete answer (failed, timed out, dropped, refused where that is a miss,
   * cancelled after a limit had passed); `null` = not known.
   */
  readonly failed: number | null;
  /** Of the bad: completed with a wrong answer, whatever its latency; `null` = not known. */
  readonly incorrect: number | null;
}

/** What keeps the numbers from being counts of one window, in words; `null` when nothing does. */
export function windowCountsFault(counts: WindowCounts): string | null {
  const { offered, good, bad, excluded, unjudged, failed, incorrect } = counts;
  const numbers = { offered, good, bad, excluded, unjudged, failed, incorrect };
  for (const [name, value] of Object.entries(numbers)) {
    if (value === null) continue;
    if (!Number.isSafeInteger(value) || value < 0) return `${name} ${value} is not a count`;
  }
  if (good + bad + unjudged !== offered) {
    return `good ${good} + bad ${bad} + unjudged ${unjudged} is not offered ${offered}`;
  }
  const told = (failed ?? 0) + (incorrect ?? 0);
  return told > bad ? `failed and incorrect are ${told}, more than the ${bad} bad` : null;
}
