import { assert } from '../base/index.ts';
import type { MetricFamily, MetricLabels, MetricSample } from './metric-family.ts';

/** A histogram read back from a scrape. `null` = the text does not say, never 0. */
export interface HistogramReading {
  readonly labels: MetricLabels;
  /** Ascending upper edges with the number of observations at or below each. */
  readonly buckets: readonly { readonly upperEdge: number; readonly cumulativeCount: number }[];
  readonly sum: number | null;
  readonly count: number | null;
}

/** Counts observations per bucket, as a server does. Edges are inclusive; above all is `+Inf`. */
export class Histogram {
  readonly #upperEdges: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** `upperEdges` ascending and finite. */
  constructor(upperEdges: readonly number[]) {
    for (const [at, edge] of upperEdges.entries()) {
      const below = upperEdges[at - 1] ?? Number.NEGATIVE_INFINITY;
      assert(Number.isFinite(edge) && edge > below, `bucket edge ${edge} does not ascend`);
    }
    this.#upperEdges = upperEdges;
    this.#counts = Array.from({ length: upperEdges.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.#upperEdges.length && value > (this.#upperEdges[bucket] as number)) {
      bucket += 1;
    }
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
  }

  /** The lines of a scrape: cumulative buckets, `+Inf` last, then sum and count. */
  samples(name: string, labels: MetricLabels): MetricSample[] {
    const sample = (suffix: string, value: number, le?: string): MetricSample => ({
      name: `${name}${suffix}`,
      labels: le === undefined ? labels : { ...labels, le },
      value,
      timestampMs: null,
    });
    let count = 0;
    const buckets = this.#counts.map((inBucket, at) => {
      count += inBucket;
      const edge = this.#upperEdges[at];
      return sample('_bucket', count, edge === undefined ? '+Inf' : edgeText(edge));
    });
    return [...buckets, sample('_sum', this.#sum), sample('_count', count)];
  }
}

/** Every labelled histogram of a family, in order of appearance, whatever the order of its lines. */
export function readHistograms(family: MetricFamily): readonly HistogramReading[] {
  const parts = new Map<string, { labels: MetricLabels; samples: MetricSample[] }>();
  for (const sample of family.samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const part = parts.get(key) ?? { labels, samples: [] };
    part.samples.push(sample);
    parts.set(key, part);
  }
  return [...parts.values()].map(({ labels, samples }) => ({
    labels,
    buckets: samples
      .filter((sample) => sample.name === `${family.name}_bucket`)
      .map(({ labels: { le = '' }, value }) => ({
        upperEdge: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
        cumulativeCount: value,
      }))
      .toSorted((a, b) => (a.upperEdge < b.upperEdge ? -1 : 1)),
    sum: samples.find((sample) => sample.name === `${family.name}_sum`)?.value ?? null,
    count: samples.find((sample) => sample.name === `${family.name}_count`)?.value ?? null,
  }));
}

/** Edges are written as servers in Python do (`1.0`), so that equal edges have equal labels. */
function edgeText(edge: number): string {
  return Number.isInteger(edge) ? edge.toFixed(1) : String(edge);
}
