import { randomStream } from '../base/index.ts';
import { overQuota, OVERLOADED, type ApiError } from './api-error.ts';

/**
 * What can go wrong with an answer:
 *
 * - `splitReads`: every write arrives in two reads, cut anywhere;
 * - `bunching`: a proxy gathers eight writes before it lets any through;
 * - `stall`: after two events nothing comes for two seconds, then everything;
 * - `gzip`: the body is compressed although nobody asked for it;
 * - `reset`: the connection is reset after two events;
 * - `missingTerminator`: the last output, the finish reason and the end mark never come, and the
 *   body ends as if it were complete;
 * - `errorEvent`: after two events of a 200 an error is streamed, and nothing more;
 * - `hang`: there is no answer at all;
 * - `quota429`, `bare429`: refused with and without word of a limit;
 * - `bare503`, `retry503`: overloaded, without and with word of when to come back.
 */
export const FAULT_KINDS = [
  'splitReads',
  'bunching',
  'stall',
  'gzip',
  'reset',
  'missingTerminator',
  'errorEvent',
  'hang',
  'quota429',
  'bare429',
  'bare503',
  'retry503',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault and the share of requests that meet it, in [0, 1]. Shares of one server add up to ≤ 1. */
export interface FaultShare {
  readonly kind: FaultKind;
  readonly share: number;
}

/**
 * The fault that a request meets, null for none. A pure function of the server's seed and the
 * request's number among those that were understood.
 */
export function drawFault(
  faults: readonly FaultShare[],
  seed: number,
  requestNumber: number,
): FaultKind | null {
  if (faults.length === 0) return null;
  let left = randomStream(seed, `fault/${requestNumber}`)();
  for (const { kind, share } of faults) {
    if (left < share) return kind;
    left -= share;
  }
  return null;
}

/** The refusal that a fault is, null when it is something else. */
export function refusalOf(kind: FaultKind | null): ApiError | null {
  switch (kind) {
    case 'quota429':
      return overQuota('an injected limit', 1);
    case 'bare429':
      return { ...OVERLOADED, status: 429, type: 'too_many_requests' };
    case 'bare503':
      return OVERLOADED;
    case 'retry503':
      return { ...OVERLOADED, headers: { 'retry-after': '1' } };
    default:
      return null;
  }
}
