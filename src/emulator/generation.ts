import type { AnswerEncoder } from '../wire/index.ts';
import type { AnswerPlan } from './answer-plan.ts';
import type { AnswerWriter } from './answer-writer.ts';
import type { EmissionLog } from './emission-log.ts';
import type { GenerationRequest } from './generation-request.ts';
import type { LatenessMeter } from './lateness-meter.ts';
import type { AnsweredRequest, ServerMetrics } from './server-metrics.ts';
import type { TokenSink, TurnedAway } from './step-driver.ts';

/** What the answers of one emulator share. */
export interface GenerationSurroundings {
  readonly nowNs: () => number;
  readonly metrics: ServerMetrics;
  readonly log: EmissionLog;
  /** Told once an answer is complete. */
  readonly onAnswered: (answered: AnsweredRequest) => void;
  readonly lateness: LatenessMeter;
  readonly includeRole: boolean;
  /** Whether usage tells the cached tokens of the prompt. */
  readonly tellsCached: boolean;
  /** Whether a stream's head waits until its request is started: it may be turned away until then. */
  readonly holdsHead: boolean;
}

export interface GenerationParts {
  readonly requestId: string;
  readonly request: GenerationRequest;
  readonly answer: AnswerPlan;
  readonly encoder: AnswerEncoder;
  readonly writer: AnswerWriter;
  readonly tokensPerEvent: number;
  /** Deltas without output that open the stream, besides the role. */
  readonly emptyDeltas: number;
  /** Answers with an error instead. */
  readonly onRejected: (reason: TurnedAway) => void;
}

/** One answer under way: turns the engine's tokens into what goes over the wire, and measures. */
export class Generation implements TokenSink {
  readonly #parts: GenerationParts;
  readonly #shared: GenerationSurroundings;
  readonly #arrivedNs: number;
  #startedNs = 0;
  #firstTokenNs = 0;
  #lastTokenNs = 0;
  #tokens = 0;
  #cachedTokens = 0;
  /** Words since the last event, or the whole answer where it is not streamed. */
  #text = '';
  /** All reasoning of an answer that is not streamed. */
  #reasoning = '';
  #textTokens = 0;
  #events = 0;

  constructor(parts: GenerationParts, shared: GenerationSurroundings) {
    this.#parts = parts;
    this.#shared = shared;
    this.#arrivedNs = shared.nowNs();
  }

  rejected(reason: TurnedAway): void {
    this.#parts.onRejected(reason);
  }

  admitted(): void {
    if (!this.#shared.holdsHead) this.#open();
  }

  started(atNs: number, cachedTokens: number): void {
    this.#startedNs = atNs;
    this.#cachedTokens = cachedTokens;
    if (this.#shared.holdsHead) this.#open();
    this.#shared.metrics.started(atNs - this.#arrivedNs);
  }

  #open(): void {
    const { request, writer, encoder, emptyDeltas } = this.#parts;
    if (!request.streamed) return;
    writer.open(encoder.mediaType);
    const usage = this.#continuousUsage();
    const opening = encoder.open() + (this.#shared.includeRole ? encoder.start(usage) : '');
    if (opening !== '') writer.write(opening);
    for (let delta = 0; delta < emptyDeltas; delta += 1) {
      // Only chat has a role.
      writer.write(encoder.start(usage) || encoder.output('answer', '', usage));
    }
  }

  token(dueNs: number, last: boolean): void {
    this.#text += this.#parts.answer.word(this.#tokens);
    this.#tokens += 1;
    this.#textTokens += 1;
    const { request, tokensPerEvent, answer } = this.#parts;
    const endsReasoning = this.#tokens === answer.reasoningTokens;
    if (request.streamed && (last || endsReasoning || this.#textTokens === tokensPerEvent)) {
      this.#emit(dueNs, last);
    } else {
      this.#measureToken(this.#shared.nowNs(), last);
      if (endsReasoning) [this.#reasoning, this.#text] = [this.#text, ''];
      if (last) this.#answerWhole();
    }
  }

  #measureToken(atNs: number, last: boolean): void {
    const { metrics } = this.#shared;
    const { request, answer } = this.#parts;
    if (this.#tokens === 1) {
      this.#firstTokenNs = atNs;
      metrics.firstToken(request.promptTokens, atNs - this.#arrivedNs);
    } else {
      metrics.nextToken(atNs - this.#lastTokenNs);
    }
    this.#lastTokenNs = atNs;
    if (!last) return;
    const answered: AnsweredRequest = {
      arrivedNs: this.#arrivedNs,
      startedNs: this.#startedNs,
      firstTokenNs: this.#firstTokenNs,
      lastTokenNs: atNs,
      promptTokens: request.promptTokens,
      outputTokens: this.#tokens,
      maxTokens: request.maxTokens,
    };
    metrics.answered(answer.finishReason, answered);
    this.#shared.onAnswered(answered);
  }

  #emit(dueNs: number, last: boolean): void {
    const { encoder, writer, request, requestId, answer } = this.#parts;
    const { log, lateness, nowNs } = this.#shared;
    const runningUsage = this.#continuousUsage();
    const text = encoder.output(this.#kind(), this.#text, runningUsage);
    const end = last
      ? encoder.end({
          finishReason: answer.finishReason,
          runningUsage,
          usage: request.includeUsage ? this.#usage() : null,
        })
      : null;
    const emittedNs = nowNs();
    if (end === null) writer.write(text);
    else writer.end(text + end.finish, end.rest);
    this.#measureToken(emittedNs, last);
    lateness.add(emittedNs - dueNs);
    const tokens = this.#textTokens;
    log.add({ requestId, index: this.#events, tokens, plannedNs: dueNs, emittedNs });
    this.#events += 1;
    this.#text = '';
    this.#textTokens = 0;
  }

  #answerWhole(): void {
    const { encoder, writer, request, answer } = this.#parts;
    const body = encoder.body({
      content: {
        ...(this.#reasoning === '' ? {} : { reasoning: this.#reasoning }),
        answer: this.#text,
      },
      finishReason: answer.finishReason,
      usage: request.tellsUsage ? this.#usage() : null,
    });
    writer.whole(body);
  }

  /** Of the tokens gathered so far: an event never mixes two kinds. */
  #kind(): 'reasoning' | 'answer' {
    return this.#tokens <= this.#parts.answer.reasoningTokens ? 'reasoning' : 'answer';
  }

  #continuousUsage() {
    return this.#parts.request.continuousUsage ? this.#usage() : null;
  }

  #usage() {
    return {
      promptTokens: this.#parts.request.promptTokens,
      completionTokens: this.#tokens,
      reasoningTokens:
        this.#parts.answer.reasoningTokens === 0
          ? null
          : Math.min(this.#tokens, this.#parts.answer.reasoningTokens),
      cachedPromptTokens: this.#shared.tellsCached ? this.#cachedTokens : null,
    };
  }
}
