import type { Clock } from '../base/index.ts';
import type { Engine, EngineRequest, RejectionReason, StepPlan } from '../engine/index.ts';

/** Why a replica does not serve a request. */
export type ReplicaRejection = RejectionReason | 'queueTimeout';

/** What a request hears about itself, in this order, each at the instant it happens. */
export interface ReplicaListener {
  /** The last word of a request that the engine would not take, or that waited too long in it. */
  rejected(reason: ReplicaRejection): void;
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
  readonly #queueTimeoutNs: number;
  readonly #listeners = new Map<string, ReplicaListener>();
  /** Since when requests wait for their first step, longest first. */
  readonly #waitingSinceNs = new Map<string, number>();
  /** Requests the engine has not been shown, in order of arrival. */
  #arrivals: EngineRequest[] = [];
  #isStepping = false;

  /** `queueTimeoutNs`: no request starts that has waited so long; `null` = for ever. */
  constructor(engine: Engine, clock: Clock, queueTimeoutNs: number | null) {
    this.#engine = engine;
    this.#clock = clock;
    this.#queueTimeoutNs = queueTimeoutNs ?? Number.POSITIVE_INFINITY;
  }

  /** Requests submitted and not ended yet. */
  get outstanding(): number {
    return this.#listeners.size;
  }

  submit(request: EngineRequest, listener: ReplicaListener): void {
    this.#arrivals.push(request);
    this.#listeners.set(request.id, listener);
    this.#waitingSinceNs.set(request.id, this.#clock.nowNs());
    if (!this.#isStepping) this.#beginNow();
  }

  /** Forgets a request; its listener hears nothing more. */
  cancel(id: string): void {
    this.#arrivals = this.#arrivals.filter((request) => request.id !== id);
    this.#take(id);
    this.#engine.cancel(id);
  }

  /** After everything else that happens at this instant. */
  #beginNow(): void {
    this.#isStepping = true;
    this.#clock.at(this.#clock.nowNs(), () => this.#begin());
  }

  #begin(): void {
    this.#turnAwayOverdue();
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
      if (entry !== 'new') continue;
      this.#waitingSinceNs.delete(id);
      this.#listeners.get(id)?.started(fromTokens);
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

  #turnAwayOverdue(): void {
    const overdueNs = this.#clock.nowNs() - this.#queueTimeoutNs;
    for (const [id, sinceNs] of this.#waitingSinceNs) {
      if (sinceNs > overdueNs) return;
      const listener = this.#listeners.get(id);
      this.cancel(id);
      listener?.rejected('queueTimeout');
    }
  }

  /** A listener that is to be told its last word. */
  #take(id: string): ReplicaListener | undefined {
    const listener = this.#listeners.get(id);
    this.#listeners.delete(id);
    this.#waitingSinceNs.delete(id);
    return listener;
  }
}
