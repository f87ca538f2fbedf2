/**
 * What the generator can tell about its own trustworthiness: how busy its event loop was, how
 * long it stood still, and whether the machine stood still with it.
 */
import { performance } from 'node:perf_hooks';
import { type Clock, NS_PER_MS, NS_PER_US } from '../base/index.ts';
import type { ClientStall, GeneratorEvidence } from '../record/index.ts';
import { startStallMeter } from './stall-meter.ts';
import { type LoopStall, StallSorter } from './stall-sorter.ts';

export type SelfEvidence = Omit<GeneratorEvidence, 'connectionCount' | 'connectionsInLoad'>;

export interface SelfMeter {
  /** Ends the measurement. */
  stop(): Promise<SelfEvidence>;
}

const TICK_MS = 5;

/**
 * Starts measuring this process. A thread that only sleeps shows when the machine gave it no time
 * (it takes about one hundredth of a core); the event loop's own ticks show when the loop stood
 * still. Both late together, or a loop that got no processor, is the machine's doing; a busy loop
 * is ours. Pauses are dated on `clock`, the one that stamps the records.
 */
export function startSelfMeter(clock: Pick<Clock, 'nowNs'>): SelfMeter {
  const utilisationAtStart = performance.eventLoopUtilization();
  const meter = startStallMeter();
  const sorter = new StallSorter();
  const originNs = clock.nowNs() - meter.nowMs() * NS_PER_MS;
  let lastMs = meter.nowMs();
  let lastCpu = process.cpuUsage();
  const tick = (): void => {
    const nowMs = meter.nowMs();
    const cpu = process.cpuUsage(lastCpu);
    sorter.addHostPauses(meter.takePauses());
    sorter.loopTick(lastMs + TICK_MS, nowMs, ((cpu.user + cpu.system) * NS_PER_US) / NS_PER_MS);
    lastMs = nowMs;
    lastCpu = process.cpuUsage();
  };
  const timer = setInterval(tick, TICK_MS);
  // Measuring must never be what keeps the process alive.
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      tick();
      await meter.stop();
      sorter.addHostPauses(meter.takePauses());
      const stalls = sorter.finish();
      return {
        loopUtilisationShare: performance.eventLoopUtilization(utilisationAtStart).utilization,
        loopStallMaxNs: Math.round(stalls.loopMaxMs * NS_PER_MS),
        hostStallCount: stalls.hostCount,
        hostStallMaxNs: Math.round(stalls.hostMaxMs * NS_PER_MS),
        stalls: stalls.listed.map((stall) => datedOn(originNs, stall)),
        // What is not listed may have begun a tick earlier, too.
        unlistedStallMaxNs:
          stalls.unlistedMaxMs === 0 ? 0 : Math.round((stalls.unlistedMaxMs + TICK_MS) * NS_PER_MS),
      };
    },
  };
}

/** A late tick tells the end of a pause, and that it began after the tick before. */
function datedOn(originNs: number, { fromMs, toMs, cause }: LoopStall): ClientStall {
  return {
    fromNs: Math.round(originNs + (fromMs - TICK_MS) * NS_PER_MS),
    toNs: Math.round(originNs + toMs * NS_PER_MS),
    cause,
  };
}
