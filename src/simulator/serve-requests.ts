/** Drives engines, of any scheduler and step cost, through a list of arrivals. */
import { assert } from '../base/index.ts';
import type { Engine, RejectionReason, StepPlan } from '../engine/index.ts';

export interface Arrival {
  readonly atNs: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
}

/** What became of one arrival. Instants on the clock of the arrivals. */
export type Served =
  | {
      readonly kind: 'served';
      /** From the arrival to the start of the first step that computes for it. */
      readonly queuedNs: number;
      readonly firstNs: number;
      readonly doneNs: number;
    }
  | { readonly kind: 'rejected'; readonly reason: RejectionReason };

/** Sees every step before it is done. */
export type StepListener = (plan: StepPlan, startNs: number) => void;

interface Progress {
  startedNs: number | null;
  firstNs: number | null;
}

/**
 * Serves `arrivals` (ascending in time) to the end; the result has one entry per arrival, in their
 * order. Tokens appear at the end of a step; who arrives during a step takes part in the next one.
 */
export function serveRequests(
  engine: Engine,
  arrivals: readonly Arrival[],
  onStep: StepListener = () => {},
): Served[] {
  return serveInLockstep([engine], arrivals, onStep);
}

/**
 * The same with engines that step together, as those that share experts must: a step lasts as long
 * as the longest of theirs, and all their tokens come to the experts. An arrival goes to the engine with the least load: the requests it
 * holds, those that wait counted four times (vLLM's balancer between data-parallel engines).
 */
export function serveInLockstep(
  engines: readonly Engine[],
  arrivals: readonly Arrival[],
  onStep: StepListener = () => {},
): Served[] {
  const served: (Served | null)[] = arrivals.map(() => null);
  const progress: Progress[] = arrivals.map(() => ({ startedNs: null, firstNs: null }));
  let nowNs = 0;
  let due = 0;
  for (;;) {
    for (; due < arrivals.length && (arrivals[due] as Arrival).atNs <= nowNs; due += 1) {
      const { promptTokens, outputTokens } = arrivals[due] as Arrival;
      const engine = leastLoaded(engines);
      const admission = engine.admit({ id: String(due), promptTokens, outputTokens });
      if (admission.kind === 'rejected') served[due] = admission;
    }
    const plans = engines.map((engine) => engine.plan());
    const startNs = nowNs;
    let durationNs = 0;
    for (const [index, plan] of withExpertTokens(plans).entries()) {
      if (plan === null) continue;
      onStep(plan, startNs);
      for (const { id } of plan.prefills) (progress[Number(id)] as Progress).startedNs ??= startNs;
      durationNs = Math.max(durationNs, (engines[index] as Engine).stepDurationNs(plan));
    }
    if (durationNs === 0) {
      const next = arrivals[due];
      if (next === undefined) break;
      nowNs = next.atNs;
      continue;
    }
    nowNs += durationNs;
    for (const [rank, plan] of plans.entries()) {
      if (plan === null) continue;
      for (const { id, last } of (engines[rank] as Engine).commit(plan)) {
        const index = Number(id);
        const request = progress[index] as Progress;
        request.firstNs ??= nowNs;
        if (!last) continue;
        const queuedNs = (request.startedNs as number) - (arrivals[index] as Arrival).atNs;
        served[index] = { kind: 'served', queuedNs, firstNs: request.firstNs, doneNs: nowNs };
      }
    }
  }
  return served.map((result, index) => {
    assert(result !== null, `arrival ${index} was never answered`);
    return result;
  });
}

/**
 * Tells every engine of several how many tokens come to the experts. One with nothing to do takes a
 * token of no one's through the step.
 */
function withExpertTokens(plans: readonly (StepPlan | null)[]): readonly (StepPlan | null)[] {
  if (plans.length === 1) return plans;
  const expertTokens = plans.reduce((sum, plan) => sum + (plan?.load.computedTokens ?? 1), 0);
  return plans.map((plan) => plan && { ...plan, load: { ...plan.load, expertTokens } });
}

function leastLoaded(engines: readonly Engine[]): Engine {
  let best = engines[0] as Engine;
  if (engines.length === 1) return best;
  let bestLoad = Infinity;
  for (const engine of engines) {
    const { waiting, running } = engine.state();
    const load = 4 * waiting + running;
    if (load < bestLoad) [best, bestLoad] = [engine, load];
  }
  return best;
}
