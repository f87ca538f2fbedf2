/** Later tries in virtual time: when the run is stopped while it drains. */
import { describe, expect, it } from 'vitest';
import { NS_PER_SECOND } from '../base/index.ts';
import type { RetryPolicy } from '../workload/index.ts';
import { atSeconds, scheduleOf, startPoint } from '../../test/support/point-run.ts';

/** Each try fails after a second and is followed by another ten seconds later. */
const RETRY: RetryPolicy = {
  attempts: 4,
  on: ['connect'],
  backoff: { baseNs: 10 * NS_PER_SECOND, factor: 1, maxNs: 10 * NS_PER_SECOND, jitterShare: 0 },
  honoursRetryAfter: false,
  deadlineNs: null,
  seed: 1,
};

/** One request, due at once, of a load that ends after a second. */
async function stoppedAt(seconds: number | null) {
  const schedule = scheduleOf(atSeconds(0), { stopNs: NS_PER_SECOND });
  const answer = () => ({ latencyNs: NS_PER_SECOND, failed: true });
  const run = startPoint(schedule, answer, { retry: RETRY });
  if (seconds !== null) run.clock.at(seconds * NS_PER_SECOND, () => run.stopStarts.abort());
  await run.clock.runAll();
  const { stopReason, partial, counts } = await run.outcome;
  const endSeconds = (await run.outcome).endNs / NS_PER_SECOND;
  return { stopReason, partial, tries: counts.tries, ended: counts.ended, endSeconds };
}

describe('a load that drains', () => {
  it('tries again until its drain is over', async () => {
    // Due at 0, 11 and 22 s; the one at 33 s lies beyond the 30 s.
    expect(await stoppedAt(null)).toMatchObject({ stopReason: 'duration', tries: 3, ended: 1 });
  });

  it('tries no more once it is told to stop between two tries, and ends there', async () => {
    expect(await stoppedAt(5)).toEqual({
      stopReason: 'interrupted',
      partial: true,
      tries: 1,
      ended: 1,
      endSeconds: 5,
    });
  });

  it('lets the try in flight end when told to stop, and makes no other', async () => {
    expect(await stoppedAt(11.5)).toEqual({
      stopReason: 'interrupted',
      partial: true,
      tries: 2,
      ended: 1,
      endSeconds: 12,
    });
  });
});
