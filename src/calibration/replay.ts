/** A measured run again, on the simulated server: the same arrivals and lengths. */
import { assert } from '../base/index.ts';
import {
  type CostModel,
  createEngine,
  EMPTY_HULL,
  type EngineLimits,
  type KvMemoryOptions,
  type LoadHull,
  widenHull,
} from '../engine/index.ts';
import { serveInLockstep } from '../simulator/index.ts';
import type { ObservedRequest, ObservedRun } from './observed-run.ts';

/** How the server was set up. */
export interface ServerSetup {
  readonly limits: EngineLimits;
  /** `null` = memory never ran short. */
  readonly memory: KvMemoryOptions | null;
  /** Whether the server plans a step while the one before it runs (vLLM: asynchronous scheduling). */
  readonly plansAhead: boolean;
  /** Engines that share the requests, and step together because they share experts. ≥ 1. */
  readonly engines: number;
}

export interface Replay {
  /** One per request of the run, in its order. */
  readonly requests: readonly ObservedRequest[];
  /** The largest load of any step. */
  readonly hull: LoadHull;
}

/** Serves the run's arrivals with `costModel`. */
export function replayRun(run: ObservedRun, setup: ServerSetup, costModel: CostModel): Replay {
  const { limits, memory, plansAhead, engines: count } = setup;
  const engines = Array.from({ length: count }, () =>
    createEngine({ limits, policy: 'fcfs', memory, plansAhead, costModel, speedScale: 1 }),
  );
  let hull = EMPTY_HULL;
  const served = serveInLockstep(engines, run.requests, ({ load }) => {
    hull = widenHull(hull, load);
  });
  const requests = served.map((result, index) => {
    assert(result.kind === 'served', 'the server served this request, so its limits allow it');
    const { atNs, promptTokens, outputTokens } = run.requests[index] as ObservedRequest;
    return { atNs, promptTokens, outputTokens, firstNs: result.firstNs, lastNs: result.doneNs };
  });
  return { requests, hull };
}
