/** Readers of one answer, streamed or in one body, for any {@link AnswerFormat}. */
import {
  readObject,
  type AnswerFormat,
  type ReadMessage,
  type ReadObject,
} from './answer-format.ts';
import type { AnswerReader, AnswerReading, ReaderOptions, ReaderState } from './dialect.ts';
import type { EventDecoder, StreamMessage } from './event-decoder.ts';
import { EventShortcut } from './event-shortcut.ts';
import { parseObject } from './json-object.ts';
import { ReadingState, type ReadStamp } from './reading-state.ts';

/** A reader for one answer in this format. */
export function createAnswerReader(format: AnswerFormat, options: ReaderOptions): AnswerReader {
  return options.stream ? new StreamReader(format, options) : new BodyReader(format, options);
}

class StreamReader implements AnswerReader {
  readonly #ends: AnswerFormat['ends'];
  readonly #decoder: EventDecoder;
  readonly #state: ReadingState;
  readonly #read: ReadMessage;
  readonly #shortcut: EventShortcut;
  /** Of the read that is being read. */
  readonly #stamp = { atNs: 0, readId: 0 };
  /** Messages that the decoder found in the piece at hand, and the last of them. */
  #found = 0;
  #last: StreamMessage | null = null;

  readonly #take = (message: StreamMessage): boolean => {
    this.#found += 1;
    this.#last = message;
    this.#read(message, this.#stamp);
    return this.state === 'open';
  };

  constructor(format: AnswerFormat, options: ReaderOptions) {
    this.#ends = format.ends;
    this.#decoder = format.framing(options);
    this.#state = new ReadingState(options);
    this.#read = format.message(this.#state, options);
    this.#shortcut = new EventShortcut(options);
  }

  get state(): ReaderState {
    return this.#state.failed ? 'failed' : this.#state.terminalSeen ? 'ended' : 'open';
  }

  get reading(): AnswerReading {
    return this.#state.reading(this.#decoder.commentCount);
  }

  push(bytes: Uint8Array, atNs: number, readId: number, from = 0, to = bytes.length): ReaderState {
    if (this.state !== 'open') return this.state;
    this.#stamp.atNs = atNs;
    this.#stamp.readId = readId;
    const at = this.#decoder.between ? this.#readKnown(bytes, from, to) : from;
    if (at < to && this.state === 'open') this.#decode(bytes.subarray(at, to));
    return this.state;
  }

  /** Events that are like the one before. Returns where the first other one begins. */
  #readKnown(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to) {
      const end = this.#shortcut.match(bytes, at, to);
      if (end === -1) return at;
      at = end;
      this.#read(this.#shortcut.message as StreamMessage, this.#stamp);
      if (this.state !== 'open') return at;
    }
    return at;
  }

  #decode(bytes: Uint8Array): void {
    const decoder = this.#decoder;
    const learns = this.#shortcut.learns && decoder.between;
    const { commentCount, unknownFieldCount } = decoder;
    this.#found = 0;
    decoder.push(bytes, this.#take);
    if (decoder.failure !== null) this.#state.fail(decoder.failure);
    // Only a piece that was one event and nothing else shows what an event looks like.
    const isOneEvent =
      this.#found === 1 &&
      decoder.between &&
      decoder.commentCount === commentCount &&
      decoder.unknownFieldCount === unknownFieldCount;
    if (learns && isOneEvent) this.#shortcut.learn(bytes, this.#last as StreamMessage);
    this.#last = null;
  }

  end(how: 'complete' | 'cut'): void {
    const state = this.#state;
    if (how === 'complete' && this.state === 'open') {
      this.#decoder.end(this.#take);
      if (this.#decoder.failure !== null) state.fail(this.#decoder.failure);
    }
    if (this.#decoder.unknownFieldCount > 0) state.note('unknownFields');
    state.settle();
    if (state.failed) return;
    if (!state.terminalSeen && this.#decoder.unterminated) state.note('unterminatedEvent');
    if (!this.#isWhole(how)) {
      state.fail('truncated');
      return;
    }
    if (how === 'cut') state.note(state.terminalSeen ? 'resetAfterTerminal' : 'resetAfterFinish');
    else if (!state.terminalSeen && this.#ends === 'mark') state.note('noTerminal');
    readNoFinish(state, this.#ends, this.#stamp);
    if (!state.hasOutput) state.fail('empty');
  }

  #isWhole(how: 'complete' | 'cut'): boolean {
    if (this.#state.terminalSeen || this.#state.finishSeen) return true;
    return this.#ends === 'body' && how === 'complete' && !this.#decoder.unterminated;
  }
}

/**
 * Where an API does not tell why an answer ended, the reason is `other`, so that an objective can
 * allow it; where it should have told, there is none.
 */
function readNoFinish(state: ReadingState, ends: AnswerFormat['ends'], { atNs }: ReadStamp): void {
  if (state.finishSeen) return;
  state.note('noFinishReason');
  if (ends === 'body' && state.hasOutput) state.sawFinish('other', atNs);
}

/** One JSON body. Its content is one output event at the body's last read. */
class BodyReader implements AnswerReader {
  readonly #ends: AnswerFormat['ends'];
  readonly #state: ReadingState;
  readonly #read: ReadObject;
  readonly #pieces: Uint8Array[] = [];
  #lastRead: ReadStamp = { atNs: 0, readId: 0 };

  constructor(format: AnswerFormat, options: ReaderOptions) {
    this.#ends = format.ends;
    this.#state = new ReadingState(options);
    this.#read = format.body(this.#state, options);
  }

  get state(): ReaderState {
    return this.#state.failed ? 'failed' : 'open';
  }

  get reading(): AnswerReading {
    return this.#state.reading(0);
  }

  push(bytes: Uint8Array, atNs: number, readId: number, from = 0, to = bytes.length): ReaderState {
    // Not `slice`, which does not copy a Buffer: a transport may read into the same memory again.
    this.#pieces.push(new Uint8Array(bytes.subarray(from, to)));
    this.#lastRead = { atNs, readId };
    return this.state;
  }

  end(how: 'complete' | 'cut'): void {
    const state = this.#state;
    if (how === 'cut') {
      state.fail('truncated');
      return;
    }
    const text = this.#decoded();
    if (text === null) {
      state.fail('utf8');
      return;
    }
    const body = parseObject(text);
    if (body === null) {
      state.fail(text.trim() === '' ? 'empty' : 'json');
      return;
    }
    state.sawEvent(this.#lastRead.atNs);
    readObject(state, this.#read, body, this.#lastRead);
    state.settle();
    readNoFinish(state, this.#ends, this.#lastRead);
    if (!state.hasOutput) state.fail('empty');
  }

  #decoded(): string | null {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(this.#pieces));
    } catch {
      return null;
    }
  }
}
