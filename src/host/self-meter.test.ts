import { expect, it } from 'vitest';
import { startSelfMeter } from './self-meter.ts';

/** Keeps this thread busy, as a long callback would. */
function blockLoop(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

it('sees a planted pause of the loop', async () => {
  const meter = startSelfMeter();
  blockLoop(80);
  const evidence = await meter.stop();
  // On a machine that stalls by itself the pause may be the machine's in part.
  expect(evidence.loopStallMaxNs + evidence.hostStallMaxNs).toBeGreaterThan(0);
  expect(evidence.loopUtilisationShare).toBeGreaterThan(0);
  expect(evidence.loopUtilisationShare).toBeLessThanOrEqual(1);
});
