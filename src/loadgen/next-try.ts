/** Whether a request is tried again, and after how long: the retry policy as arithmetic. */
import { assertNever, randomStream } from '../base/index.ts';
import type { FailureClass, SendResult } from '../record/index.ts';
import type { RetryCause, RetryPolicy } from '../workload/index.ts';

/** A try that ended. */
export interface EndedTry {
  /** Place of its request, for the jitter: the same run draws the same waits. */
  readonly pointIndex: number;
  readonly requestIndex: number;
  /** 1 for the first. */
  readonly attempt: number;
  readonly result: Pick<SendResult, 'end' | 'httpStatus'>;
}

/** The wait before the next try, in ns; `null` when there is none by this policy. */
export function waitBeforeNextTryNs(policy: RetryPolicy, ended: EndedTry): number | null {
  const { end } = ended.result;
  if (ended.attempt >= policy.attempts || !isTriedAgain(policy.on, ended.result)) return null;
  const backoffNs = backoffBeforeNs(policy, ended);
  const askedNs = end.kind === 'failed' ? (end.error?.retryAfterNs ?? 0) : 0;
  return policy.honoursRetryAfter ? Math.max(backoffNs, askedNs) : backoffNs;
}

/** Exponential, cut at the longest, less a random part: whole nanoseconds. */
function backoffBeforeNs({ backoff, seed }: RetryPolicy, ended: EndedTry): number {
  const { baseNs, factor, maxNs, jitterShare } = backoff;
  const fullNs = Math.min(maxNs, baseNs * factor ** (ended.attempt - 1));
  if (jitterShare === 0) return Math.round(fullNs);
  const { pointIndex, requestIndex, attempt } = ended;
  const random = randomStream(seed, `retry/${pointIndex}/${requestIndex}/${attempt}`);
  return Math.round(fullNs * (1 - jitterShare * random()));
}

function isTriedAgain(on: readonly RetryCause[], { end, httpStatus }: EndedTry['result']): boolean {
  switch (end.kind) {
    case 'completed':
    case 'cancelled':
      return false;
    case 'timedOut':
      return on.includes('timeout');
    case 'failed': {
      const status = end.error?.httpStatus ?? httpStatus;
      if (status === null) {
        return on.includes(NEVER_ANSWERED.has(end.failure) ? 'connect' : 'answer');
      }
      if (status < 400) return end.failure !== 'redirect' && on.includes('answer');
      const hundred = status >= 500 ? '5xx' : '4xx';
      return on.includes(status) || on.includes(hundred);
    }
    default:
      return assertNever(end);
  }
}

/** Failures before any response. */
const NEVER_ANSWERED: ReadonlySet<FailureClass> = new Set<FailureClass>([
  'dns',
  'connect',
  'connectTimeout',
  'tls',
  'socket',
]);
