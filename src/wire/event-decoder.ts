/** What every framing of a streamed body gives: messages, one at a time, however the bytes are cut. */

import type { JsonObject } from './json-object.ts';

/** One message of a stream. */
export interface StreamMessage {
  /**
   * Name the framing gave it (`event:` of SSE, the event type of an AWS frame); `null` where there
   * is none. `error` means the same in every framing.
   */
  readonly event: string | null;
  /** Its content as text; may be empty. */
  readonly data: string;
  /** A JSON object found outside the framing: nothing but an error body is looked for in it. */
  readonly isStray: boolean;
  /** What {@link data} holds, where that is known without parsing it. Good until the next message. */
  readonly object?: JsonObject;
}

/** Takes a message and says whether another is wanted. */
export type TakeMessage = (message: StreamMessage) => boolean;

/** Why a stream cannot be read on. `json`: the framing itself is JSON and is broken. */
export type FramingFailure = 'utf8' | 'lineLimit' | 'json' | 'protocol';

export interface FramingLimits {
  /** Most bytes of one line, value or frame. */
  readonly lineBytes: number;
}

/**
 * Decodes one response. The messages are the same for every way to cut the bytes into pieces, and
 * after a failure nothing more is read.
 */
export interface EventDecoder {
  readonly failure: FramingFailure | null;
  /** Comments so far (keep-alives). */
  readonly commentCount: number;
  /** Lines that the framing does not know. They are ignored. */
  readonly unknownFieldCount: number;
  /** Whether bytes are left of a message that was not completed. Says nothing after a failure. */
  readonly unterminated: boolean;
  /** Whether the next byte begins a message, and nothing read so far has any bearing on it. */
  readonly between: boolean;
  /**
   * Reads the next piece and hands over the messages it completed, until one is not wanted any
   * more: from there on nothing is read or counted, so that no cut can tell.
   */
  push(piece: Uint8Array, take: TakeMessage): void;
  /** The stream is over: what is left may still be a message. */
  end(take: TakeMessage): void;
}
