import { assert, nsFromSeconds } from '../base/index.ts';
import type { CostModel } from './cost-model.ts';
import type {
  Admission,
  Engine,
  EngineLimits,
  EngineRequest,
  EngineState,
  PrefillChunk,
  StepLoad,
  StepPlan,
  TokenEvent,
} from './engine.ts';

export interface EngineOptions {
  readonly limits: EngineLimits;
  readonly costModel: CostModel;
  /** Factor on the duration of every step: 0.1 runs ten times as fast. > 0. */
  readonly speedScale: number;
}

/** A request the engine holds, and how far it has come. */
interface Sequence {
  readonly request: EngineRequest;
  prefilledTokens: number;
  /** 0 while the prompt is incomplete. */
  generatedTokens: number;
}

/**
 * A continuous-batching engine with chunked prefill: every step first gives one token to each
 * decoding request, then spends what is left of the token budget on prompts, first come first
 * served, as long as the batch has a place.
 */
export function createEngine(options: EngineOptions): Engine {
  return new BatchingEngine(options);
}

class BatchingEngine implements Engine {
  readonly #limits: EngineLimits;
  readonly #costModel: CostModel;
  readonly #speedScale: number;
  // Maps keep insertion order, which makes them queues one can also leave from the middle.
  readonly #waiting = new Map<string, Sequence>();
  readonly #running = new Map<string, Sequence>();
  #step = 0;

  constructor({ limits, costModel, speedScale }: EngineOptions) {
    assertCount(limits.tokenBudget, 'tokenBudget');
    assertCount(limits.maxSequences, 'maxSequences');
    if (limits.maxWaiting !== null) assertCount(limits.maxWaiting, 'maxWaiting');
    if (limits.maxModelTokens !== null) assertCount(limits.maxModelTokens, 'maxModelTokens');
    assert(speedScale > 0, `speedScale ${speedScale} is not positive`);
    this.#limits = limits;
    this.#costModel = costModel;
    this.#speedScale = speedScale;
  }

  admit(request: EngineRequest): Admission {
    const { id, promptTokens, outputTokens } = request;
    assertCount(promptTokens, 'promptTokens');
    assertCount(outputTokens, 'outputTokens');
    assert(!this.#waiting.has(id) && !this.#running.has(id), `request ${id} is already here`);
    const { maxModelTokens, maxWaiting } = this.#limits;
    if (maxModelTokens !== null && promptTokens + outputTokens > maxModelTokens) {
      return { kind: 'rejected', reason: 'contextLength' };
    }
    if (maxWaiting !== null && this.#waiting.size >= maxWaiting) {
      return { kind: 'rejected', reason: 'queueFull' };
    }
    this.#waiting.set(id, { request, prefilledTokens: 0, generatedTokens: 0 });
    return { kind: 'admitted' };
  }

  cancel(id: string): boolean {
    return this.#waiting.delete(id) || this.#running.delete(id);
  }

  plan(): StepPlan | null {
    if (this.#running.size === 0 && this.#waiting.size === 0) return null;
    const decodes: string[] = [];
    const prefills: PrefillChunk[] = [];
    let decodeContextTokens = 0;
    for (const sequence of this.#running.values()) {
      if (sequence.generatedTokens === 0) continue;
      decodes.push(sequence.request.id);
      decodeContextTokens += heldTokens(sequence);
    }

    // A request enters the batch on a token of its own, so decodes alone never exceed the budget.
    let leftTokens = this.#limits.tokenBudget - decodes.length;
    let partialTokens = 0;
    let completedPrompts = 0;
    let attentionPairs = 0;
    const prefill = (sequence: Sequence): void => {
      const { request, prefilledTokens: fromTokens } = sequence;
      const missingTokens = request.promptTokens - fromTokens;
      const tokens = Math.min(leftTokens, missingTokens);
      const completes = tokens === missingTokens;
      if (completes) completedPrompts += 1;
      else partialTokens += fromTokens + tokens;
      if (tokens === 0) return;
      leftTokens -= tokens;
      attentionPairs += tokens * fromTokens + (tokens * (tokens + 1)) / 2;
      prefills.push({ id: request.id, fromTokens, tokens, completes });
    };
    for (const sequence of this.#running.values()) {
      if (sequence.generatedTokens === 0) prefill(sequence);
    }
    let freePlaces = this.#limits.maxSequences - this.#running.size;
    for (const sequence of this.#waiting.values()) {
      if (leftTokens === 0 || freePlaces === 0) break;
      prefill(sequence);
      freePlaces -= 1;
    }
    const computedTokens = this.#limits.tokenBudget - leftTokens;
    const load: StepLoad = {
      computedTokens,
      contextTokens: decodeContextTokens + partialTokens,
      decodeSequences: decodes.length,
      decodeContextTokens,
      prefillSequences: prefills.length,
      prefillTokens: computedTokens - decodes.length,
      completedPrompts,
      attentionPairs,
    };
    return { step: this.#step, decodes, prefills, load };
  }

  stepDurationNs(plan: StepPlan): number {
    const seconds = this.#costModel.stepSeconds(plan.load) * this.#speedScale;
    return Math.max(1, nsFromSeconds(seconds));
  }

  commit(plan: StepPlan): readonly TokenEvent[] {
    assert(plan.step === this.#step, `step ${plan.step} is not the next one, ${this.#step}`);
    this.#step += 1;
    const events: TokenEvent[] = [];
    for (const id of plan.decodes) {
      const sequence = this.#running.get(id);
      if (sequence !== undefined) events.push(this.#generate(sequence));
    }
    for (const chunk of plan.prefills) {
      const sequence = this.#running.get(chunk.id) ?? this.#enterBatch(chunk.id);
      if (sequence === null) continue;
      sequence.prefilledTokens += chunk.tokens;
      if (chunk.completes) events.push(this.#generate(sequence));
    }
    return events;
  }

  state(): EngineState {
    let held = 0;
    for (const sequence of this.#running.values()) held += heldTokens(sequence);
    return { waiting: this.#waiting.size, running: this.#running.size, heldTokens: held };
  }

  #enterBatch(id: string): Sequence | null {
    const sequence = this.#waiting.get(id);
    if (sequence === undefined) return null;
    this.#waiting.delete(id);
    this.#running.set(id, sequence);
    return sequence;
  }

  #generate(sequence: Sequence): TokenEvent {
    const { id, outputTokens } = sequence.request;
    const index = sequence.generatedTokens;
    sequence.generatedTokens += 1;
    const last = sequence.generatedTokens === outputTokens;
    if (last) this.#running.delete(id);
    return { id, index, last };
  }
}

/**
 * Tokens whose keys and values a request holds: what it has computed. The newest token is not
 * among them, because its keys and values are computed by the step that takes it as input. So a
 * request ends holding prompt + output − 1. Summing afresh in every plan keeps no running total
 * that could drift when a request leaves.
 */
function heldTokens(sequence: Sequence): number {
  return sequence.prefilledTokens + Math.max(0, sequence.generatedTokens - 1);
}

function assertCount(value: number, name: string): void {
  assert(Number.isSafeInteger(value) && value >= 1, `${name} ${value} is not a whole number ≥ 1`);
}
