/** Sessions as the user states them: conversations of several turns, and trees of model calls. */
import type { LengthDistribution } from './spec.ts';

/** Time between the end of an answer and the next turn. Whole nanoseconds. */
export interface ThinkTime {
  readonly kind: 'fixed' | 'exponential';
  readonly meanNs: number;
}

/**
 * Whose words stand for the earlier answers of a conversation. `planned`: text made for the schedule,
 * as long as the answer was planned (or the file's own). `answers`: what the server really said, kept
 * in memory for the life of the session.
 */
export type HistoryMode = 'planned' | 'answers';

/** A system prompt that a share of the sessions begin with; equal prompts are equal text. */
export interface SystemPrompt {
  /** ≥ 1. */
  readonly tokens: number;
  /** In (0, 1]; shares add up to at most 1, and the rest of the sessions have no system prompt. */
  readonly share: number;
}

/** Synthetic conversations. */
export interface SessionMix {
  /** Turns of a session. */
  readonly turns: LengthDistribution;
  /** Tokens of the first prompt, the system prompt not included. */
  readonly input: LengthDistribution;
  /** Tokens of each later prompt, what was said before not included. */
  readonly followUp: LengthDistribution;
  /** Most tokens of each answer. */
  readonly output: LengthDistribution;
  readonly system: readonly SystemPrompt[];
  /** A session ends before a turn whose prompt and answer would pass this; `null` = never. */
  readonly maxContextTokens: number | null;
  readonly history: HistoryMode;
}

/** One conversation of a file: the user's turns and the answers between them. */
export interface Conversation {
  /** ≥ 1. */
  readonly turns: readonly ConversationTurn[];
}

export interface ConversationTurn {
  readonly prompt: string;
  /** The answer in the file; `null` when it has none, as of a last turn. */
  readonly answer: string | null;
}

/** What a call waits for: an earlier call of its session, and the time a tool or a person takes. */
export interface CallEdge {
  /** Place of the earlier call in its session. */
  readonly call: number;
  readonly thinkNs: number;
}

/** One model call of a traced session. */
export interface SessionCall {
  /** The whole prompt, history included. ≥ 1. */
  readonly promptTokens: number;
  /** ≥ 1. */
  readonly outputTokens: number;
  /** Starts when all of these have ended, each with its own delay; none = with the session. */
  readonly after: readonly CallEdge[];
  /** Not before this long after the session's start; 0 where the trace does not say. */
  readonly notBeforeNs: number;
  /**
   * The earlier call whose prompt and answer this prompt begins with: one of `after`, or one that
   * those waited for. `null` = a text of its own. Not together with `blockIds`.
   */
  readonly continues: number | null;
  /** Ids of the prompt's blocks, equal within the session for equal text; `null` = not told. */
  readonly blockIds: readonly number[] | null;
}

/** A traced session: calls in an order in which each stands after all it waits for. */
export interface TracedSession {
  /** Start, from the start of the trace; `null` = not told, so only an arrival rate can start it. */
  readonly atNs: number | null;
  /** ≥ 1. */
  readonly calls: readonly SessionCall[];
}

/** Sources that hold sessions. */
export type SessionSource =
  | ({ readonly kind: 'sessions' } & SessionMix)
  | {
      readonly kind: 'conversations';
      readonly path: string;
      readonly conversations: readonly Conversation[];
      readonly output: LengthDistribution;
      readonly order: 'sequential' | 'shuffled';
      /** Whether a line of its own opens every session, so that no other run's cache has it. */
      readonly unique: boolean;
      readonly history: HistoryMode;
    }
  | {
      readonly kind: 'calls';
      readonly path: string;
      readonly sessions: readonly TracedSession[];
      /** Tokens per block of `blockIds`; `null` without blocks. */
      readonly blockTokens: number | null;
      /** Whether equal block ids of two sessions are equal text. */
      readonly blockScope: 'session' | 'trace';
      readonly history: HistoryMode;
    };
