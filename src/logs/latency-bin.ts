/** Bins of latencies on a logarithmic scale: quantiles within 1 % from counts that add up. */

/** Bins to a factor of e: neighbours differ by 2 %, so a bin's middle is within 1 % of all in it. */
const BINS_PER_E = 50;

/** The bin of a latency of 1 ns or more; 0 and less share the lowest. */
export function latencyBin(ns: number): number {
  return Math.round(Math.log(Math.max(ns, 1)) * BINS_PER_E);
}

/** {@link latencyBin} in SQL; NULL of NULL. A cast to an integer rounds. */
export function latencyBinSql(ns: string): string {
  return `CASE WHEN ${ns} > 1 THEN CAST(ln(${ns}) * ${BINS_PER_E} AS SMALLINT) WHEN ${ns} <= 1 THEN 0 END`;
}

/** The latency that stands for a bin, within 1 % of any in it. */
export function latencyOfBin(bin: number): number {
  return Math.round(Math.exp(bin / BINS_PER_E));
}

/**
 * The nearest-rank quantile of binned latencies, within 1 %. `null` when there are none.
 * `bins`: count by bin.
 */
export function binnedQuantile(bins: ReadonlyMap<number, number>, q: number): number | null {
  let n = 0;
  for (const count of bins.values()) n += count;
  const rank = Math.max(1, Math.ceil(q * n));
  let below = 0;
  for (const [bin, count] of [...bins].toSorted(([a], [b]) => a - b)) {
    below += count;
    if (below >= rank) return latencyOfBin(bin);
  }
  return null;
}
