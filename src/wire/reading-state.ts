/** The growing reading of one answer, shared by the readers of all dialects. */
import { nsFromSeconds } from '../base/index.ts';
import {
  type DraftTokens,
  type FailureClass,
  type FinishReason,
  type OutputKind,
  type ServerError,
  type Usage,
} from '../record/index.ts';
import type { ContentByKind } from './choice-content.ts';
import type { AnswerReading, OutputListener, ReaderOptions } from './dialect.ts';
import { serverErrorOf } from './server-error.ts';
import { UsageTally } from './usage-tally.ts';

/** Where in time some bytes arrived. */
export interface ReadStamp {
  readonly atNs: number;
  readonly readId: number;
}

/** Collects instants, output columns, usage and the first failure. Knows no wire format. */
export class ReadingState {
  readonly #atNs: number[] = [];
  readonly #kind: OutputKind[] = [];
  readonly #bytes: number[] = [];
  readonly #tokens: (number | null)[] = [];
  readonly #readId: number[] = [];
  readonly #usage = new UsageTally();
  readonly #notes: string[] = [];
  /** Completion tokens told up to the last output event; `null` where an event did not tell. */
  #tokensCounted: number | null = 0;
  #showsReasoning = false;
  #text: string | null;
  readonly #onOutput: OutputListener | undefined;

  #firstEventNs: number | null = null;
  #lastChoicesEventNs: number | null = null;
  #usageAtNs: number | null = null;
  #finishNs: number | null = null;
  #finishReason: FinishReason | null = null;
  #terminalNs: number | null = null;
  #queueNs: number | null = null;
  #draft: DraftTokens | null = null;
  #failure: FailureClass | null = null;
  #failureAtEnd: FailureClass | null = null;
  #error: ServerError | null = null;

  constructor(options: Pick<ReaderOptions, 'keepText' | 'onOutput'>) {
    this.#onOutput = options.onOutput;
    this.#text = options.keepText ? '' : null;
  }

  get terminalSeen(): boolean {
    return this.#terminalNs !== null;
  }

  get finishSeen(): boolean {
    return this.#finishReason !== null;
  }

  get failed(): boolean {
    return this.#failure !== null;
  }

  get hasOutput(): boolean {
    return this.#atNs.length > 0;
  }

  sawEvent(atNs: number): void {
    this.#firstEventNs ??= atNs;
  }

  sawChoices(atNs: number): void {
    this.#lastChoicesEventNs = atNs;
  }

  sawTerminal(atNs: number): void {
    this.#terminalNs ??= atNs;
  }

  /** Some servers finish twice; the first reason and its instant stand. */
  sawFinish(reason: FinishReason, atNs: number): void {
    this.#finishNs ??= atNs;
    this.#finishReason ??= reason;
  }

  sawUsage(usage: Usage, finishedChoice: number | null, atNs: number): void {
    this.#usage.add(usage, finishedChoice);
    this.#usageAtNs = atNs;
  }

  /** Running totals are told too: the larger counts. */
  sawDraft(draft: DraftTokens): void {
    if (draft.proposedTokens >= (this.#draft?.proposedTokens ?? 0)) this.#draft = draft;
  }

  sawQueueTime(seconds: number): void {
    this.#queueNs = nsFromSeconds(seconds);
  }

  /**
   * One output event per kind with content, all at the same stamp. `usage` is the running total
   * told in this event (`null` = not told): the step since the last output event is this event's
   * tokens, so that a token whose text was held back counts where its text appears. Reasoning that
   * is not streamed is no part of any event. The step of an event with two kinds cannot be split
   * and stays unknown.
   */
  addOutput(content: ContentByKind, usage: Usage | null, stamp: ReadStamp): void {
    const { reasoning, answer, refusal, toolCall } = content;
    const kindCount =
      Number(reasoning !== '') +
      Number(answer !== '') +
      Number(refusal !== '') +
      Number(toolCall !== '');
    if (kindCount === 0) return;
    this.#showsReasoning ||= reasoning !== '';
    const total = this.#shownTokens(usage);
    const step = total === null || this.#tokensCounted === null ? 0 : total - this.#tokensCounted;
    this.#tokensCounted = total;
    const tokens = kindCount === 1 && step > 0 ? step : null;
    // In the order in which a model makes them.
    this.#addEvent('reasoning', reasoning, tokens, stamp);
    this.#addEvent('answer', answer, tokens, stamp);
    this.#addEvent('refusal', refusal, tokens, stamp);
    this.#addEvent('toolCall', toolCall, tokens, stamp);
    if (this.#text !== null) this.#text += answer;
  }

  #addEvent(kind: OutputKind, text: string, tokens: number | null, stamp: ReadStamp): void {
    if (text === '') return;
    this.#atNs.push(stamp.atNs);
    this.#kind.push(kind);
    this.#bytes.push(Buffer.byteLength(text));
    this.#tokens.push(tokens);
    this.#readId.push(stamp.readId);
    this.#onOutput?.(kind, text);
  }

  #shownTokens(usage: Usage | null): number | null {
    const total = usage?.completionTokens ?? null;
    if (total === null || this.#showsReasoning) return total;
    return Math.max(0, total - (usage?.reasoningTokens ?? 0));
  }

  note(word: string): void {
    if (!this.#notes.includes(word)) this.#notes.push(word);
  }

  /** The first failure stands. */
  fail(failure: FailureClass): void {
    this.#failure ??= failure;
  }

  /** A failure that is told at the end: what is read until then is still of use. */
  failAtEnd(failure: FailureClass): void {
    this.#failureAtEnd ??= failure;
  }

  /** The answer is over: a failure that waited for that stands now. */
  settle(): void {
    this.#failure ??= this.#failureAtEnd;
  }

  /** The server announced an error inside a response that began well. */
  failByServer(error: unknown): void {
    if (this.#failure !== null) return;
    this.#failure = 'serverError';
    this.#error = serverErrorOf(error, { httpStatus: null, retryAfterNs: null });
  }

  reading(commentCount: number): AnswerReading {
    return {
      firstEventNs: this.#firstEventNs,
      lastChoicesEventNs: this.#lastChoicesEventNs,
      usageAtNs: this.#usageAtNs,
      finishNs: this.#finishNs,
      terminalNs: this.#terminalNs,
      output: {
        atNs: this.#atNs,
        kind: this.#kind,
        bytes: this.#bytes,
        tokens: this.#tokens,
        readId: this.#readId,
      },
      usage: this.#usage.total(),
      draft: this.#draft,
      finishReason: this.#finishReason,
      commentCount,
      notes: this.#notes,
      failure: this.#failure,
      error: this.#error,
      queueNs: this.#queueNs,
      text: this.#text,
    };
  }
}
