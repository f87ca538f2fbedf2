import { assert, type Clock } from '../base/index.ts';
import {
  type Engine,
  type EngineRequest,
  type EngineState,
  type RejectionReason,
  repeatedLoad,
  type StepPlan,
  type TokenEvent,
} from '../engine/index.ts';
import type { StepBoundaries } from './step-boundaries.ts';
import type { StepsListener } from './step-timeline.ts';

/** Why a replica does not serve a request. */
export type ReplicaRejection = RejectionReason | 'queueTimeout';

/**
 * - `naive`: one step after another.
 * - `skip`: steps that only repeat the one before are done together. The same instants to the bit.
 */
export type StepMethod = 'naive' | 'skip';

/** What a request hears about itself, in this order. */
export interface ReplicaListener {
  /** The last word of a request that the engine would not take, or that waited too long in it. */
  rejected(reason: ReplicaRejection): void;
  /** Its first step begins; `cachedTokens` of its prompt were found and need no computing. */
  started(cachedTokens: number): void;
  /**
   * One token at each of `atNs`, ascending; with `last`, the last of them ends the answer. Told then,
   * or later where nobody could have asked in between; the last one never late.
   */
  tokens(atNs: readonly number[], last: boolean): void;
}

export interface ReplicaParts {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly boundaries: StepBoundaries;
  /** Its own among those that share `boundaries`. */
  readonly rank: number;
  readonly method: StepMethod;
  /** No request starts that has waited so long; `null` = for ever. */
  readonly queueTimeoutNs: number | null;
  /** A request has its place and blocks and may receive what another engine computed for it. */
  readonly onPlaced: (id: string) => void;
  /** Nothing is outstanding any more. */
  readonly onEmpty: () => void;
  /** Hears of every step, at the latest when it could have changed; `null` = nobody asks. */
  readonly onSteps: StepsListener | null;
}

/** Steps that repeat one another: the first one's plan, and when each of them ends. */
interface StepRun {
  readonly plan: StepPlan;
  readonly startNs: number;
  /** As each of them begins; `null` where nobody asks. */
  readonly state: EngineState | null;
  readonly endsNs: readonly number[];
}

/**
 * Steps planned ahead: few after an arrival cut a run, for the next one may too, and twice as many
 * after each run that came to its end.
 */
const LEAST_AHEAD = 8;
const MOST_AHEAD = 128;

/**
 * Lives an engine through on a clock that waits for it. A step takes in everything that arrived up
 * to the instant it begins, what the end of the step before set off included.
 */
export class SimulatedReplica {
  readonly #parts: ReplicaParts;
  readonly #queueTimeoutNs: number;
  readonly #listeners = new Map<string, ReplicaListener>();
  /** Since when requests wait for their first step, longest first. */
  readonly #waitingSinceNs = new Map<string, number>();
  /** Requests the engine has not been shown, in order of arrival. */
  #arrivals: EngineRequest[] = [];
  /** The steps under way. */
  #run: StepRun | null = null;
  #ahead = LEAST_AHEAD;
  #isBeginning = false;

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
    this.#queueTimeoutNs = parts.queueTimeoutNs ?? Number.POSITIVE_INFINITY;
  }

  /** Requests submitted and not ended yet. */
  get outstanding(): number {
    return this.#listeners.size;
  }

  /** Requests that wait for a place in the batch. */
  get waiting(): number {
    return this.#arrivals.length + this.#parts.engine.state().waiting;
  }

  submit(request: EngineRequest, listener: ReplicaListener): void {
    this.#cut();
    this.#arrivals.push(request);
    this.#listeners.set(request.id, listener);
    this.#waitingSinceNs.set(request.id, this.#parts.clock.nowNs());
    this.#wake();
  }

  /** Forgets a request and what is kept of it; its listener hears nothing more. */
  cancel(id: string): void {
    this.#cut();
    this.#arrivals = this.#arrivals.filter((request) => request.id !== id);
    this.#parts.engine.cancel(id);
    this.#take(id);
    this.#wake();
  }

  /** What another engine computed for a placed request has come. */
  received(id: string): void {
    this.#cut();
    this.#parts.engine.received(id);
    this.#wake();
  }

  #wake(): void {
    if (this.#run === null && !this.#isBeginning) this.#beginNow();
  }

  /** After everything else that happens at this instant, ends of others' steps included. */
  #beginNow(): void {
    const { clock } = this.#parts;
    this.#isBeginning = true;
    const nowNs = clock.nowNs();
    clock.at(nowNs, () => clock.at(nowNs, () => this.#begin()));
  }

  #begin(): void {
    const { engine } = this.#parts;
    this.#isBeginning = false;
    this.#turnAwayOverdue();
    const arrivals = this.#arrivals;
    this.#arrivals = [];
    for (const request of arrivals) {
      const admission = engine.admit(request);
      if (admission.kind === 'rejected') this.#take(request.id)?.rejected(admission.reason);
    }
    const plan = engine.plan();
    for (const id of engine.takeReceivers()) {
      this.#waitingSinceNs.delete(id);
      this.#parts.onPlaced(id);
    }
    if (plan === null) return;
    for (const { id, entry, fromTokens } of plan.prefills) {
      if (entry !== 'new') continue;
      this.#waitingSinceNs.delete(id);
      this.#listeners.get(id)?.started(fromTokens);
    }
    this.#runFor({
      plan,
      startNs: this.#parts.clock.nowNs(),
      state: this.#state(),
      endsNs: this.#endsNs(plan),
    });
  }

  #runFor(run: StepRun): void {
    const { boundaries, rank } = this.#parts;
    this.#run = run;
    boundaries.set(rank, run.endsNs.at(-1) as number, () => this.#end(run));
  }

  /** When the step ends, and those that repeat it as far as is looked ahead. */
  #endsNs(plan: StepPlan): number[] {
    const { engine, method, clock } = this.#parts;
    const steps = method === 'naive' ? 1 : Math.min(engine.repeats(plan), this.#ahead);
    const [oldestNs = Number.POSITIVE_INFINITY] = this.#waitingSinceNs.values();
    const endsNs: number[] = [];
    let endNs = clock.nowNs();
    // Whoever waits too long is turned away at the first boundary after that.
    while (
      endsNs.length < steps &&
      (endsNs.length === 0 || endNs < oldestNs + this.#queueTimeoutNs)
    ) {
      const load = repeatedLoad(plan.load, endsNs.length);
      endNs += engine.stepDurationNs({ load });
      endsNs.push(endNs);
    }
    return endsNs;
  }

  #end(run: StepRun): void {
    const { plan, endsNs } = run;
    this.#run = null;
    if (endsNs.length === this.#ahead) this.#ahead = Math.min(2 * this.#ahead, MOST_AHEAD);
    this.#tellSteps(run, endsNs.length);
    this.#tell(this.#parts.engine.commitRepeats(plan, endsNs.length), endsNs);
    this.#beginNow();
  }

  /** Leaves of a run only the step under way: what comes from outside changes the next one. */
  #cut(): void {
    const run = this.#run;
    if (run === null || run.endsNs.length === 1) return;
    this.#ahead = LEAST_AHEAD;
    const { engine, clock } = this.#parts;
    const nowNs = clock.nowNs();
    // A step that ends just now is still under way.
    const underWay = run.endsNs.findIndex((endNs) => endNs >= nowNs);
    const endNs = run.endsNs[underWay];
    assert(endNs !== undefined, 'a run is over and has not ended');
    let { plan, startNs } = run;
    if (underWay > 0) {
      this.#tellSteps(run, underWay);
      this.#tell(engine.commitRepeats(plan, underWay), run.endsNs.slice(0, underWay));
      const repeated = engine.plan();
      assert(repeated !== null, 'steps that repeat go on');
      plan = repeated;
      startNs = run.endsNs[underWay - 1] as number;
    }
    this.#runFor({ ...run, plan, startNs, endsNs: [endNs] });
  }

  #state(): EngineState | null {
    return this.#parts.onSteps === null ? null : this.#parts.engine.state();
  }

  /** Tells of the first `steps` of a run. */
  #tellSteps({ plan, startNs, state, endsNs }: StepRun, steps: number): void {
    if (state === null) return;
    const { prefillTokens, decodeSequences } = plan.load;
    const { running, waiting, usedBlocks } = state;
    this.#parts.onSteps?.({
      startNs,
      durationNs: (endsNs[steps - 1] as number) - startNs,
      stepCount: steps,
      prefillTokens,
      decodeCount: decodeSequences,
      runningCount: running,
      waitingCount: waiting,
      usedBlockCount: usedBlocks,
    });
  }

  /** Tells the tokens of steps that ended at `endsNs`: `events` are those of the last one. */
  #tell(events: readonly TokenEvent[], endsNs: readonly number[]): void {
    for (const { id, last } of events) {
      const listener = last ? this.#take(id) : this.#listeners.get(id);
      listener?.tokens(endsNs, last);
    }
  }

  #turnAwayOverdue(): void {
    const overdueNs = this.#parts.clock.nowNs() - this.#queueTimeoutNs;
    for (const [id, sinceNs] of this.#waitingSinceNs) {
      if (sinceNs > overdueNs) return;
      this.#arrivals = this.#arrivals.filter((request) => request.id !== id);
      this.#parts.engine.cancel(id);
      this.#take(id)?.rejected('queueTimeout');
    }
  }

  /** A listener that is to be told its last word. */
  #take(id: string): ReplicaListener | undefined {
    const listener = this.#listeners.get(id);
    this.#waitingSinceNs.delete(id);
    if (this.#listeners.delete(id) && this.#listeners.size === 0) this.#parts.onEmpty();
    return listener;
  }
}
