/** What stands behind the front door of a simulated service. */
import type { EngineRequest } from '../engine/index.ts';
import type { ScaleEvent } from './replica-pool.ts';
import type { ReplicaListener } from './simulated-replica.ts';
import type { RoutedPrompt } from './router.ts';

/** Replicas of one kind, and what they cost. */
export interface PoolReport {
  readonly role: 'mixed' | 'prefill' | 'decode';
  /** At the start. */
  readonly replicas: number;
  /** In order of time; none without an autoscaler. */
  readonly events: readonly ScaleEvent[];
  /** Time of all replicas together, starting and draining included. */
  readonly replicaNs: number;
}

/** Keys and values sent from prefill to decode replicas. */
export interface TransferReport {
  readonly transfers: number;
  readonly bytes: number;
  /** From the end of a prefill until its memory is free again, over all transfers. */
  readonly heldNs: number;
  /** Of that, with a place at the decode side and the link busy with others. */
  readonly linkWaitNs: number;
}

/** What a simulated service did beside what its requests' records tell. */
export interface ServiceReport {
  readonly pools: readonly PoolReport[];
  /** `null` without disaggregation. */
  readonly transfers: TransferReport | null;
}

/** Forgets a request, whose listener then hears nothing more. */
export type Forget = () => void;

/** Takes a request in where it was routed to. */
export type Submit = (request: EngineRequest, listener: ReplicaListener) => Forget;

export interface ServingBackend {
  /** Chooses where a request goes. That is all a router does with one that is refused there. */
  route(prompt: RoutedPrompt): Submit;
  /** Nothing more will come: what still watches the clock stops. */
  close(): void;
  report(): ServiceReport;
}
