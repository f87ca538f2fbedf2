import type { ServerResponse } from 'node:http';
import { createGzip, gzipSync, type Gzip } from 'node:zlib';
import { BODY_HEAD, STREAM_HEAD, type AnswerWriter } from './answer-writer.ts';

/** Compresses an answer although nobody asked for it. */
export class GzipWriter implements AnswerWriter {
  readonly #response: ServerResponse;
  #gzip: Gzip | null = null;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  open(): void {
    this.#response.writeHead(200, { ...STREAM_HEAD, 'content-encoding': 'gzip' });
    this.#response.flushHeaders();
    this.#gzip = createGzip();
    this.#gzip.pipe(this.#response);
  }

  write(events: string): void {
    this.#gzip?.write(events);
    this.#gzip?.flush();
  }

  end(events: string): void {
    this.#gzip?.end(events);
  }

  whole(body: string): void {
    if (this.#response.destroyed) return;
    this.#response.writeHead(200, { ...BODY_HEAD, 'content-encoding': 'gzip' });
    this.#response.end(gzipSync(body));
  }
}
