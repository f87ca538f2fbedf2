import type { PrefillChunk, StepLoad, StepPlan } from './engine.ts';
import { knownTokens, type Sequence } from './sequence.ts';

/** What the scheduler has decided about a step. */
export interface StepDecision {
  readonly step: number;
  /** In the order of entry. */
  readonly batch: readonly Sequence[];
  /** So many of the batch, the first ones, have a share; the others compute nothing. */
  readonly sharing: number;
  /** Index in the batch of the first sequence that enters in this step. */
  readonly entered: number;
  readonly preempted: readonly string[];
}

/** Tells a decision as drivers and cost models need it. */
export function describeStep(decision: StepDecision): StepPlan {
  const { step, batch, sharing, entered, preempted } = decision;
  const decodes: string[] = [];
  const prefills: PrefillChunk[] = [];
  let decodeContextTokens = 0;
  let prefillTokens = 0;
  let partialTokens = 0;
  let completedPrompts = 0;
  let attentionPairs = 0;
  for (let at = 0; at < batch.length; at += 1) {
    const sequence = batch[at] as Sequence;
    const { request, computedTokens: fromTokens } = sequence;
    const missingTokens = knownTokens(sequence) - fromTokens;
    const isBegun = sequence.generatedTokens > 0 || request.receivedTokens !== undefined;
    const isDecode = isBegun && missingTokens === 1 && at < entered;
    const tokens = at < sharing ? sequence.shareTokens : 0;
    if (isDecode) {
      if (tokens === 0) continue;
      decodes.push(request.id);
      decodeContextTokens += fromTokens;
      continue;
    }
    const completes = tokens === missingTokens;
    if (completes) completedPrompts += 1;
    else partialTokens += fromTokens + tokens;
    if (tokens === 0) continue;
    prefillTokens += tokens;
    attentionPairs += tokens * fromTokens + (tokens * (tokens + 1)) / 2;
    const entry = at < entered ? null : sequence.lostTokens > 0 ? 'resumed' : 'new';
    prefills.push({ id: request.id, fromTokens, tokens, completes, entry });
  }
  const load = {
    computedTokens: decodes.length + prefillTokens,
    contextTokens: decodeContextTokens + partialTokens,
    decodeSequences: decodes.length,
    decodeContextTokens,
    prefillSequences: prefills.length,
    prefillTokens,
    completedPrompts,
    attentionPairs,
  };
  return { step, decodes, prefills, preempted, load };
}

/** The load of a step that does the same as another, `later` steps after it. */
export function repeatedLoad(load: StepLoad, later: number): StepLoad {
  const grownTokens = later * load.decodeSequences;
  return {
    ...load,
    contextTokens: load.contextTokens + grownTokens,
    decodeContextTokens: load.decodeContextTokens + grownTokens,
  };
}
