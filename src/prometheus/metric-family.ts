/**
 * Metrics as the Prometheus text format 0.0.4 carries them. Times are in seconds there, the base
 * unit of that ecosystem; nowhere else in this package.
 */

export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary' | 'untyped';

export type MetricLabels = Readonly<Record<string, string>>;

/** One line of a scrape. */
export interface MetricSample {
  /** Full name, `_bucket`, `_sum` or `_count` included. */
  readonly name: string;
  readonly labels: MetricLabels;
  /** May be NaN or infinite. */
  readonly value: number;
  /** Wall-clock milliseconds the server put beside the value; `null` when it put none. */
  readonly timestampMs: number | null;
}

/** All samples that share one base name. */
export interface MetricFamily {
  readonly name: string;
  readonly type: MetricType;
  /** `null` when the text has no HELP line. */
  readonly help: string | null;
  readonly samples: readonly MetricSample[];
}

/** A family with one unlabelled kind of number: counters and gauges. */
export function numberFamily(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  values: readonly { readonly labels: MetricLabels; readonly value: number }[],
): MetricFamily {
  const samples = values.map(({ labels, value }) => ({ name, labels, value, timestampMs: null }));
  return { name, type, help, samples };
}
