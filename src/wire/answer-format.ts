/** How a dialect's answers are read: a framing, and what each message means. */
import { parseObject, type JsonObject } from './json-object.ts';
import type { ReaderOptions } from './dialect.ts';
import type { EventDecoder, FramingLimits, StreamMessage } from './event-decoder.ts';
import type { ReadingState, ReadStamp } from './reading-state.ts';
import { announcedError } from './server-error.ts';

/** Reads one message of a stream into the state it was made with. */
export type ReadMessage = (message: StreamMessage, stamp: ReadStamp) => void;

/** Reads one JSON object, of a stream or of a whole body, into the state it was made with. */
export type ReadObject = (object: JsonObject, stamp: ReadStamp, event: string | null) => void;

export interface AnswerFormat {
  framing(limits: FramingLimits): EventDecoder;
  /**
   * What says that a streamed answer is whole: a mark of its own after the finish reason, the
   * finish reason, or, where the dialect has neither for sure, nothing but the body's end.
   */
  readonly ends: 'mark' | 'finish' | 'body';
  message(state: ReadingState, options: ReaderOptions): ReadMessage;
  /** Of an answer that came as one body. */
  body(state: ReadingState, options: ReaderOptions): ReadObject;
}

const END_MARK = '[DONE]';

/**
 * Messages that hold JSON objects. An `error` event and an announced error are failures, empty data
 * is nothing, and `[DONE]` is the end mark, in every dialect. A stray object is only an error or
 * nothing.
 */
export function jsonMessages(state: ReadingState, read: ReadObject): ReadMessage {
  return (message, stamp) => {
    const { event, isStray, object: known } = message;
    if (known !== undefined && event !== 'error') {
      state.sawEvent(stamp.atNs);
      readObject(state, read, known, stamp, event);
      return;
    }
    const { data } = message;
    if (isStray) {
      readObject(state, () => {}, parseObject(data) ?? {}, stamp);
      return;
    }
    if (event === 'error') {
      state.sawEvent(stamp.atNs);
      state.failByServer(data);
      return;
    }
    if (data === '') return;
    state.sawEvent(stamp.atNs);
    if (data.trim() === END_MARK) {
      state.sawTerminal(stamp.atNs);
      return;
    }
    const object = parseObject(data);
    if (object === null) state.fail('json');
    else readObject(state, read, object, stamp, event);
  };
}

/** Reads an object, and first the error it may announce: that is alike in every dialect. */
export function readObject(
  state: ReadingState,
  read: ReadObject,
  object: JsonObject,
  stamp: ReadStamp,
  event: string | null = null,
): void {
  const error = announcedError(object);
  if (error !== null) state.failByServer(error);
  read(object, stamp, event);
}
