/** What makes an engine. */
import { assert } from '../base/index.ts';
import type { CostModel } from './cost-model.ts';
import type { EngineLimits, KvMemoryOptions, SchedulingPolicy } from './engine.ts';

export interface EngineOptions {
  readonly limits: EngineLimits;
  readonly policy: SchedulingPolicy;
  /** Null: memory is no limit, and nothing is ever found again. */
  readonly memory: KvMemoryOptions | null;
  /**
   * Whether a step is planned while the one before it runs, so that the device never waits for the
   * host (vLLM: `async_scheduling`, on in 0.19). A request then takes part in the step
   * after the one that was planned when it came. Left out: no.
   */
  readonly plansAhead?: boolean;
  readonly costModel: CostModel;
  /** Factor on the duration of every step: 0.1 runs ten times as fast. > 0. */
  readonly speedScale: number;
}

/** Errors: broken invariants, which are the caller's. */
export function assertOptions({ limits, memory, speedScale }: EngineOptions): void {
  assertCount(limits.tokenBudget, 'tokenBudget');
  assertCount(limits.maxSequences, 'maxSequences');
  if (limits.maxWaiting !== null) assertCount(limits.maxWaiting, 'maxWaiting');
  if (limits.maxModelTokens !== null) assertCount(limits.maxModelTokens, 'maxModelTokens');
  const { longPrefillTokenThreshold } = limits;
  if (longPrefillTokenThreshold !== null) {
    assertCount(longPrefillTokenThreshold, 'longPrefillTokenThreshold');
  }
  if (memory !== null) {
    assertCount(memory.blocks, 'blocks');
    assertCount(memory.blockTokens, 'blockTokens');
  }
  assert(speedScale > 0, `speedScale ${speedScale} is not positive`);
}

/** A whole number of 1 or more. */
export function assertCount(value: number, name: string): void {
  assert(Number.isSafeInteger(value) && value >= 1, `${name} ${value} is not a whole number ≥ 1`);
}
