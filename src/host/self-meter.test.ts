import { expect, it } from 'vitest';
import { createRealClock, NS_PER_MS } from '../base/index.ts';
import { startSelfMeter } from './self-meter.ts';

/** Keeps this thread busy, as a long callback would. */
function blockLoop(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

it('sees a planted pause of the loop', async () => {
  const clock = createRealClock();
  const meter = startSelfMeter(clock);
  const fromNs = clock.nowNs();
  blockLoop(80);
  const toNs = clock.nowNs();
  const evidence = await meter.stop();
  // On a machine that stalls by itself the pause may be the machine's in part.
  expect(evidence.loopStallMaxNs + evidence.hostStallMaxNs).toBeGreaterThan(0);
  const planted = evidence.stalls.find((stall) => stall.toNs >= toNs);
  expect(planted?.fromNs).toBeLessThan(fromNs + 6 * NS_PER_MS);
  expect(evidence.unlistedStallMaxNs).toBe(0);
  expect(evidence.loopUtilisationShare).toBeGreaterThan(0);
  expect(evidence.loopUtilisationShare).toBeLessThanOrEqual(1);
});
