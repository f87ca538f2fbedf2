import type { Clock } from '../base/index.ts';
import type {
  Engine,
  EngineRequest,
  RejectionReason,
  StepPlan,
  TokenEvent,
} from '../engine/index.ts';
import type { LatenessMeter } from './lateness-meter.ts';
import { TokenSpread } from './token-spread.ts';

/** Why a request was not served: the engine would not take it, or it waited too long. */
export type TurnedAway = RejectionReason | 'queueTimeout';

/** What a request hears about itself, in this order. Instants are the driver's clock's. */
export interface TokenSink {
  /** The last word of a request that is not served. */
  rejected(reason: TurnedAway): void;
  admitted(): void;
  /** The request left the queue: its first step began at `atNs`, with what was cached of it. */
  started(atNs: number, cachedTokens: number): void;
  /** One token; `dueNs` is the end of the step that made it, at or before now. */
  token(dueNs: number, last: boolean): void;
}

interface Arrival {
  readonly atNs: number;
  readonly request: EngineRequest;
  readonly sink: TokenSink;
}

export interface StepDriverOptions {
  /** No request starts that has waited so long; null = for ever. */
  readonly queueTimeoutNs: number | null;
  /** How many times as long as usual a step takes that begins then. > 0. */
  readonly stepFactorAt: (atNs: number) => number;
  /** Is told of every step that ended, and how many tokens it computed. */
  readonly onStep: (computedTokens: number) => void;
  /** Is told how late steps were noticed to have ended. */
  readonly lateness: LatenessMeter;
  /**
   * Where set, the tokens of a step do not leave at its end, all at once, but over the time of the
   * next, by the alarms of this clock, which must tell the same time.
   */
  readonly spreadClock: Clock | null;
}

/**
 * Lives an engine through on a clock. While there is work, a step begins exactly where the one
 * before it was due to end, however late this process noticed: lateness shows up in the moment of
 * emission and never adds up in the plan. A step takes in only what arrived before it began, so
 * the planned instants are those a simulation of the same arrivals gives.
 */
export class StepDriver {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #sinks = new Map<string, TokenSink>();
  readonly #queueTimeoutNs: number;
  readonly #stepFactorAt: (atNs: number) => number;
  readonly #onStep: (computedTokens: number) => void;
  readonly #lateness: LatenessMeter;
  readonly #spread: TokenSpread<TokenEvent> | null;
  /** Since when admitted requests wait for their first step, longest first. */
  readonly #waitingSinceNs = new Map<string, number>();
  /** Requests the engine has not been shown, in order of arrival. */
  #arrivals: Arrival[] = [];
  /** When the alarm is due: the end of the step under way. `null` while idle. */
  #alarmNs: number | null = null;
  #cancelAlarm: () => void = () => {};

  constructor(engine: Engine, clock: Clock, options: StepDriverOptions) {
    this.#engine = engine;
    this.#queueTimeoutNs = options.queueTimeoutNs ?? Number.POSITIVE_INFINITY;
    this.#stepFactorAt = options.stepFactorAt;
    this.#onStep = options.onStep;
    this.#lateness = options.lateness;
    this.#clock = clock;
    this.#spread =
      options.spreadClock === null
        ? null
        : new TokenSpread(options.spreadClock, (token, dueNs) => this.#deliver(token, dueNs));
  }

  /** Hands a request in now; its sink hears of it when the next step begins, never before. */
  submit(request: EngineRequest, sink: TokenSink): void {
    const atNs = this.#clock.nowNs();
    this.#arrivals.push({ atNs, request, sink });
    if (this.#alarmNs === null) this.#wakeAt(atNs, () => this.#beginStep(atNs));
  }

  /** Forgets a request; its sink hears nothing more. False when there was nothing to forget. */
  cancel(id: string): boolean {
    const others = this.#arrivals.filter((arrival) => arrival.request.id !== id);
    const isArrival = others.length < this.#arrivals.length;
    this.#arrivals = others;
    this.#sinks.delete(id);
    this.#waitingSinceNs.delete(id);
    return this.#engine.cancel(id) || isArrival;
  }

  /** Requests that arrived during the step under way and are not in the engine yet. */
  get arrived(): number {
    return this.#arrivals.length;
  }

  /** How long ago the step under way should have ended; 0 when on time or idle. */
  behindNs(): number {
    return this.#alarmNs === null ? 0 : Math.max(0, this.#clock.nowNs() - this.#alarmNs);
  }

  /** Stops in the middle of whatever is under way. */
  stop(): void {
    this.#cancelAlarm();
    this.#spread?.stop();
    this.#sinks.clear();
  }

  #beginStep(earliestNs: number): void {
    let startNs = earliestNs;
    let plan = this.#planAt(startNs);
    while (plan === null && this.#arrivals[0] !== undefined) {
      // Idle in the plan, although more came in while this process was late: skip ahead to that.
      startNs = this.#arrivals[0].atNs;
      plan = this.#planAt(startNs);
    }
    if (plan === null) {
      this.#alarmNs = null;
      return;
    }
    for (const { id, entry, fromTokens } of plan.prefills) {
      if (entry !== 'new') continue;
      this.#waitingSinceNs.delete(id);
      this.#sinks.get(id)?.started(startNs, fromTokens);
    }
    const step = plan;
    const factor = this.#stepFactorAt(startNs);
    const endNs = startNs + Math.max(1, Math.round(this.#engine.stepDurationNs(step) * factor));
    this.#wakeAt(endNs, () => this.#endStep(step, startNs, endNs));
  }

  #endStep(plan: StepPlan, startNs: number, endNs: number): void {
    this.#lateness.add(this.#clock.nowNs() - endNs);
    this.#onStep(plan.load.computedTokens);
    const tokens = this.#engine.commit(plan);
    if (this.#spread !== null) this.#spread.add(tokens, endNs, endNs - startNs);
    else for (const token of tokens) this.#deliver(token, endNs);
    this.#beginStep(endNs);
  }

  #deliver({ id, last }: TokenEvent, dueNs: number): void {
    const sink = this.#sinks.get(id);
    if (last) this.#sinks.delete(id);
    sink?.token(dueNs, last);
  }

  #wakeAt(atNs: number, action: () => void): void {
    this.#alarmNs = atNs;
    this.#cancelAlarm = this.#clock.at(atNs, action);
  }

  /** The step that begins at `startNs`, with everything that had arrived by then. */
  #planAt(startNs: number): StepPlan | null {
    const later = this.#arrivals.findIndex((arrival) => arrival.atNs > startNs);
    const due = this.#arrivals.splice(0, later === -1 ? this.#arrivals.length : later);
    const overdueNs = startNs - this.#queueTimeoutNs;
    this.#turnAwayOverdue(overdueNs);
    for (const { atNs, request, sink } of due) {
      if (atNs <= overdueNs) {
        sink.rejected('queueTimeout');
        continue;
      }
      const admission = this.#engine.admit(request);
      if (admission.kind === 'rejected') {
        sink.rejected(admission.reason);
      } else {
        this.#sinks.set(request.id, sink);
        this.#waitingSinceNs.set(request.id, atNs);
        sink.admitted();
      }
    }
    return this.#engine.plan();
  }

  /** Cancels the requests that have been waiting since `overdueNs` or longer. */
  #turnAwayOverdue(overdueNs: number): void {
    for (const [id, sinceNs] of this.#waitingSinceNs) {
      if (sinceNs > overdueNs) return;
      const sink = this.#sinks.get(id);
      this.cancel(id);
      sink?.rejected('queueTimeout');
    }
  }
}
