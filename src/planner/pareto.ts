/** Which operating points no other beats: more for the service at no more latency for its users. */

/** What one way of running a service gives, and what its users wait for it. */
export interface OperatingPoint {
  /** Higher is better, e.g. output tokens/s. */
  readonly gain: number;
  /** Lower is better, in ns. */
  readonly latencyNs: number;
}

/** Whether `a` is at least as good in both and better in one. Equal points do not beat each other. */
export function dominates(a: OperatingPoint, b: OperatingPoint): boolean {
  return (
    a.gain >= b.gain && a.latencyNs <= b.latencyNs && (a.gain > b.gain || a.latencyNs < b.latencyNs)
  );
}

/**
 * The points that none dominates, by rising latency: the most gain to be had at each latency. Of
 * equal points the first of `points` stands for all; else their order does not matter.
 */
export function paretoFrontier<T extends OperatingPoint>(points: readonly T[]): T[] {
  const inOrder = points.toSorted((a, b) => a.latencyNs - b.latencyNs || b.gain - a.gain);
  const frontier: T[] = [];
  for (const point of inOrder) {
    const last = frontier.at(-1);
    if (last === undefined || point.gain > last.gain) frontier.push(point);
  }
  return frontier;
}

/** An operating point drawn more than once, each draw with seeds of its own. */
export interface DrawnPoint {
  readonly draws: readonly OperatingPoint[];
}

/**
 * What stands for all draws of a point, at least one: the middle one of each figure, and of an even
 * number the worse of the two in the middle. Never a mean: latencies here are quantiles.
 */
export function middleDraw({ draws }: DrawnPoint): OperatingPoint {
  const gains = draws.map((draw) => draw.gain).toSorted((a, b) => b - a);
  const latencies = draws.map((draw) => draw.latencyNs).toSorted((a, b) => a - b);
  const middle = draws.length >> 1;
  return { gain: gains[middle] as number, latencyNs: latencies[middle] as number };
}

/**
 * The points to draw again: those on the frontier that were drawn fewer than `draws`
 * times. Asked after every repetition until none is left: who falls back uncovers others that must
 * prove themselves too, so that no place on the frontier rests on one lucky draw.
 */
export function toRepeat<T extends DrawnPoint>(points: readonly T[], draws: number): T[] {
  return paretoFrontier(points.map((point) => ({ point, ...middleDraw(point) })))
    .map(({ point }) => point)
    .filter((point) => point.draws.length < draws);
}
