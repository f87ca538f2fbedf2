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
import type { AnswerBacklog } from './answer-backlog.ts';
import { runAnswerTests, type AnswerTest } from './answer-tests.ts';
import { BoundedText } from './bounded-text.ts';
import type { ReadingQueue, WaitingAnswer } from './reading-queue.ts';
import { judgeHead, queueMsOf, retryAfterOf, type ResponseHeaders } from './response-head.ts';
import { toldLimits } from './told-limits.ts';
import type { Connection, ResponseHandler, TransportFault } from './transport.ts';

export interface ExchangeOptions {
  readonly clock: Clock;
  readonly queue: ReadingQueue;
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
 * A piece that differs by more in length from the one before, or in how it ends, may be no mere
 * output but the end mark: it is read soon. A body may stay open after that, and whoever waits for
 * the answer must not.
 */
const ALIKE_BYTES = 64;
/** Behind the values of an event: its closing brackets and line ends. */
const TAIL_BYTES = 4;

/**
 * Takes the events of the HTTP layer and settles exactly once: by the answer's end, a failure, the
 * deadline or the run's cancellation, whichever is first. Later events are ignored.
 *
 * The body is read some time after it came, see {@link ReadingQueue}, but before anything else that
 * happens to the answer is judged: what comes of it is what reading at once would have made of it.
 */
export class Exchange implements ResponseHandler, WaitingAnswer {
  readonly #options: ExchangeOptions;
  readonly #request: OutgoingRequest;
  readonly #connection: Connection;
  readonly #reader: AnswerReader;
  readonly #dispatchedNs: number;
  readonly #settle: (result: SendResult, reusable: boolean) => void;
  readonly #disarmDeadline: () => void;
  #disarmGrace: () => void = () => {};
  /** What came of the answer and is not read; `null` before the first of it. */
  #backlog: AnswerBacklog | null = null;
  #pieceBytes = 0;
  #pieceTail = 0;
  /** After this the body is not waited for any more; `null` before the end mark was read. */
  #graceEndNs: number | null = null;

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
    this.readWaiting();
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

  onBody(memory: Buffer, from: number, to: number, atNs: number, readId: number): void {
    if (this.#settled) return;
    this.#bodyBytes += to - from;
    if (this.#errorHead !== null) {
      this.#errorBody.add(memory.subarray(from, to));
      if (this.#errorBody.full) this.#finishError(false);
      return;
    }
    if (this.#graceEndNs !== null) return;
    const isAlike = this.#isLikeLast(memory, from, to);
    const { queue, responseBytes } = this.#options;
    this.#backlog ??= queue.join(this);
    if (!this.#backlog.add(memory, from, to, atNs, readId)) {
      this.#readNow(memory, from, to, atNs, readId);
    } else if (this.#bodyBytes > responseBytes) this.readWaiting();
    else if (!isAlike || this.#backlog.isNearlyFull) queue.hurry(this);
    const isOpen = !this.#settled && this.#graceEndNs === null;
    if (isOpen && this.#bodyBytes > responseBytes) this.#fail('bodyLimit');
  }

  #isLikeLast(memory: Buffer, from: number, to: number): boolean {
    const bytes = to - from;
    const tail = bytes < TAIL_BYTES ? 0 : memory.readInt32LE(to - TAIL_BYTES);
    const isAlike = tail === this.#pieceTail && Math.abs(bytes - this.#pieceBytes) <= ALIKE_BYTES;
    this.#pieceBytes = bytes;
    this.#pieceTail = tail;
    return isAlike;
  }

  readWaiting(): void {
    this.#readBacklog(0);
  }

  /** What came after the answer has failed, `laterBytes` among it, is no part of it. */
  #readBacklog(laterBytes: number): void {
    if (this.#backlog === null || this.#backlog.isEmpty) return;
    const unreadBytes = this.#backlog.readInto(this.#reader);
    if (this.#reader.state === 'failed') this.#bodyBytes -= unreadBytes + laterBytes;
    this.#afterReading();
  }

  /** A piece for which there was no room. */
  #readNow(memory: Buffer, from: number, to: number, atNs: number, readId: number): void {
    this.#readBacklog(to - from);
    if (this.#settled || this.#graceEndNs !== null) return;
    this.#reader.push(memory, atNs, readId, from, to);
    this.#afterReading();
  }

  #afterReading(): void {
    const { state } = this.#reader;
    if (state === 'failed') this.#finishAnswer('complete', false);
    else if (state === 'ended' && this.#graceEndNs === null) this.#awaitBodyEnd();
  }

  onEnd(atNs: number): void {
    this.readWaiting();
    if (this.#settled) return;
    if (this.#graceEndNs !== null && atNs > this.#graceEndNs) {
      this.#leaveBody();
      return;
    }
    this.#bodyEndNs = atNs;
    if (this.#errorHead === null) this.#finishAnswer('complete', true);
    else this.#finishError(true);
  }

  onFault(fault: TransportFault): void {
    this.readWaiting();
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
    const { terminalNs } = this.#reader.reading;
    this.#graceEndNs = (terminalNs as number) + terminalGraceNs;
    this.#disarmGrace = clock.at(this.#graceEndNs, () => this.#leaveBody());
  }

  /** Its time is over. */
  #leaveBody(): void {
    if (this.#settled) return;
    this.#notes.push('openAfterTerminal');
    this.#finishAnswer('complete', false);
  }

  #onDeadline(): void {
    this.readWaiting();
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
    if (this.#backlog !== null) this.#options.queue.leave(this, this.#backlog);
    this.#backlog = null;
    const { reading } = this.#reader;
    const completed = end.kind === 'completed';
    if (completed) this.#request.onText?.(reading.text ?? '');
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
      local: null,
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
