/** What a step costs, apart from what it does: one cost model per kind of device description. */
import type { CostRecipe } from './cost/cost-recipe.ts';
import type { StepLoad } from './engine.ts';

/** How long a step with a given load takes. Pure. */
export interface CostModel {
  /** Machine word for manifests. */
  readonly name: string;
  /** What `costModelOf` makes it of again; left out where only this object knows. */
  readonly recipe?: CostRecipe;
  /** Duration of the step in seconds, > 0, not rounded. */
  stepSeconds(load: StepLoad): number;
}

const DEVICES = 8;
const MEMORY_BYTES_PER_SECOND = 3.35e12;
const FLOP_PER_SECOND = 600e12;

/** 2 × 80 layers × 8 heads × 128 values of two bytes, on all devices together. */
export const SEED_KV_BYTES_PER_TOKEN = 2 * 80 * 8 * 128 * 2;

/**
 * A step cost of two straight lines, in seconds:
 * max(weights + context × per token, computed × per token) + overhead.
 * Few enough figures to sum many steps at once in closed form.
 */
export interface TwoLineCost {
  readonly weightReadSeconds: number;
  readonly kvReadSecondsPerToken: number;
  readonly computeSecondsPerToken: number;
  readonly overheadSeconds: number;
}

/** The figures of {@link seedCostModel}. */
export const SEED_COST: TwoLineCost = {
  // 70.6 billion parameters of two bytes, spread over the devices.
  weightReadSeconds: 141e9 / DEVICES / MEMORY_BYTES_PER_SECOND,
  kvReadSecondsPerToken: SEED_KV_BYTES_PER_TOKEN / DEVICES / MEMORY_BYTES_PER_SECOND,
  // Two operations per parameter.
  computeSecondsPerToken: (2 * 70.6e9) / DEVICES / FLOP_PER_SECOND,
  overheadSeconds: 0.0008,
};

/** What a step costs whose tokens and context are known. */
export function twoLineSeconds(
  cost: TwoLineCost,
  computedTokens: number,
  contextTokens: number,
): number {
  return (
    Math.max(
      cost.weightReadSeconds + contextTokens * cost.kvReadSecondsPerToken,
      computedTokens * cost.computeSecondsPerToken,
    ) + cost.overheadSeconds
  );
}

/**
 * The step cost of the second mission document's program: a 70B model in 16 bits on 8 devices of
 * idealised H100 figures, taken as one. A step costs the larger of its memory time and its compute
 * time, plus 0.8 ms. Attention arithmetic, KV capacity and links between devices are not modelled.
 *
 * An idle step with one decode takes 6.06 ms, a full 512-token chunk 15.86 ms.
 */
export const seedCostModel: CostModel = {
  name: 'seed',
  recipe: { kind: 'seed' },
  stepSeconds: ({ computedTokens, contextTokens }) =>
    twoLineSeconds(SEED_COST, computedTokens, contextTokens),
};
