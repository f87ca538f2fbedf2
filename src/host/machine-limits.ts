/** What this machine sets bounds to, as far as it tells: ports, timers, clocks, and how busy it is. */
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { type Clock, NS_PER_MS } from '../base/index.ts';
import type { MachineFacts } from '../doctor/index.ts';
import { descriptorLimit } from './host-facts.ts';
import { loadLimits } from './load-limits.ts';

const TIMER_TRIALS = 40;

/** Looks at this machine; takes about 100 ms. */
export async function machineLimits(clock: Clock): Promise<MachineFacts> {
  return {
    cores: availableParallelism(),
    loadAverage: loadavg()[0] ?? 0,
    descriptorLimit: descriptorLimit(),
    portCount: loadLimits().ports,
    timerSlackNs: wholeOf(textOf('/proc/self/timerslack_ns')),
    clockStepNs: clockStepNs(clock),
    timerLateNs: await timerLateNs(clock),
  };
}

function wholeOf(text: string | null): number | null {
  return text !== null && /^\d+\s*$/.test(text) ? Number(text) : null;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function clockStepNs(clock: Pick<Clock, 'nowNs'>): number {
  let smallestNs = Number.POSITIVE_INFINITY;
  let beforeNs = clock.nowNs();
  for (let reading = 0; reading < 20_000; reading += 1) {
    const nowNs = clock.nowNs();
    if (nowNs > beforeNs) smallestNs = Math.min(smallestNs, nowNs - beforeNs);
    beforeNs = nowNs;
  }
  return smallestNs;
}

async function timerLateNs(clock: Clock): Promise<number> {
  const lateNs: number[] = [];
  for (let trial = 0; trial < TIMER_TRIALS; trial += 1) {
    const dueNs = clock.nowNs() + NS_PER_MS;
    await new Promise<void>((resolve) => {
      clock.at(dueNs, () => {
        lateNs.push(clock.nowNs() - dueNs);
        resolve();
      });
    });
  }
  return lateNs.sort((a, b) => a - b)[TIMER_TRIALS >> 1] as number;
}
