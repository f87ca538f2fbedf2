import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NS_PER_MS, NS_PER_SECOND, nsFromSeconds } from '../base/index.ts';
import type { RequestEnd } from '../record/index.ts';
import type { RetryCause, RetryPolicy } from '../workload/index.ts';
import { failedEnd } from '../../test/support/record-builder.ts';
import { waitBeforeNextTryNs } from './next-try.ts';

const POLICY: RetryPolicy = {
  attempts: 4,
  on: [429, '5xx', 'connect'],
  backoff: { baseNs: 500 * NS_PER_MS, factor: 2, maxNs: 8 * NS_PER_SECOND, jitterShare: 0 },
  honoursRetryAfter: true,
  deadlineNs: null,
  seed: 1,
};

function waitAfter(
  end: RequestEnd,
  httpStatus: number | null,
  { attempt = 1, policy = {} }: { attempt?: number; policy?: Partial<RetryPolicy> } = {},
): number | null {
  const place = { pointIndex: 0, requestIndex: 3, attempt };
  return waitBeforeNextTryNs({ ...POLICY, ...policy }, { ...place, result: { end, httpStatus } });
}

const refused = (httpStatus: number, retryAfterNs: number | null = null): RequestEnd =>
  failedEnd('httpStatus', { httpStatus, retryAfterNs });

describe('what is tried again', () => {
  const cases: readonly (readonly [RetryCause, RequestEnd, number | null])[] = [
    [429, refused(429), 429],
    ['4xx', refused(404), 404],
    ['5xx', refused(503), 503],
    ['connect', failedEnd('connectTimeout'), null],
    ['connect', failedEnd('socket'), null],
    ['timeout', { kind: 'timedOut', deadlineNs: 5 }, null],
    ['answer', failedEnd('truncated'), 200],
    ['answer', failedEnd('serverError', { httpStatus: null }), 200],
    ['answer', failedEnd('socket'), 200],
  ];

  it.each(cases)('%s names one end and no other', (cause, end, httpStatus) => {
    expect(waitAfter(end, httpStatus, { policy: { on: [cause] } })).toBe(500 * NS_PER_MS);
    const others = cases.map(([other]) => other).filter((other) => other !== cause);
    const on = others.filter((other) => other !== '4xx' || cause !== 429);
    expect(waitAfter(end, httpStatus, { policy: { on } })).toBeNull();
  });

  it('is nothing that was answered, or that the run cut off', () => {
    const all: readonly RetryCause[] = ['4xx', '5xx', 'connect', 'timeout', 'answer'];
    expect(waitAfter({ kind: 'completed' }, 200, { policy: { on: all } })).toBeNull();
    expect(waitAfter({ kind: 'cancelled', atNs: 1 }, null, { policy: { on: all } })).toBeNull();
  });

  it('is no redirect: it would be one again', () => {
    const on: readonly RetryCause[] = ['4xx', '5xx', 'answer', 'connect'];
    expect(waitAfter(failedEnd('redirect'), 302, { policy: { on } })).toBeNull();
  });

  it('ends with the last attempt', () => {
    expect(waitAfter(refused(429), 429, { attempt: 3 })).not.toBeNull();
    expect(waitAfter(refused(429), 429, { attempt: 4 })).toBeNull();
  });
});

describe('the wait', () => {
  it('doubles up to the longest', () => {
    const policy = { attempts: 10 };
    const waits = [1, 2, 3, 4, 5, 6].map((attempt) =>
      waitAfter(refused(503), 503, { attempt, policy }),
    );
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 8].map(nsFromSeconds));
  });

  it('is at least what the server asks for, if that is honoured', () => {
    const asked = refused(429, nsFromSeconds(20));
    expect(waitAfter(asked, 429)).toBe(nsFromSeconds(20));
    expect(waitAfter(refused(429, nsFromSeconds(0.1)), 429)).toBe(nsFromSeconds(0.5));
    expect(waitAfter(asked, 429, { policy: { honoursRetryAfter: false } })).toBe(
      nsFromSeconds(0.5),
    );
  });

  it('law: jitter takes at most its share, and the same of the same try', () => {
    const policies = fc.record({
      jitterShare: fc.double({ min: 0, max: 1, noNaN: true }),
      baseNs: fc.integer({ min: 1, max: 10 * NS_PER_SECOND }),
      factor: fc.double({ min: 1, max: 10, noNaN: true }),
      maxNs: fc.integer({ min: 1, max: 60 * NS_PER_SECOND }),
    });
    fc.assert(
      fc.property(policies, fc.nat(), fc.integer({ min: 1, max: 9 }), (backoff, seed, attempt) => {
        const policy = { attempts: 10, backoff, seed };
        const waitNs = waitAfter(refused(503), 503, { attempt, policy }) as number;
        const fullNs = Math.min(backoff.maxNs, backoff.baseNs * backoff.factor ** (attempt - 1));
        expect(Number.isSafeInteger(waitNs)).toBe(true);
        expect(waitNs).toBeLessThanOrEqual(Math.round(fullNs));
        expect(waitNs).toBeGreaterThanOrEqual(Math.floor(fullNs * (1 - backoff.jitterShare)));
        expect(waitAfter(refused(503), 503, { attempt, policy })).toBe(waitNs);
      }),
    );
  });
});
