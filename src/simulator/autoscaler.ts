/** How many replicas there should be: the rule of Kubernetes' horizontal pod autoscaler. */
import { assert } from '../base/index.ts';

/**
 * What is held against the target, as a sum over the replicas that take requests:
 * - `inFlight`: requests they have not ended (Knative's and KServe's concurrency);
 * - `waiting`: requests that wait in them for a place in the batch (vLLM's
 *   `num_requests_waiting`, as KEDA reads it);
 * - `arrivals`: requests per second since the evaluation before.
 */
export type ScalingMetric = 'inFlight' | 'waiting' | 'arrivals';

export interface AutoscalingOptions {
  readonly metric: ScalingMetric;
  /** What one replica should have of it: a count, or requests per second. > 0. */
  readonly target: number;
  /** ≥ 1: without any replica nothing would be served, and scaling from zero is not modelled. */
  readonly minReplicas: number;
  /** ≥ `minReplicas`. */
  readonly maxReplicas: number;
  /** Between two evaluations, the first one so long after the start. > 0. */
  readonly intervalNs: number;
  /** Replicas are only taken away when nothing asked for them in so long. ≥ 0. */
  readonly scaleDownWindowNs: number;
  /** From ordering a replica to its first request: node, image, weights, warm-up. ≥ 0. */
  readonly provisionNs: number;
  /** Nothing changes within this share of the target. ≥ 0. */
  readonly toleranceShare: number;
}

interface Recommendation {
  readonly atNs: number;
  readonly replicas: number;
}

/** Against 0.1 + 0.2 > 0.3. */
const ROUNDING_SLACK = 1e-9;

/** Remembers what it recommended, so that a short lull takes no replica away. */
export class Autoscaler {
  readonly #options: AutoscalingOptions;
  #recent: readonly Recommendation[];

  /** `replicas`: how many there are at 0. */
  constructor(options: AutoscalingOptions, replicas: number) {
    const { minReplicas, maxReplicas, target } = options;
    assert(minReplicas >= 1 && minReplicas <= maxReplicas, 'at least 1 replica, at most the most');
    assert(target > 0, `a target of ${target} asks for no end of replicas`);
    this.#options = options;
    this.#recent = [{ atNs: 0, replicas }];
  }

  /**
   * ⌈`total` / target⌉ replicas, within the bounds; as many as there are when that is within the
   * tolerance. More are wanted at once, fewer only when no evaluation in the window wanted more.
   * `replicas` counts those that take requests or are about to. After the algorithm for
   * `AverageValue` targets, without limits on the pace (`behavior.policies`).
   */
  desired(atNs: number, total: number, replicas: number): number {
    const { target, toleranceShare, minReplicas, maxReplicas, scaleDownWindowNs } = this.#options;
    const ratio = total / (target * replicas);
    const isNear = Math.abs(ratio - 1) <= toleranceShare + ROUNDING_SLACK;
    const raw = isNear ? replicas : Math.ceil(total / target - ROUNDING_SLACK);
    const wanted = Math.min(maxReplicas, Math.max(minReplicas, raw));
    this.#recent = [
      ...this.#recent.filter((past) => past.atNs >= atNs - scaleDownWindowNs),
      { atNs, replicas: wanted },
    ];
    if (wanted >= replicas) return wanted;
    return Math.min(replicas, Math.max(...this.#recent.map((past) => past.replicas)));
  }
}
