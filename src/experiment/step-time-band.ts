/** How far a simulated capacity moves when its steps are a little slower or faster than assumed. */
import { NS_PER_SECOND } from '../base/index.ts';
import type { RunSpec } from '../config/index.ts';
import {
  type CapacityReport,
  estimateCapacity,
  nextStep,
  type SearchPlan,
  type SearchWindow,
} from '../planner/index.ts';
import type { Objective } from '../slo/index.ts';
import type { RunPlan } from './plan-run.ts';
import { type CapacitySearch, windowSpec } from './search-capacity.ts';
import type { SimulatedTarget } from './simulate-run.ts';
import { planWindow, simulatedDriver } from './window-driver.ts';
import { judgedPart, WindowWatch } from './window-watch.ts';

/** A step-cost model good to 5 % is a good one; near the knee that moves attainment by tens of points. */
export const BAND_SHARE = 0.05;
/** Of the search's budget, for each of the two: the local windows that matter. */
const BUDGET_PART = 0.5;

export interface BandOptions {
  readonly spec: RunSpec;
  readonly objective: Objective;
  readonly search: CapacitySearch;
  readonly plan: RunPlan;
  readonly target: SimulatedTarget;
  readonly ports: Parameters<typeof simulatedDriver>[2]['ports'];
}

/**
 * Undefined: `null` when no capacity was found to move, and when it has no interval: searches too
 * short to tell a capacity would show chance, not what the step times do to it.
 */
export async function stepTimeBand(
  report: CapacityReport,
  options: BandOptions,
): Promise<CapacityReport['stepTimeBand']> {
  const { search } = options;
  const rps = report.capacity?.rps ?? null;
  const hasInterval = report.capacity !== null && report.capacity.lowRps !== null;
  if (search.plan.kind !== 'open' || rps === null || !hasInterval) return null;
  const at = async (scale: number): Promise<number | null> => {
    const plan: SearchPlan = {
      ...(search.plan as SearchPlan),
      startRps: rps / scale / 1.1,
      budgetSeconds: search.plan.budgetSeconds * BUDGET_PART,
      wantedHalfWidthShare: null,
    };
    return searchInMemory(plan, scale, options);
  };
  return {
    slowerRps: await at(1 + BAND_SHARE),
    fasterRps: await at(1 - BAND_SHARE),
    share: BAND_SHARE,
  };
}

/** The same search on steps `scale` times as long; nothing is stored. */
async function searchInMemory(
  plan: SearchPlan,
  scale: number,
  { spec, objective, search, plan: run, target, ports }: BandOptions,
): Promise<number | null> {
  const { engine } = target.service;
  const scaled = { ...engine, speedScale: engine.speedScale * scale };
  const driver = simulatedDriver(spec, run, {
    target: { ...target, service: { ...target.service, engine: scaled } },
    ports: { ...ports, notify: () => {} },
  });
  const windows: SearchWindow[] = [];
  for (;;) {
    const step = nextStep(plan, windows);
    if (step.kind === 'done' || ports.stopStarts.aborted) break;
    const own = windowSpec(spec, search, step);
    const point = planWindow(own, run, windows.length);
    const part = judgedPart({ warmupSeconds: search.warmupSeconds, seconds: step.seconds });
    const watch = new WindowWatch({
      objective,
      targetShare: plan.targetShare,
      schedule: point.schedule,
      ...part,
      stopsEarly: step.stopsEarly,
      breakers: search.breakers,
    });
    const { manifest } = driver;
    const { stopNs } = await driver.run({ spec: own, point, watch, manifest, folder: null });
    windows.push({
      phase: step.phase,
      level: step.level,
      ...watch.counts,
      answerSeconds: null,
      measuredSeconds: Math.max(0, Math.min(stopNs, part.toNs) - part.fromNs) / NS_PER_SECOND,
      ending: watch.stopped?.ending ?? 'full',
    });
  }
  return ports.stopStarts.aborted ? null : estimateCapacity(plan, windows).rps;
}
