import type { Clock } from '../base/index.ts';
import type { Engine, EngineRequest, RejectionReason, StepPlan } from '../engine/index.ts';

/** What a request hears about itself, in this order, each at the instant it happens. */
export interface ReplicaListener {
  /** The last word of a request that the engine would not take. */
  rejected(reason: RejectionReason): void;
  /** Its first step begins; `cachedTokens` of its prompt were found and need no computing. */
  started(cachedTokens: number): void;
  token(last: boolean): void;
}

/**
 * Lives an engine through on a clock that waits for it. A step takes in everything that arrived up
 * to the instant it begins, what the end of the step before set off included.
 */
export class SimulatedReplica {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #listeners = new Map<string, ReplicaListener>();
  /** Requests the engine has not been shown, in order of arrival. */
  #arrivals: EngineRequest[] = [];
  #isStepping = false;

  constructor(engine: Engine, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  /** Requests submitted and not ended yet. */
  get outstanding(): number {
    return this.#listeners.size;
  }

  submit(request: EngineRequest, listener: ReplicaListener): void {
    this.#arrivals.push(request);
    this.#listeners.set(request.id, listener);
    if (!this.#isStepping) this.#beginNow();
  }

  /** Forgets a request; its listener hears nothing more. */
  cancel(id: string): void {
    this.#arrivals = this.#arrivals.filter((request) => request.id !== id);
    this.#listeners.delete(id);
    this.#engine.cancel(id);
  }

  /** After everything else that happens at this instant. */
  #beginNow(): void {
    this.#isStepping = true;
    this.#clock.at(this.#clock.nowNs(), () => this.#begin());
  }

  #begin(): void {
    const arrivals = this.#arrivals;
    this.#arrivals = [];
    for (const request of arrivals) {
      const admission = this.#engine.admit(request);
      if (admission.kind === 'rejected') this.#take(request.id)?.rejected(admission.reason);
    }
    const plan = this.#engine.plan();
    if (plan === null) {
      this.#isStepping = false;
      return;
    }
    for (const { id, entry, fromTokens } of plan.prefills) {
      if (entry === 'new') this.#listeners.get(id)?.started(fromTokens);
    }
    const endNs = this.#clock.nowNs() + this.#engine.stepDurationNs(plan);
    this.#clock.at(endNs, () => this.#end(plan));
  }

  #end(plan: StepPlan): void {
    for (const { id, last } of this.#engine.commit(plan)) {
      const listener = last ? this.#take(id) : this.#listeners.get(id);
      listener?.token(last);
    }
    this.#beginNow();
  }

  /** A listener that is to be told its last word. */
  #take(id: string): ReplicaListener | undefined {
    const listener = this.#listeners.get(id);
    this.#listeners.delete(id);
    return listener;
  }
}
