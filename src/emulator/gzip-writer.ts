import type { ServerResponse } from 'node:http';
import { createGzip, gzipSync, type Gzip } from 'node:zlib';
import { BODY_HEAD, streamHead, type AnswerWriter } from './answer-writer.ts';

/** Compresses an answer although nobody asked for it. */
export class GzipWriter implements AnswerWriter {
  readonly #response: ServerResponse;
  #gzip: Gzip | null = null;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  open(mediaType: string): void {
    this.#response.writeHead(200, { ...streamHead(mediaType), 'content-encoding': 'gzip' });
    this.#response.flushHeaders();
    this.#gzip = createGzip();
    this.#gzip.pipe(this.#response);
  }

  write(events: string): void {
    this.#gzip?.write(events);
    this.#gzip?.flush();
  }

  end(events: string, afterFinish: string): void {
    this.#gzip?.end(events + afterFinish);
  }

  whole(body: string): void {
    if (this.#response.destroyed) return;
    this.#response.writeHead(200, { ...BODY_HEAD, 'content-encoding': 'gzip' });
    this.#response.end(gzipSync(body));
  }
}
