/** The targets over all requests of a log: met, missed, or not to be told from it. */
import { quantileName, shareText, type Objective } from '../slo/index.ts';
import { rowQuantiles, type LimitCounts, type SliceCounts } from './slice-counts.ts';
import { LEAST_COUNT, type LogTable } from './window-table.ts';

export interface TargetResult {
  /** As the objective says it: `attainment>=97%`. */
  readonly target: string;
  readonly state: 'met' | 'missed' | 'unknown';
  /** The share that was reached, unknown counted as bad; `null` when there is none. */
  readonly share: number | null;
  /** Why it cannot be told; `null` when it can. */
  readonly reason: string | null;
}

/** Every target of the objective. `unknown` where unjudged requests or low counts could decide. */
export function judgeTargets(
  slices: readonly SliceCounts[],
  table: LogTable,
  objective: Objective,
): TargetResult[] {
  const { attainmentShare, successShare, quantiles, worst } = objective.population;
  const { attainment } = table.total;
  const results: TargetResult[] = [];
  if (attainmentShare !== null) {
    const target = `attainment>=${shareText(attainmentShare)}`;
    const bounds = attainment.unknownBounds ?? { low: 0, high: 1 };
    results.push(shareTarget(target, attainmentShare, bounds, attainment.offered));
  }
  if (successShare !== null) {
    const target = `success>=${shareText(successShare)}`;
    const { offered } = attainment;
    const low = sum(slices, (slice) => slice.succeeded) / Math.max(1, offered);
    // Whatever is unjudged may be an answer whose end the log does not tell.
    const high = Math.min(1, low + attainment.unjudged / Math.max(1, offered));
    results.push(shareTarget(target, successShare, { low, high }, offered));
  }
  const answered = rowQuantiles(objective);
  for (const quantile of quantiles) {
    const target = `${quantileName(quantile.q)}(${quantile.measure})`;
    const at = answered.indexOf(quantile);
    const counts: LimitCounts = {
      observed: sum(slices, (slice) => slice.quantiles[at]?.observed ?? 0),
      within: sum(slices, (slice) => slice.quantiles[at]?.within ?? 0),
    };
    results.push(
      at < 0 ? untold(target, 'gaps are not in a row') : quantileTarget(target, quantile.q, counts),
    );
  }
  if (worst !== null) {
    const target = `worst(${worst.by})>=${shareText(worst.attainmentShare)}`;
    const groups = table.strata.filter((one) => !one.lowTraffic && worst.by in one.stratum);
    const shares = groups.map((one) => one.attainment.share ?? 1);
    results.push(
      shares.length === 0
        ? untold(target, `add ${worst.by} to --by`)
        : shareTarget(target, worst.attainmentShare, lowest(shares), attainment.offered),
    );
  }
  return results;
}

function shareTarget(
  target: string,
  wanted: number,
  { low, high }: { readonly low: number; readonly high: number },
  count: number,
): TargetResult {
  if (count < LEAST_COUNT) return untold(target, `only ${count} requests`);
  if (low >= wanted) return { target, state: 'met', share: low, reason: null };
  if (high < wanted) return { target, state: 'missed', share: low, reason: null };
  return { target, state: 'unknown', share: low, reason: 'unjudged requests decide' };
}

/** The quantile is within the limit exactly when ⌈q·n⌉ requests are. */
function quantileTarget(
  target: string,
  q: number,
  { observed, within }: LimitCounts,
): TargetResult {
  if (observed < LEAST_COUNT) return untold(target, `only ${observed} observed`);
  const state = within >= Math.ceil(q * observed) ? 'met' : 'missed';
  return { target, state, share: within / observed, reason: null };
}

function untold(target: string, reason: string): TargetResult {
  return { target, state: 'unknown', share: null, reason };
}

function lowest(shares: readonly number[]): { low: number; high: number } {
  const low = shares.reduce((a, b) => Math.min(a, b));
  return { low, high: low };
}

function sum(slices: readonly SliceCounts[], of: (slice: SliceCounts) => number): number {
  return slices.reduce((total, slice) => total + of(slice), 0);
}
