import type { AnswerLength } from '../engine/index.ts';
import type { RequestEnd, SendResult, ServerError, Timeline } from '../record/index.ts';
import type { ReplicaListener, ReplicaRejection } from './simulated-replica.ts';

export interface AnswerParts {
  readonly nowNs: () => number;
  readonly promptTokens: number;
  readonly finishReason: AnswerLength['finishReason'];
  /** Whether the service tells how much of a prompt came from its cache. */
  readonly tellsCached: boolean;
  readonly onEnd: (result: SendResult) => void;
}

/** One answer under way: turns what a replica tells into what an ideal client would have seen. */
export class SimulatedAnswer implements ReplicaListener {
  readonly #parts: AnswerParts;
  readonly #dispatchedNs: number;
  #startedNs: number | null = null;
  #cachedTokens = 0;
  readonly #tokensAtNs: number[] = [];

  constructor(parts: AnswerParts) {
    this.#parts = parts;
    this.#dispatchedNs = parts.nowNs();
  }

  rejected(reason: ReplicaRejection): void {
    const error = REJECTIONS[reason];
    this.#end({ kind: 'failed', failure: 'httpStatus', error }, error.httpStatus);
  }

  started(cachedTokens: number): void {
    this.#startedNs = this.#parts.nowNs();
    this.#cachedTokens = cachedTokens;
  }

  token(last: boolean, atNs: number): void {
    this.#tokensAtNs.push(atNs);
    if (last) this.#end({ kind: 'completed' }, 200);
  }

  timedOut(deadlineNs: number): void {
    this.#cut({ kind: 'timedOut', deadlineNs });
  }

  cancelled(): void {
    this.#cut({ kind: 'cancelled', atNs: this.#parts.nowNs() });
  }

  #cut(end: RequestEnd): void {
    this.#end(end, this.#tokensAtNs.length > 0 ? 200 : null);
  }

  #end(end: RequestEnd, httpStatus: number | null): void {
    this.#parts.onEnd({
      dispatchedNs: this.#dispatchedNs,
      timeline: this.#timeline(end),
      end,
      httpStatus,
      queueNs: this.#startedNs === null ? null : this.#startedNs - this.#dispatchedNs,
      checks: [],
    });
  }

  #timeline({ kind }: RequestEnd): Timeline {
    const { nowNs, finishReason } = this.#parts;
    const firstNs = this.#tokensAtNs[0] ?? null;
    const lastNs = this.#tokensAtNs.at(-1) ?? null;
    const endedNs = kind === 'completed' || kind === 'failed' ? nowNs() : null;
    const doneNs = kind === 'completed' ? lastNs : null;
    return {
      connectedNs: null,
      tlsDoneNs: null,
      reused: null,
      peer: null,
      writtenNs: this.#dispatchedNs,
      firstByteNs: firstNs ?? endedNs,
      firstEventNs: firstNs,
      lastChoicesEventNs: lastNs,
      usageAtNs: lastNs,
      finishNs: doneNs,
      terminalNs: doneNs,
      doneNs: endedNs,
      bodyEndNs: endedNs,
      output: this.#output(),
      usage: this.#usage(),
      finishReason: kind === 'completed' ? finishReason : null,
      commentCount: 0,
      bodyBytes: 0,
      notes: [],
    };
  }

  /** One event a token. There is no text: each token stands for one byte. */
  #output(): Timeline['output'] {
    const atNs = this.#tokensAtNs;
    return {
      atNs,
      kind: atNs.map(() => 'answer'),
      bytes: atNs.map(() => 1),
      tokens: atNs.map(() => 1),
      readId: atNs.map((_, index) => index),
    };
  }

  /** As it would come with every event: none before the first token. */
  #usage(): Timeline['usage'] {
    if (this.#tokensAtNs.length === 0) return null;
    const { promptTokens, tellsCached } = this.#parts;
    return {
      promptTokens,
      completionTokens: this.#tokensAtNs.length,
      reasoningTokens: null,
      cachedPromptTokens: tellsCached ? this.#cachedTokens : null,
    };
  }
}

const OVERLOADED: ServerError = {
  httpStatus: 503,
  code: null,
  type: 'service_unavailable',
  retryAfterNs: null,
  evidence: [],
};

/** As servers tell it: a queue too full or too long as overload, a long context as a limit. */
const REJECTIONS: Readonly<Record<ReplicaRejection, ServerError>> = {
  queueFull: OVERLOADED,
  queueTimeout: OVERLOADED,
  contextLength: {
    httpStatus: 400,
    code: 'context_length_exceeded',
    type: 'invalid_request_error',
    retryAfterNs: null,
    evidence: ['contextLength'],
  },
};
