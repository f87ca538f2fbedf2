/** What a step costs, apart from what it does: one cost model per kind of device description. */
import type { StepLoad } from './engine.ts';

/** How long a step with a given load takes. Pure. */
export interface CostModel {
  /** Machine word for manifests. */
  readonly name: string;
  /** Duration of the step in seconds, > 0, not rounded. */
  stepSeconds(load: StepLoad): number;
}

const DEVICES = 8;
const MEMORY_BYTES_PER_SECOND = 3.35e12;
const FLOP_PER_SECOND = 600e12;

/** Reading all weights once: 70.6 billion parameters of two bytes, spread over the devices. */
const WEIGHT_READ_SECONDS = 141e9 / DEVICES / MEMORY_BYTES_PER_SECOND;
/** Reading keys and values of one token: 2 × 80 layers × 8 heads × 128 values of two bytes. */
const KV_READ_SECONDS = (2 * 80 * 8 * 128 * 2) / DEVICES / MEMORY_BYTES_PER_SECOND;
/** Computing one token: two operations per parameter. */
const FLOP_SECONDS = (2 * 70.6e9) / DEVICES / FLOP_PER_SECOND;
const OVERHEAD_SECONDS = 0.0008;

/**
 * The step cost of the second mission document's program: a 70B model in 16 bits on 8 devices of
 * idealised H100 figures, taken as one. A step costs the larger of its memory time and its compute
 * time, plus 0.8 ms. Attention arithmetic, KV capacity and links between devices are not modelled.
 *
 * An idle step with one decode takes 6.06 ms, a full 512-token chunk 15.86 ms.
 */
export const seedCostModel: CostModel = {
  name: 'seed',
  stepSeconds: ({ computedTokens, contextTokens }) =>
    Math.max(WEIGHT_READ_SECONDS + contextTokens * KV_READ_SECONDS, computedTokens * FLOP_SECONDS) +
    OVERHEAD_SECONDS,
};
