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

  tokens(atNs: readonly number[], last: boolean): void {
    for (const eachNs of atNs) this.#tokensAtNs.push(eachNs);
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
      local: null,
      draft: null,
      finishReason: kind === 'completed' ? finishReason : null,
      limits: [],
      commentCount: 0,
      bodyBytes: 0,
      notes: [],
    };
  }

  #output(): Timeline['output'] {
    return { atNs: this.#tokensAtNs, ...columnsOf(this.#tokensAtNs.length) };
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

type OutputColumns = Omit<Timeline['output'], 'atNs'>;

/** By length: only the instants of two answers of one length differ. */
const COLUMNS = new Map<number, OutputColumns>();

/** One event a token, each in a read of its own. There is no text: a token stands for one byte. */
function columnsOf(length: number): OutputColumns {
  let columns = COLUMNS.get(length);
  if (columns === undefined) {
    const kind = Array.from({ length }, () => 'answer' as const);
    const ones = Array.from({ length }, () => 1);
    columns = { kind, bytes: ones, tokens: ones, readId: Array.from(ones, (_, at) => at) };
    COLUMNS.set(length, columns);
  }
  return columns;
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
