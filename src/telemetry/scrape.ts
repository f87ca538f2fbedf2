/** One look at one endpoint: a line of `metrics.ndjson`. Instants are of the run's clock. */
export interface Scrape {
  readonly pointIndex: number;
  /** Without credentials. */
  readonly url: string;
  /** The endpoints asked at the same time share it; counted from 0 at each load point. */
  readonly beat: number;
  /** `before` ended before the first request, `after` began after the last answer. */
  readonly phase: 'before' | 'during' | 'after';
  readonly sentNs: number;
  readonly receivedNs: number;
  /** Lines of known families in the Prometheus text format; `null` when there was no answer. */
  readonly text: string | null;
  /** Why there is no text: `timeout`, `http 404`, …; `null` when there is. */
  readonly failure: string | null;
}
