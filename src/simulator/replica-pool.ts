import { assert, type Clock } from '../base/index.ts';
import { createEngine, type EngineOptions } from '../engine/index.ts';
import type { StepPool } from '../record/index.ts';
import { Router, type RoutedPrompt, type RoutingPolicy } from './router.ts';
import { SimulatedReplica, type StepMethod } from './simulated-replica.ts';
import type { StepBoundaries } from './step-boundaries.ts';
import type { StepTimeline } from './step-timeline.ts';

export interface PoolParts {
  readonly role: StepPool;
  readonly clock: Clock;
  readonly boundaries: StepBoundaries;
  /** Rank of its first replica; later ones follow. */
  readonly firstRank: number;
  readonly engine: EngineOptions;
  readonly router: RoutingPolicy;
  readonly method: StepMethod;
  readonly queueTimeoutNs: number | null;
  /** Replicas at the start. ≥ 1. */
  readonly replicas: number;
  readonly onPlaced: (id: string) => void;
  /** Keeps every step; `null` = nobody asks. */
  readonly steps: StepTimeline | null;
}

/** What all pools of a service share. */
export type ServiceParts = Omit<PoolParts, 'role' | 'firstRank' | 'onPlaced'>;

/**
 * What became of the replicas: ordered, ready to take requests, taking no more of them, gone.
 * One that is drained before it was ready is gone at once.
 */
export type ScaleEventKind = 'ordered' | 'ready' | 'draining' | 'gone';

export interface ScaleEvent {
  readonly atNs: number;
  readonly kind: ScaleEventKind;
  /** Number of the replica, from 0; those at the start have no events until they drain. */
  readonly replica: number;
  /** Replicas that take requests after it. */
  readonly ready: number;
}

interface Member {
  readonly number: number;
  readonly replica: SimulatedReplica;
  readonly orderedNs: number;
  state: 'starting' | 'ready' | 'draining';
  readonly disarm: () => void;
}

/** Replicas behind a router. They may come and go. */
export class ReplicaPool {
  readonly #parts: PoolParts;
  readonly #router: Router;
  /** In order of their numbers; without those that are gone. */
  #members: Member[] = [];
  #ordered = 0;
  readonly #events: ScaleEvent[] = [];
  /** Of replicas that are gone. */
  #goneReplicaNs = 0;

  constructor(parts: PoolParts) {
    const { replicas, router } = parts;
    assert(Number.isSafeInteger(replicas) && replicas >= 1, `${replicas} replicas serve nobody`);
    this.#parts = parts;
    this.#router = new Router(router);
    for (let count = 0; count < replicas; count += 1) this.#add('ready', () => {});
  }

  /** Chooses the replica of the next request. */
  route(prompt: RoutedPrompt): SimulatedReplica {
    const ready = this.#inState('ready');
    const outstanding = new Map(ready.map(({ number, replica }) => [number, replica.outstanding]));
    const chosen = this.#router.choose(outstanding, prompt);
    const member = ready.find(({ number }) => number === chosen);
    assert(member !== undefined, `replica ${chosen} takes no requests`);
    return member.replica;
  }

  /** Those that take requests. */
  get ready(): readonly SimulatedReplica[] {
    return this.#inState('ready').map(({ replica }) => replica);
  }

  /** How many take requests or are about to. */
  get size(): number {
    return this.#members.filter(({ state }) => state !== 'draining').length;
  }

  /** Orders another replica, which is ready `provisionNs` later. */
  order(provisionNs: number): void {
    const { clock } = this.#parts;
    const number = this.#ordered;
    const disarm = clock.at(clock.nowNs() + provisionNs, () => {
      const member = this.#members.find((each) => each.number === number);
      assert(member?.state === 'starting', 'only who starts becomes ready');
      member.state = 'ready';
      this.#note('ready', number);
    });
    this.#add('starting', disarm);
    this.#note('ordered', number);
  }

  /** Takes one away: the newest that is not ready yet, else the newest. It ends when it is empty. */
  drain(): void {
    const member = this.#inState('starting').at(-1) ?? this.#inState('ready').at(-1);
    assert(member !== undefined, 'no replica is left to drain');
    member.disarm();
    const wasReady = member.state === 'ready';
    member.state = 'draining';
    if (wasReady) this.#note('draining', member.number);
    if (member.replica.outstanding === 0) this.#remove(member);
  }

  events(): readonly ScaleEvent[] {
    return this.#events;
  }

  /** Time of all replicas together, from order (or 0) to the end of the drain (or now). */
  replicaNs(): number {
    const nowNs = this.#parts.clock.nowNs();
    const open = this.#members.reduce((sum, { orderedNs }) => sum + nowNs - orderedNs, 0);
    return this.#goneReplicaNs + open;
  }

  #inState(state: Member['state']): Member[] {
    return this.#members.filter((member) => member.state === state);
  }

  #add(state: Member['state'], disarm: () => void): void {
    const { clock, boundaries, method, queueTimeoutNs, onPlaced, engine, firstRank } = this.#parts;
    const { role, steps } = this.#parts;
    const number = this.#ordered;
    this.#ordered += 1;
    const replica = new SimulatedReplica({
      engine: createEngine(engine),
      clock,
      boundaries,
      rank: firstRank + number,
      method,
      queueTimeoutNs,
      onPlaced,
      onEmpty: () => {
        const member = this.#members.find((each) => each.number === number);
        if (member?.state === 'draining') this.#remove(member);
      },
      onSteps: steps?.listener(role, number) ?? null,
    });
    this.#members.push({ number, replica, orderedNs: clock.nowNs(), state, disarm });
  }

  #remove(member: Member): void {
    this.#members = this.#members.filter((other) => other !== member);
    this.#goneReplicaNs += this.#parts.clock.nowNs() - member.orderedNs;
    this.#router.forget(member.number);
    this.#note('gone', member.number);
  }

  #note(kind: ScaleEventKind, replica: number): void {
    const ready = this.#inState('ready').length;
    this.#events.push({ atNs: this.#parts.clock.nowNs(), kind, replica, ready });
  }
}
