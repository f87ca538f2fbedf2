/** One load point as the numbers by which it is compared. */
import { quantileOf, type PointSummary, type QuantileSummary } from '../summary/index.ts';

/** The figures of one side of one pair: a window of load, a slice of a run, or a whole run. */
export interface WindowFigures {
  /** Why it may not be compared, one sentence; `null` when it may. */
  readonly unusable: string | null;
  /** By metric name; `null` = not observed. */
  readonly values: Readonly<Record<string, number | null>>;
  /** Requests behind each share. */
  readonly requests: Readonly<Record<string, number>>;
}

/** Ends of requests that are no answers; all other faults of correctness are of answers. */
const NO_ANSWER: ReadonlySet<string> = new Set([
  'dropped',
  'refused',
  'failed',
  'cancelled',
  'timedOut',
]);

/** The figures of the point's judged window; TTFT counts from planned, as objectives do. */
export function windowFigures(point: PointSummary): WindowFigures {
  const { attainment, ledger, completionNs } = point;
  const buckets = point.promptBuckets.map(
    (bucket) => [`attainment[${bucket.name}]`, bucket.attainment] as const,
  );
  const finishes = Object.entries(point.finishReasons).map(
    ([reason, count]) => [`finish[${reason}]`, shareOf(count, completionNs.n)] as const,
  );
  return {
    unusable: unusableReason(point),
    values: {
      goodput: point.goodputRps,
      attainment: attainment.share,
      ...Object.fromEntries(buckets.map(([name, bucket]) => [name, bucket.share])),
      failures: shareOf(ledger.failed + ledger.timedOut + ledger.dropped, ledger.scheduled),
      'p50(ttft)': valueOf(point.ttftFromPlannedNs, 0.5),
      'p95(ttft)': valueOf(point.ttftFromPlannedNs, 0.95),
      'p50(tpot)': valueOf(point.tpotNs, 0.5),
      'p95(tpot)': valueOf(point.tpotNs, 0.95),
      incorrect: shareOf(incorrectAnswers(point), completionNs.n),
      outputTokens: point.outputTokens.mean,
      ...Object.fromEntries(finishes),
    },
    requests: {
      attainment: attainment.offered,
      ...Object.fromEntries(buckets.map(([name, bucket]) => [name, bucket.offered])),
      failures: ledger.scheduled,
      incorrect: completionNs.n,
      ...Object.fromEntries(finishes.map(([name]) => [name, completionNs.n])),
    },
  };
}

/** Why a point's figures may not be compared, one sentence; `null` when they may. */
export function unusableReason(point: PointSummary): string | null {
  if (point.partial) return `it ended early (${point.stopReason})`;
  const fault = point.validity.reasons.find(({ severity }) => severity === 'invalid');
  if (!point.validity.valid) return fault?.message ?? 'its measurement cannot be trusted';
  return point.attainment.offered === 0 ? 'nothing was offered in it' : null;
}

function incorrectAnswers({ misses }: PointSummary): number {
  const faults = misses.find(({ objective }) => objective === 'correctness')?.reasons ?? {};
  return Object.entries(faults).reduce(
    (sum, [reason, count]) => (NO_ANSWER.has(reason) ? sum : sum + count),
    0,
  );
}

function valueOf(summary: QuantileSummary, q: number): number | null {
  return quantileOf(summary, q)?.value ?? null;
}

function shareOf(count: number, of: number): number | null {
  return of === 0 ? null : count / of;
}
