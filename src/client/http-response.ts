/**
 * Reads HTTP/1.1 responses from bytes, sans-I/O, as strictly as a recipient that must not guess:
 * where two readers could disagree about what a response is, it is refused.
 * Source: RFC 9112.
 */
import type { ResponseHeaders } from './response-head.ts';

/** What a response is made of, in order. */
export interface ResponseSink {
  head(status: number, headers: ResponseHeaders): void;
  /** The bytes `from` … `to` of what was pushed, good until the call returns. */
  body(memory: Buffer, from: number, to: number): void;
  /** The response is whole. */
  complete(): void;
  /** It is no HTTP response, or an ambiguous one. Nothing is read on. */
  malformed(reason: string): void;
}

/** Names and values of one head, or of the trailers. */
export const MOST_HEADER_BYTES = 16_384;
/** The bytes that hold them, blanks and line ends included. */
const MOST_LINE_BYTES = 2 * MOST_HEADER_BYTES;

const LF = 10;
const CR = 13;
const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const HEADER_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;
const CHUNK_LINE = /^([0-9a-fA-F]{1,12})(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?$/;

/** Starts of lines that may still become good ones. What cannot is refused without waiting for its end. */
const BEGUN = {
  status:
    /^(?:\r?|H|HT|HTT|HTTP|HTTP\/|HTTP\/1|HTTP\/1\.|HTTP\/1\.[01](?: (?:\d{0,2}|\d{3}(?: [\t\x20-\x7e\x80-\xff]*)?\r?))?)$/,
  header: /^(?:\r|[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?::[\t\x20-\x7e\x80-\xff]*\r?)?)$/,
  chunkSize: /^[0-9a-fA-F]{1,12}(?:[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?)\r?$/,
  chunkEnd: /^\r$/,
};
const NO_BYTES = new Uint8Array(0);

/** What comes next. `over`: nothing is read any more. */
type Expecting =
  | 'status'
  | 'header'
  | 'chunkSize'
  | 'chunkData'
  | 'chunkEnd'
  | 'trailer'
  | 'length'
  | 'close'
  | 'over';

/** Reads one response after the other, each after {@link begin}. */
export class HttpResponseReader {
  readonly #sink: ResponseSink;
  #expecting: Expecting = 'over';
  /** Bytes still to come of a chunk or of a body with a length. */
  #remaining = 0;
  /** The line that earlier pieces began. */
  #held = NO_BYTES;
  #headerBytes = 0;
  #status = 0;
  #minor = 1;
  #headers: Record<string, string | string[]> = {};
  #reusable = false;
  #keepAliveSeconds: number | null = null;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  /** Whether the connection is fit for another request, once the response is complete. */
  get reusable(): boolean {
    return this.#reusable;
  }

  /** How long the server keeps the connection open when idle; `null` when it did not say. */
  get keepAliveSeconds(): number | null {
    return this.#keepAliveSeconds;
  }

  /** Expects a response. */
  begin(): void {
    this.#expecting = 'status';
    this.#held = NO_BYTES;
    this.#reusable = false;
    this.#keepAliveSeconds = null;
  }

  /** Whatever comes is not wanted any more. */
  abandon(): void {
    this.#expecting = 'over';
  }

  /** Reads the first `length` bytes of `memory`. */
  push(memory: Buffer, length = memory.length): void {
    let at = 0;
    while (at < length && this.#expecting !== 'over') {
      switch (this.#expecting) {
        case 'chunkSize':
          at = this.#chunkSize(memory, at, length);
          break;
        case 'chunkData':
        case 'length':
          at = this.#counted(memory, at, length);
          break;
        case 'close':
          this.#sink.body(memory, at, length);
          return;
        case 'chunkEnd':
        case 'status':
        case 'header':
        case 'trailer':
          at = this.#line(memory, at, length);
      }
    }
  }

  /** The connection is over. Returns whether that ended a response as it may end. */
  end(): 'complete' | 'cut' {
    const isWhole = this.#expecting === 'close';
    this.#expecting = 'over';
    return isWhole ? 'complete' : 'cut';
  }

  /** A size line as nearly all are, whole and without extension, is read where it is. */
  #chunkSize(memory: Buffer, from: number, length: number): number {
    if (this.#held.length > 0) return this.#line(memory, from, length);
    let size = 0;
    let at = from;
    for (; at < length && at - from <= 8; at += 1) {
      const digit = hexDigit(memory[at] as number);
      if (digit === -1) break;
      size = size * 16 + digit;
    }
    if (at === from || !endsLine(memory, at, length)) return this.#line(memory, from, length);
    this.#sized(size);
    return at + 2;
  }

  #sized(size: number): void {
    this.#remaining = size;
    this.#headerBytes = 0;
    this.#expecting = size === 0 ? 'trailer' : 'chunkData';
  }

  /** Bytes of a chunk, or of a body with a length. */
  #counted(memory: Buffer, from: number, length: number): number {
    const to = Math.min(length, from + this.#remaining);
    this.#remaining -= to - from;
    const isChunk = this.#expecting === 'chunkData';
    const isDone = this.#remaining === 0;
    if (isDone && isChunk) this.#expecting = 'chunkEnd';
    this.#sink.body(memory, from, to);
    if (isDone && !isChunk && this.#expecting !== 'over') this.#complete(to < length);
    else if (isDone && isChunk && endsLine(memory, to, length)) {
      // The usual end of a chunk, in the same piece.
      if (this.#expecting === 'chunkEnd') this.#expecting = 'chunkSize';
      return to + 2;
    }
    return to;
  }

  /** Finds the end of the line that begins at `from`, or keeps what there is of it. */
  #line(memory: Buffer, from: number, length: number): number {
    const bytes = memory.subarray(0, length);
    const lineEnd = bytes.indexOf(LF, from);
    const to = lineEnd === -1 ? length : lineEnd + 1;
    if (this.#headerBytes + this.#held.length + to - from > MOST_LINE_BYTES) {
      this.#fail('a head or line that is too long');
      return to;
    }
    let line: Uint8Array = bytes.subarray(from, to);
    if (this.#held.length > 0) line = Buffer.concat([this.#held, line]);
    if (lineEnd === -1) {
      this.#held = new Uint8Array(line);
      if (!this.#mayBecomeLine(latin1(line))) this.#fail('a line that is none');
      return to;
    }
    this.#held = NO_BYTES;
    if (line.length < 2 || line[line.length - 2] !== CR) {
      // A bare LF before the status line is skipped, as a blank line is.
      if (this.#expecting !== 'status' || line.length !== 1) this.#fail('a line without CR LF');
      return to;
    }
    this.#take(latin1(line.subarray(0, -2)), to < length);
    return to;
  }

  #mayBecomeLine(begun: string): boolean {
    switch (this.#expecting) {
      case 'status':
      case 'chunkSize':
      case 'chunkEnd':
        return BEGUN[this.#expecting].test(begun);
      default:
        return BEGUN.header.test(begun);
    }
  }

  #take(line: string, more: boolean): void {
    switch (this.#expecting) {
      case 'status':
        if (line !== '') this.#statusLine(line);
        return;
      case 'header':
        if (line === '') this.#headDone(more);
        else this.#headerLine(line, this.#headers);
        return;
      case 'trailer':
        if (line === '') this.#complete(more);
        else this.#headerLine(line, {});
        return;
      case 'chunkEnd':
        if (line === '') this.#expecting = 'chunkSize';
        else this.#fail('a chunk longer than its size');
        return;
      default: {
        const size = CHUNK_LINE.exec(line)?.[1];
        if (size === undefined) this.#fail('a chunk size that is none');
        else this.#sized(Number.parseInt(size, 16));
      }
    }
  }

  #statusLine(line: string): void {
    const [, minor, status] = STATUS_LINE.exec(line) ?? [];
    if (status === undefined) {
      this.#fail('a status line that is none');
      return;
    }
    this.#minor = Number(minor);
    this.#status = Number(status);
    this.#headers = {};
    this.#headerBytes = 0;
    this.#expecting = 'header';
  }

  #headerLine(line: string, headers: Record<string, string | string[]>): void {
    const [, name, value] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      this.#fail('a header that is none');
      return;
    }
    this.#headerBytes += name.length + value.length;
    if (this.#headerBytes >= MOST_HEADER_BYTES) this.#fail('a head that is too long');
    else addHeader(headers, name.toLowerCase(), value.trimEnd());
  }

  /** Decides how long the body is. Source: RFC 9112, 6.3. */
  #headDone(more: boolean): void {
    const status = this.#status;
    const headers = this.#headers;
    const coding = listOf(headers['transfer-encoding']);
    const length = headers['content-length'];
    if (status === 101) this.#fail('another protocol');
    else if (length !== undefined && coding.length > 0) this.#fail('a length beside a coding');
    else if (length !== undefined && !isLength(length)) this.#fail('a length that is none');
    else if (status < 200) this.#expecting = 'status';
    else {
      const isChunked = coding.at(-1) === 'chunked';
      const isEmpty = status === 204 || status === 304 || length === '0';
      const ends = isChunked ? 'chunkSize' : length === undefined ? 'close' : 'length';
      this.#expecting = ends;
      this.#remaining = Number(length ?? 0);
      this.#headerBytes = 0;
      this.#keepAlive(headers, isEmpty || ends !== 'close');
      this.#sink.head(status, headers);
      if (isEmpty && (this.#expecting as Expecting) !== 'over') this.#complete(more);
    }
  }

  #keepAlive(headers: ResponseHeaders, endsByItself: boolean): void {
    const options = listOf(headers['connection']);
    const isKept = this.#minor === 1 ? !options.includes('close') : options.includes('keep-alive');
    this.#reusable = endsByItself && isKept;
    const seconds = /(?:^|[,;\s])timeout=(\d{1,6})/i.exec(String(headers['keep-alive'] ?? ''))?.[1];
    this.#keepAliveSeconds = seconds === undefined ? null : Number(seconds);
  }

  /** Bytes behind a response that nobody asked for make the connection unfit for another. */
  #complete(more: boolean): void {
    this.#expecting = 'over';
    if (more) this.#reusable = false;
    this.#sink.complete();
  }

  #fail(reason: string): void {
    this.#expecting = 'over';
    this.#reusable = false;
    this.#sink.malformed(reason);
  }
}

function addHeader(headers: Record<string, string | string[]>, name: string, value: string): void {
  const known = Object.hasOwn(headers, name) ? headers[name] : undefined;
  const all = known === undefined ? value : [known, value].flat();
  // Defined, so that a header named `__proto__` is only a header.
  Object.defineProperty(headers, name, {
    value: all,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

/** Members of a comma-separated header, lower case. */
function listOf(value: string | readonly string[] | undefined): string[] {
  return [value ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '');
}

/** One whole number that a double holds; a length told twice is none. */
function isLength(value: string | readonly string[]): boolean {
  return typeof value === 'string' && /^\d{1,15}$/.test(value);
}

/** Whether CR LF is at `at`, before the end of what was read. */
function endsLine(memory: Buffer, at: number, length: number): boolean {
  return at + 1 < length && memory[at] === CR && memory[at + 1] === LF;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
