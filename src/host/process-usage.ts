/** What this process has spent so far. */
import { performance } from 'node:perf_hooks';
import { NS_PER_MS, NS_PER_US } from '../base/index.ts';

export interface ProcessUsage {
  /** Processor time of all its threads, user and system, since the process began. */
  readonly cpuNs: number;
  /** Time its event loop was busy, and time it waited for something to do. */
  readonly loopActiveNs: number;
  readonly loopIdleNs: number;
}

export function processUsage(): ProcessUsage {
  const { user, system } = process.cpuUsage();
  const { active, idle } = performance.eventLoopUtilization();
  return {
    cpuNs: (user + system) * NS_PER_US,
    loopActiveNs: active * NS_PER_MS,
    loopIdleNs: idle * NS_PER_MS,
  };
}

/** Share of the time between two readings in which the loop was busy; 0 of no time. */
export function loopShareBetween(from: ProcessUsage, to: ProcessUsage): number {
  const activeNs = to.loopActiveNs - from.loopActiveNs;
  const wholeNs = activeNs + to.loopIdleNs - from.loopIdleNs;
  return wholeNs <= 0 ? 0 : Math.min(1, activeNs / wholeNs);
}
