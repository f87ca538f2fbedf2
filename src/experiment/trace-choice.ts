/** Which requests carry a W3C trace context, and of which trace. */
import { createHash } from 'node:crypto';
import { randomStream } from '../base/index.ts';
import type { RunSpec } from '../config/index.ts';
import type { ScheduledRequest } from '../workload/index.ts';

/** The share of requests that are traced, and the seeds that say which. */
export type TraceChoice = Pick<RunSpec, 'traceShare' | 'seeds'>;

/**
 * The trace of a try, as 32 hex digits; `null` when its request is not traced. Which requests are: by
 * seed and place alone, so that every process chooses the same, and not the first or every hundredth.
 * The trace is of the try's own id: tries of one request, and runs of one seed, share none.
 */
export function traceIdOf(
  { index }: Pick<ScheduledRequest, 'index'>,
  requestId: string,
  { traceShare, seeds }: TraceChoice,
): string | null {
  if (traceShare === 0) return null;
  if (randomStream(seeds.arrivals, `traced/${index}`)() >= traceShare) return null;
  return createHash('sha256').update(`trace/${requestId}`).digest('hex').slice(0, 32);
}
