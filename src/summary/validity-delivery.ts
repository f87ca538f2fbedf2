/** Whether something on the way held events back and let several through at once. */
import type { RequestRow } from './request-row.ts';
import type { ValidityReason } from './summary.ts';

/** Half the answers with this share of their gaps at zero: bunched, not just unlucky. */
const BUNCHED_SHARE = 0.3;
/** Answers with fewer gaps show no pattern. */
const GAPS_MIN = 4;
const ANSWERS_MIN = 5;

/**
 * Events of different instants that arrive in one read have gaps of zero, then one of several steps.
 * Reads that the client itself was late for are left out: those bunch events on any path.
 */
export function bunchingReason(rows: readonly RequestRow[]): ValidityReason | null {
  const answers = rows
    .filter(({ outcome, doubt }) => outcome === 'completed' && doubt.calmGapCount >= GAPS_MIN)
    .map(({ doubt }) => ({
      share: doubt.calmZeroGapCount / doubt.calmGapCount,
      eventsPerRead: (doubt.calmGapCount + 1) / (doubt.calmGapCount + 1 - doubt.calmZeroGapCount),
    }))
    .toSorted((a, b) => a.share - b.share);
  const median = answers[Math.floor(answers.length / 2)];
  if (median === undefined || answers.length < ANSWERS_MIN || median.share < BUNCHED_SHARE) {
    return null;
  }
  return {
    check: 'bunching',
    severity: 'warning',
    message: `events arrive in bunches, ${median.eventsPerRead.toFixed(1)} in one read, and nothing in between: a proxy gathers them, or the server sends several at once`,
    advice:
      'turn response buffering off (nginx: proxy_buffering off); do not read gaps as token times',
  };
}
