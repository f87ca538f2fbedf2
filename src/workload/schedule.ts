/** The schedule: every request of one load point, made before the run, as data. */

/** When a request becomes due. Its planned instant is the one at which this comes true. */
export type Release =
  /** Open loop and traces: at this instant after the point's start. */
  | { readonly kind: 'at'; readonly atNs: number }
  /** Users and sessions: `thinkNs` after request `index` ended (`null` = point start). */
  | { readonly kind: 'after'; readonly index: number | null; readonly thinkNs: number }
  /** Fixed concurrency: as soon as a slot of the pool is free. */
  | { readonly kind: 'slot' }
  /**
   * A later turn of a session: when all of `after` (at least one) have completed, each `thinkNs` ago
   * or longer, and not before `notBeforeNs` after the point's start. Never, once a turn of the
   * session has not completed.
   */
  | { readonly kind: 'turn'; readonly after: readonly TurnEdge[]; readonly notBeforeNs: number };

/** An earlier request of the same session, and the time of a person or a tool after its end. */
export interface TurnEdge {
  readonly index: number;
  readonly thinkNs: number;
}

/** How to make the prompt at send time; a pure function of this and the loaded sources. */
export type PromptRecipe =
  /** Synthetic words: `sharedTokens` of shared text `sharedId`, the rest from `seed`. */
  | {
      readonly kind: 'synthetic';
      readonly seed: number;
      readonly tokens: number;
      readonly sharedId: number | null;
      readonly sharedTokens: number;
    }
  /** Synthetic words block by block, equal block ids giving equal text. */
  | {
      readonly kind: 'blocks';
      readonly blockIds: readonly number[];
      readonly blockTokens: number;
      readonly tokens: number;
    }
  /** Entry of the prompt file. `uniqueSeed` ≠ null puts a unique line before the text. */
  | { readonly kind: 'prompt'; readonly entry: number; readonly uniqueSeed: number | null }
  | { readonly kind: 'body'; readonly entry: number }
  /** A turn of a conversation: all that was said before, and what is said now. */
  | {
      readonly kind: 'conversation';
      readonly messages: readonly MessageRecipe[];
      /**
       * How later turns repeat the answer to this one; `null` when they do so in other words than the
       * server's, which no prefix cache then has.
       */
      readonly answer: MessageRecipe | null;
    };

export interface MessageRecipe {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: MessageText;
  /**
   * The request whose real answer stands here, if it was kept; `null` = always the text above. Only
   * of earlier turns of the same session.
   */
  readonly answerOf: number | null;
}

/** Synthetic words, or a text of the conversation file. */
export type MessageText =
  | { readonly kind: 'words'; readonly seed: number; readonly tokens: number }
  | {
      readonly kind: 'file';
      readonly entry: number;
      readonly turn: number;
      readonly part: 'prompt' | 'answer';
      /** ≠ null puts a line of its own before the text. */
      readonly uniqueSeed: number | null;
      /** Words of all that; the simulator takes each for a token. */
      readonly words: number;
    };

export interface ScheduledRequest {
  /** From 0, in order of release for open loops. */
  readonly index: number;
  readonly release: Release;
  /** Planned prompt length; `null` when the source does not tell. */
  readonly promptTokens: number | null;
  readonly outputTokensMax: number | null;
  readonly prompt: PromptRecipe;
  readonly session: string | null;
  /** Label of the source entry. */
  readonly class: string | null;
  /** vLLM's: whole number, smaller goes first; 0 where nothing is said. */
  readonly priority: number;
}

export interface Schedule {
  readonly requests: readonly ScheduledRequest[];
  /** Requests due before this instant are the ledger's; nothing starts later. */
  readonly stopNs: number;
  /** Streams kept in flight by `slot` releases; `null` for other shapes. */
  readonly slots: number | null;
  /** SHA-256 over the requests: two equal schedules have equal hashes. */
  readonly hash: string;
}
