/**
 * The port between a serving engine and whatever drives it through time. The engine decides *what*
 * the next step computes and how long that takes; the driver (virtual clock or wall clock) decides
 * *when*:
 *
 *     admit … plan → wait stepDurationNs → commit → token events → plan → …
 *
 * Requests may be admitted and cancelled while a step is under way; they take effect at the next
 * plan.
 */

/** What one engine may hold and do. `null` = no limit. */
export interface EngineLimits {
  /** Tokens computed per step, decoded and prefilled together. ≥ 1. */
  readonly tokenBudget: number;
  /** Requests that hold a place in the batch (prefilling or decoding). ≥ 1. */
  readonly maxSequences: number;
  /** Requests that may wait for their first step; more are rejected. ≥ 1. */
  readonly maxWaiting: number | null;
  /** Prompt and answer together may not exceed this. ≥ 1. */
  readonly maxModelTokens: number | null;
}

/** One request as the engine sees it. The answer's length is known here, as only a model knows it. */
export interface EngineRequest {
  /** Unique among the requests the engine holds. */
  readonly id: string;
  /** ≥ 1. */
  readonly promptTokens: number;
  /** ≥ 1. */
  readonly outputTokens: number;
}

export type RejectionReason = 'queueFull' | 'contextLength';

export type Admission =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'rejected'; readonly reason: RejectionReason };

/** A piece of one prompt computed in one step. */
export interface PrefillChunk {
  readonly id: string;
  /** Prompt tokens computed in earlier steps; 0 = this step takes the request out of the queue. */
  readonly fromTokens: number;
  /** ≥ 1. */
  readonly tokens: number;
  /** Whether the prompt is complete after this chunk: the step then gives the first token. */
  readonly completes: boolean;
}

/** What a step costs its device: the input of a cost model. */
export interface StepLoad {
  /** Tokens computed: one per decoding request plus the prompt tokens of all chunks. */
  readonly computedTokens: number;
  /**
   * Tokens whose keys and values are read: the context of every decoding request before the step,
   * plus the part of every still incomplete prompt computed so far, this step's chunk included. A
   * prompt that completes in the step counts 0 (the mission document's model).
   */
  readonly contextTokens: number;
  /** Decoding requests: each computes one token. */
  readonly decodeSequences: number;
  /** Context of the decoding requests before the step, together. */
  readonly decodeContextTokens: number;
  /** Prompts of which a chunk is computed. */
  readonly prefillSequences: number;
  /** Tokens of those chunks, together: `computedTokens − decodeSequences`. */
  readonly prefillTokens: number;
  /** Prompts that complete: with the decoding requests, the ones that sample a token. */
  readonly completedPrompts: number;
  /**
   * Pairs of a chunk's token and a token it attends to: Σ q·c + q(q+1)/2 over chunks of q tokens on
   * top of c computed before. (The decoding requests' pairs are their context plus themselves.)
   */
  readonly attentionPairs: number;
}

/** One step, decided and not yet done. Valid until the next commit. */
export interface StepPlan {
  /** Number of the step, from 0. */
  readonly step: number;
  /** Requests that gain one token each, in the order they entered the batch. */
  readonly decodes: readonly string[];
  readonly prefills: readonly PrefillChunk[];
  readonly load: StepLoad;
}

/** One generated token. All tokens of a step appear together, at its end. */
export interface TokenEvent {
  readonly id: string;
  /** Place in the answer, from 0. */
  readonly index: number;
  /** Whether the answer is complete and its request has left the engine. */
  readonly last: boolean;
}

/** What the engine holds right now. */
export interface EngineState {
  /** Requests no token of which has been computed. */
  readonly waiting: number;
  /** Requests prefilling or decoding. */
  readonly running: number;
  /** Tokens whose keys and values are held, decoding and prefilling requests together. */
  readonly heldTokens: number;
}

/** A serving engine as a state machine: the same calls in the same order give the same answers. */
export interface Engine {
  /** Takes a request in, or says why not. Malformed requests are the caller's bug and crash. */
  admit(request: EngineRequest): Admission;
  /** Forgets a request and what it holds. False when the engine does not hold it (any more). */
  cancel(id: string): boolean;
  /** The next step, `null` when there is nothing to do. Changes nothing. */
  plan(): StepPlan | null;
  /** How long a step takes, whole nanoseconds ≥ 1. */
  stepDurationNs(plan: StepPlan): number;
  /** Does the step: requests cancelled since it was planned are passed over. */
  commit(plan: StepPlan): readonly TokenEvent[];
  state(): EngineState;
}
