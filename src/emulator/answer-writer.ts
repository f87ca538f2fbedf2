import type { ServerResponse } from 'node:http';

/** How an answer gets onto the wire. After the client has gone, nothing happens any more. */
export interface AnswerWriter {
  /** The head of a stream. */
  open(mediaType: string): void;
  /** Events that leave together, before this returns. */
  write(events: string): void;
  /** The last events, those after the finish reason apart; the stream is complete. */
  end(events: string, afterFinish: string): void;
  /** An answer that is not streamed. */
  whole(body: string): void;
}

export function streamHead(mediaType: string) {
  return { 'content-type': mediaType, 'cache-control': 'no-cache' } as const;
}

export const BODY_HEAD = { 'content-type': 'application/json' } as const;

/** Writes what it is given as soon as it can. */
export class PlainWriter implements AnswerWriter {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  open(mediaType: string): void {
    this.#response.writeHead(200, streamHead(mediaType));
    this.#response.flushHeaders();
  }

  /**
   * Left to `node:http` the text would be held back until the end of the event loop's turn, so that
   * in a step of many streams every logged instant would be too early; and framed by hand it is one
   * write in place of three, a quarter of the cost of a chunk.
   */
  write(events: string): void {
    const { socket, chunkedEncoding } = this.#response;
    if (socket !== null && chunkedEncoding) {
      socket.write(`${Buffer.byteLength(events).toString(16)}\r\n${events}\r\n`);
    } else if (!this.#response.destroyed) {
      this.#response.write(events);
    }
  }

  /** A piece of the stream that need not be whole characters. */
  protected send(bytes: Uint8Array): void {
    if (!this.#response.destroyed) this.#response.write(bytes);
  }

  end(events: string, afterFinish: string): void {
    if (!this.#response.destroyed) this.#response.end(events + afterFinish);
  }

  whole(body: string): void {
    if (this.#response.destroyed) return;
    this.#response.writeHead(200, BODY_HEAD);
    this.#response.end(body);
  }
}
