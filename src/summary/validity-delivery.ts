/** Whether something on the way held events back and let several through at once. */
import type { ManifestPoint } from '../record/index.ts';
import type { RequestRow } from './request-row.ts';
import type { ValidityReason } from './summary.ts';

/** Half the answers with this share of their gaps at zero: bunched, not just unlucky. */
const BUNCHED_SHARE = 0.3;
/** On a machine that stood still for more of the time, a server beside the client did as well. */
const STALLED_SHARE = 0.1;
/** Answers with fewer gaps show no pattern. */
const GAPS_MIN = 4;
const ANSWERS_MIN = 5;

/**
 * Events of different instants that arrive in one read have gaps of zero, then one of several steps.
 * Reads that the client itself was late for are left out: those bunch events on any path. `null`, too,
 * where the machine was taken away so often that nobody's timing can be told from its.
 */
export function bunchingReason(
  rows: readonly RequestRow[],
  point: Pick<ManifestPoint, 'generator' | 'stopNs'>,
): ValidityReason | null {
  if (stalledShare(rows, point) > STALLED_SHARE) return null;
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

/** The share of the point's time that its listed stalls take up. */
function stalledShare(
  rows: readonly RequestRow[],
  { generator, stopNs }: Pick<ManifestPoint, 'generator' | 'stopNs'>,
): number {
  const fromNs = rows.reduce((first, row) => Math.min(first, row.plannedNs), stopNs);
  const stalledNs = (generator?.stalls ?? []).reduce(
    (sum, stall) => sum + (stall.toNs - stall.fromNs),
    0,
  );
  return stalledNs === 0 ? 0 : stalledNs / Math.max(1, stopNs - fromNs);
}
