/** One request and its response, from dispatch to a result. */
import { nsFromMs, type Clock } from '../base/index.ts';
import type {
  FailureClass,
  OutgoingRequest,
  RequestEnd,
  SendResult,
  ServerError,
  Timeline,
  ToldLimit,
} from '../record/index.ts';
import {
  announcedError,
  parseObject,
  serverErrorOf,
  type AnswerReader,
  type AnswerReading,
} from '../wire/index.ts';
import { runAnswerTests, type AnswerTest } from './answer-tests.ts';
import { BoundedText } from './bounded-text.ts';
import { judgeHead, queueMsOf, retryAfterOf, type ResponseHeaders } from './response-head.ts';
import { toldLimits } from './told-limits.ts';
import type { Connection, ResponseHandler, TransportFault } from './transport.ts';

export interface ExchangeOptions {
  readonly clock: Clock;
  /** Wall clock, for dates in `Retry-After` and the resets of limits only. */
  readonly wallNowMs: () => number;
  readonly responseBytes: number;
  /** How long a body may go on after the end mark before it is left. */
  readonly terminalGraceNs: number;
  readonly tests: readonly AnswerTest[];
  /** Media types that the answer may have. */
  readonly mediaTypes: readonly string[];
}

/** Enough for any error body. */
const ERROR_BODY_BYTES = 65_536;

/**
 * Takes the events of the HTTP layer and settles exactly once: by the answer's end, a failure, the
 * deadline or the run's cancellation, whichever is first. Later events are ignored.
 */
export class Exchange implements ResponseHandler {
  readonly #options: ExchangeOptions;
  readonly #request: OutgoingRequest;
  readonly #connection: Connection;
  readonly #reader: AnswerReader;
  readonly #dispatchedNs: number;
  readonly #settle: (result: SendResult, reusable: boolean) => void;
  readonly #disarmDeadline: () => void;
  #disarmGrace: () => void = () => {};

  #settled = false;
  #writtenNs: number | null = null;
  #httpStatus: number | null = null;
  #queueNs: number | null = null;
  #limits: readonly ToldLimit[] = [];
  #bodyBytes = 0;
  #bodyEndNs: number | null = null;
  readonly #notes: string[] = [];
  /** The response is an error: how the request has failed, and its body as far as it tells why. */
  #errorHead: { readonly failure: FailureClass; readonly retryAfterNs: number | null } | null =
    null;
  readonly #errorBody = new BoundedText(ERROR_BODY_BYTES);
  /** TCP was ready, but TLS failed. */
  #connectedOnlyNs: number | null = null;

  constructor(
    options: ExchangeOptions,
    request: OutgoingRequest,
    connection: Connection,
    reader: AnswerReader,
    settle: (result: SendResult, reusable: boolean) => void,
  ) {
    this.#options = options;
    this.#request = request;
    this.#connection = connection;
    this.#reader = reader;
    this.#settle = settle;
    this.#dispatchedNs = options.clock.nowNs();
    this.#disarmDeadline = options.clock.at(request.deadlineNs, () => this.#onDeadline());
  }

  /** Stopped by the run. An answer whose end mark was seen stays completed. */
  cancel(): void {
    if (this.#settled) return;
    if (this.#reader.state === 'ended') this.#finishAnswer('complete', false);
    else this.#finish({ kind: 'cancelled', atNs: this.#options.clock.nowNs() }, false);
  }

  onWritten(atNs: number): void {
    this.#writtenNs = atNs;
  }

  onHead(status: number, headers: ResponseHeaders): void {
    if (this.#settled) return;
    this.#httpStatus = status;
    const queueMs = queueMsOf(headers);
    if (queueMs !== null) this.#queueNs = nsFromMs(queueMs);
    this.#limits = toldLimits(headers, this.#options.wallNowMs());
    const verdict = judgeHead(status, headers, this.#options.mediaTypes);
    if (verdict.kind === 'answer') return;
    const { failure, search } = verdict;
    this.#errorHead = {
      failure,
      retryAfterNs: retryAfterOf(headers, this.#options.wallNowMs()),
    };
    if (!search) this.#finishError(false);
  }

  onBody(bytes: Uint8Array, atNs: number, readId: number): void {
    if (this.#settled) return;
    this.#bodyBytes += bytes.length;
    if (this.#errorHead !== null) {
      this.#errorBody.add(bytes);
      if (this.#errorBody.full) this.#finishError(false);
      return;
    }
    if (this.#reader.state !== 'open') return;
    const state = this.#reader.push(bytes, atNs, readId);
    if (state === 'failed') this.#finishAnswer('complete', false);
    else if (state === 'ended') this.#awaitBodyEnd();
    else if (this.#bodyBytes > this.#options.responseBytes) this.#fail('bodyLimit');
  }

  onEnd(atNs: number): void {
    if (this.#settled) return;
    this.#bodyEndNs = atNs;
    if (this.#errorHead === null) this.#finishAnswer('complete', true);
    else this.#finishError(true);
  }

  onFault(fault: TransportFault): void {
    if (this.#settled) return;
    if (this.#errorHead !== null) {
      this.#finishError(false);
      return;
    }
    if (this.#reader.state === 'ended' || fault.kind === 'cut') {
      this.#finishCut();
      return;
    }
    this.#connectedOnlyNs = fault.connectedNs;
    const reused = this.#connectionFacts().reused === true;
    const silent = this.#connection.firstReadNs === null;
    if (fault.failure === 'socket' && reused && silent) this.#notes.push('reusedConnectionLost');
    this.#fail(fault.failure);
  }

  /** The answer is done at its end mark; the body gets a moment to end as it should. */
  #awaitBodyEnd(): void {
    const { clock, terminalGraceNs } = this.#options;
    this.#disarmGrace = clock.at(clock.nowNs() + terminalGraceNs, () => {
      if (this.#settled) return;
      this.#notes.push('openAfterTerminal');
      this.#finishAnswer('complete', false);
    });
  }

  #onDeadline(): void {
    if (this.#settled) return;
    if (this.#errorHead !== null) this.#finishError(false);
    else if (this.#reader.state === 'ended') this.#finishAnswer('complete', false);
    else this.#finish({ kind: 'timedOut', deadlineNs: this.#request.deadlineNs }, false);
  }

  /** The connection was lost inside the body. After a finish reason, its end is where it was cut. */
  #finishCut(): void {
    if (this.#reader.reading.finishReason !== null) {
      this.#bodyEndNs = this.#options.clock.nowNs();
    }
    this.#finishAnswer('cut', false);
  }

  #finishAnswer(how: 'complete' | 'cut', reusable: boolean): void {
    if (this.#reader.state !== 'failed') this.#reader.end(how);
    const { failure, error } = this.#reader.reading;
    if (failure === null) this.#finish({ kind: 'completed' }, reusable);
    else this.#finish({ kind: 'failed', failure, error }, reusable);
  }

  #finishError(reusable: boolean): void {
    if (this.#errorHead === null) return;
    const { failure, retryAfterNs } = this.#errorHead;
    const context = { httpStatus: this.#httpStatus, retryAfterNs };
    const text = this.#errorBody.text();
    if (failure === 'contentType') {
      const body = parseObject(text);
      const announced = body === null ? null : announcedError(body);
      if (announced !== null) {
        this.#fail('serverError', serverErrorOf(announced, context), reusable);
        return;
      }
    }
    this.#fail(failure, serverErrorOf(text, context), reusable);
  }

  #fail(failure: FailureClass, error: ServerError | null = null, reusable = false): void {
    this.#finish({ kind: 'failed', failure, error }, reusable);
  }

  #finish(end: RequestEnd, reusable: boolean): void {
    this.#settled = true;
    this.#disarmDeadline();
    this.#disarmGrace();
    const { reading } = this.#reader;
    const completed = end.kind === 'completed';
    this.#settle(
      {
        dispatchedNs: this.#dispatchedNs,
        timeline: this.#timeline(reading),
        end,
        httpStatus: this.#httpStatus,
        queueNs: reading.queueNs ?? this.#queueNs,
        checks: completed ? runAnswerTests(this.#options.tests, reading.text ?? '') : [],
      },
      reusable,
    );
  }

  #timeline(reading: AnswerReading): Timeline {
    const { terminalNs, output, usage, draft, finishReason, commentCount } = reading;
    return {
      ...this.#connectionFacts(),
      writtenNs: this.#writtenNs,
      firstByteNs: this.#connection.firstReadNs,
      firstEventNs: reading.firstEventNs,
      lastChoicesEventNs: reading.lastChoicesEventNs,
      usageAtNs: reading.usageAtNs,
      finishNs: reading.finishNs,
      terminalNs,
      doneNs: terminalNs ?? this.#bodyEndNs,
      bodyEndNs: this.#bodyEndNs,
      output,
      usage,
      draft,
      finishReason,
      limits: this.#limits,
      commentCount,
      bodyBytes: this.#bodyBytes,
      notes: [...reading.notes, ...this.#notes],
    };
  }

  #connectionFacts(): Pick<Timeline, 'connectedNs' | 'tlsDoneNs' | 'reused' | 'peer'> {
    const { opened } = this.#connection;
    if (opened === null) {
      return { connectedNs: this.#connectedOnlyNs, tlsDoneNs: null, reused: null, peer: null };
    }
    const reused = opened.connectedNs < this.#dispatchedNs;
    return {
      connectedNs: reused ? null : opened.connectedNs,
      tlsDoneNs: reused ? null : opened.tlsDoneNs,
      reused,
      peer: opened.peer,
    };
  }
}
