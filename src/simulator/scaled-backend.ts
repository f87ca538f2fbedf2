import { assertNever, type Clock, secondsFromNs } from '../base/index.ts';
import { Autoscaler, type AutoscalingOptions, type ScalingMetric } from './autoscaler.ts';
import { ReplicaPool, type ServiceParts } from './replica-pool.ts';
import type { RoutedPrompt } from './router.ts';
import type { ServiceReport, ServingBackend, Submit } from './serving-backend.ts';

/** Replicas that do both prefill and decode, as many as there are or as an autoscaler wants. */
export class ScaledBackend implements ServingBackend {
  readonly #clock: Clock;
  readonly #pool: ReplicaPool;
  readonly #replicas: number;
  #arrived = 0;
  #disarm: () => void = () => {};

  /** `onTick`: called at every evaluation. */
  constructor(parts: ServiceParts, autoscaling: AutoscalingOptions | null, onTick: () => void) {
    this.#clock = parts.clock;
    this.#replicas = parts.replicas;
    this.#pool = new ReplicaPool({ ...parts, role: 'mixed', firstRank: 0, onPlaced: () => {} });
    if (autoscaling === null) return;
    const autoscaler = new Autoscaler(autoscaling, parts.replicas);
    const tick = (): void => {
      onTick();
      this.#scale(autoscaler, autoscaling);
      this.#disarm = this.#clock.at(this.#clock.nowNs() + autoscaling.intervalNs, tick);
    };
    this.#disarm = this.#clock.at(this.#clock.nowNs() + autoscaling.intervalNs, tick);
  }

  route(prompt: RoutedPrompt): Submit {
    this.#arrived += 1;
    const replica = this.#pool.route(prompt);
    return (request, listener) => {
      replica.submit(request, listener);
      return () => replica.cancel(request.id);
    };
  }

  close(): void {
    this.#disarm();
  }

  report(): ServiceReport {
    const pool = this.#pool;
    const [events, replicaNs] = [pool.events(), pool.replicaNs()];
    return {
      pools: [{ role: 'mixed', replicas: this.#replicas, events, replicaNs }],
      transfers: null,
    };
  }

  #scale(autoscaler: Autoscaler, { metric, intervalNs, provisionNs }: AutoscalingOptions): void {
    const total = this.#measure(metric, intervalNs);
    this.#arrived = 0;
    const desired = autoscaler.desired(this.#clock.nowNs(), total, this.#pool.size);
    while (this.#pool.size < desired) this.#pool.order(provisionNs);
    while (this.#pool.size > desired) this.#pool.drain();
  }

  #measure(metric: ScalingMetric, intervalNs: number): number {
    const { ready } = this.#pool;
    switch (metric) {
      case 'inFlight':
        return ready.reduce((sum, { outstanding }) => sum + outstanding, 0);
      case 'waiting':
        return ready.reduce((sum, { waiting }) => sum + waiting, 0);
      case 'arrivals':
        return this.#arrived / secondsFromNs(intervalNs);
      default:
        return assertNever(metric);
    }
  }
}
