/**
 * The port between a serving engine and whatever drives it through time. The engine decides *what*
 * the next step computes and how long that takes; the driver (virtual clock or wall clock) decides
 * *when*:
 *
 *     admit … plan → wait stepDurationNs → commit → token events → plan → …
 *
 * A plan stands until it is committed: it has taken requests out of the queue, given them memory
 * and perhaps preempted others. Requests admitted while a step is under way are seen by the next
 * plan, or by the one after it where the engine plans ahead; cancelled ones leave at once.
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
  /** Tokens of one prompt computed per step at most, so that others get a share. ≥ 1. */
  readonly longPrefillTokenThreshold: number | null;
}

/**
 * Who goes first: the request that arrived first, or the one with the smallest priority number
 * (among equals the one that arrived first). Who is last by the same order is preempted first.
 */
export type SchedulingPolicy = 'fcfs' | 'priority';

/** Memory for keys and values, in blocks. A request that can never fit is rejected. */
export interface KvMemoryOptions {
  /** ≥ 1. */
  readonly blocks: number;
  /** Tokens a block holds, ≥ 1; vLLM's default is 16. */
  readonly blockTokens: number;
  /** Whether full blocks can be found again by what they hold, by later requests too. */
  readonly prefixCaching: boolean;
  /**
   * Whether a request enters the batch only when blocks for all its known tokens are free, and not
   * just for its first chunk. (They are not set aside: others may take them in later steps.) vLLM
   * does so by default.
   */
  readonly reserveFullPrompt: boolean;
}

/** What a request's text is, as far as a prefix cache must know. */
export interface SequenceContent {
  /**
   * Stands for all that must be equal besides the text before two requests may share blocks: model,
   * adapter, tokenizer, tenant.
   */
  readonly salt: string;
  /**
   * One id per leading full block of prompt and answer, as far as they are known. Chained: an id
   * stands for its block and all blocks before it (see `chainBlockIds`).
   */
  readonly blockIds: readonly string[];
}

/** One request as the engine sees it. The answer's length is known here, as only a model knows it. */
export interface EngineRequest {
  /** Unique among the requests the engine holds. */
  readonly id: string;
  /** ≥ 1. */
  readonly promptTokens: number;
  /** ≥ 1. */
  readonly outputTokens: number;
  /** Whole number, smaller goes first; left out = 0, which is all that policy `fcfs` takes. */
  readonly priority?: number;
  /** Left out: like no other request's. */
  readonly content?: SequenceContent;
  /**
   * Tokens of the prompt whose keys and values another engine computed: the request gets its place
   * and its blocks, and waits in them until these have come (see {@link Engine.takeReceivers}).
   * From 0 to `promptTokens` − 1. Not with prefix caching. Left out: none.
   */
  readonly receivedTokens?: number;
  /**
   * Its blocks are kept after its last token, for another engine to fetch, until it is cancelled.
   * Left out: they are free at once.
   */
  readonly handsOver?: true;
}

export type RejectionReason = 'queueFull' | 'contextLength';

export type Admission =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'rejected'; readonly reason: RejectionReason };

/**
 * A piece of one prompt computed in one step. A preempted request's prompt is what it has to
 * compute again: its prompt and the answer so far.
 */
export interface PrefillChunk {
  readonly id: string;
  /** Tokens of the prompt that need no computing any more. */
  readonly fromTokens: number;
  /** ≥ 1. */
  readonly tokens: number;
  /** Whether the prompt is complete after this chunk: the step then gives the next token. */
  readonly completes: boolean;
  /**
   * How the request comes into the batch in this step: for the first time, or again after a
   * preemption; `fromTokens` were then found in the prefix cache. Null when it was there before.
   */
  readonly entry: 'new' | 'resumed' | null;
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
  /**
   * Tokens that all the engines compute in this step that share their experts with this one. Left
   * out: every one as many as this one.
   */
  readonly expertTokens?: number;
}

/** One step, decided and not yet done. Valid until the next commit. */
export interface StepPlan {
  /** Number of the step, from 0. */
  readonly step: number;
  /** Requests that gain one token each, in the order they entered the batch. */
  readonly decodes: readonly string[];
  readonly prefills: readonly PrefillChunk[];
  /**
   * Requests that lost their place and all they had computed, because memory ran out. They wait
   * again; nobody enters in such a step unless it could compute nothing else.
   */
  readonly preempted: readonly string[];
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
  /** Requests waiting for a place in the batch, preempted ones included. */
  readonly waiting: number;
  /** Requests prefilling or decoding, those of a planned step included. */
  readonly running: number;
  /** Requests that have their place and blocks and not yet what another engine computed for them. */
  readonly receiving: number;
  /** Requests that have all their tokens and keep their blocks for another engine. */
  readonly handing: number;
  /** Tokens whose keys and values are held; a shared one counts for each request that holds it. */
  readonly heldTokens: number;
  /** Blocks held by requests; null where memory is no limit. */
  readonly usedBlocks: number | null;
}

/** What the engine has done since it began. */
export interface EngineTotals {
  readonly preemptions: number;
  /** Tokens computed once more because a preemption had lost them. */
  readonly recomputedTokens: number;
  /** Lost tokens that the prefix cache gave back, so that they were not computed again. */
  readonly restoredTokens: number;
  /** Prompt tokens looked up in the prefix cache: those of all requests that entered the batch. */
  readonly prefixQueryTokens: number;
  /** Prompt tokens found there, and so not computed. */
  readonly prefixHitTokens: number;
}

/** A serving engine as a state machine: the same calls in the same order give the same answers. */
export interface Engine {
  /** Takes a request in, or says why not. Malformed requests are the caller's bug and crash. */
  admit(request: EngineRequest): Admission;
  /** Forgets a request and what it holds. False when the engine does not hold it (any more). */
  cancel(id: string): boolean;
  /**
   * Decides the next step, `null` when there is nothing to do, or nothing before something is
   * received or fetched. The same until it is committed.
   */
  plan(): StepPlan | null;
  /**
   * Requests that plans have given place and blocks, to receive what another engine computed. Each
   * is told once.
   */
  takeReceivers(): readonly string[];
  /** All has come that a request was to receive: it is part of the next plan. */
  received(id: string): void;
  /** How long a step takes, whole nanoseconds ≥ 1. */
  stepDurationNs(plan: Pick<StepPlan, 'load'>): number;
  /**
   * How many steps in a row, this one included, will do the same (one token for each of the same
   * requests) if nothing comes from outside. ≥ 1.
   */
  repeats(plan: StepPlan): number;
  /** Does the step: requests cancelled since it was planned are passed over. */
  commit(plan: StepPlan): readonly TokenEvent[];
  /**
   * Does the step and those that repeat it, `steps` in all (from 1 to `repeats`), and tells the
   * tokens of the last one.
   */
  commitRepeats(plan: StepPlan, steps: number): readonly TokenEvent[];
  state(): EngineState;
  totals(): EngineTotals;
  /** Requests waiting for a place in the batch, in the order they will get one. */
  waitingIds(): readonly string[];
}
