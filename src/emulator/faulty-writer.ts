import type { ServerResponse } from 'node:http';
import { createGzip, gzipSync, type Gzip } from 'node:zlib';
import { errorBody } from '../wire/index.ts';
import { BODY_HEAD, PlainWriter, STREAM_HEAD, type AnswerWriter } from './answer-writer.ts';
import type { FaultKind } from './fault.ts';

const EVENTS_BEFORE = 2;
const BUNCH_WRITES = 8;
const STALL_MS = 2_000;
/** So that what was sent before a reset has arrived. */
const RESET_MS = 20;

const ERROR = { message: 'The engine died.', type: 'internal_server_error', code: null } as const;

/**
 * The writer of an answer that meets a fault. `abandon` tells the server to stop generating what
 * nobody will get.
 */
export function faultyWriter(
  kind: FaultKind | null,
  response: ServerResponse,
  abandon: () => void,
): AnswerWriter {
  switch (kind) {
    case 'splitReads':
      return new SplittingWriter(response);
    case 'bunching':
      return new BunchingWriter(response);
    case 'stall':
      return new StallingWriter(response);
    case 'gzip':
      return new GzipWriter(response);
    case 'reset':
    case 'missingTerminator':
    case 'errorEvent':
      return new BreakingWriter(kind, response, abandon);
    default:
      return new PlainWriter(response);
  }
}

/** Sends half of what it is given, and the rest when the event loop comes round. */
class SplittingWriter extends PlainWriter {
  #rest = '';
  #isEnd = false;

  override write(events: string): void {
    this.#sendRest();
    const half = Math.ceil(events.length / 2);
    this.#rest = events.slice(half);
    super.write(events.slice(0, half));
    setImmediate(() => this.#sendRest());
  }

  override end(events: string): void {
    this.write(events);
    this.#isEnd = true;
  }

  #sendRest(): void {
    const rest = this.#rest;
    this.#rest = '';
    if (this.#isEnd) super.end(rest);
    else if (rest !== '') super.write(rest);
  }
}

class BunchingWriter extends PlainWriter {
  #held = '';
  #writes = 0;

  override write(events: string): void {
    this.#held += events;
    this.#writes += 1;
    if (this.#writes % BUNCH_WRITES !== 0) return;
    super.write(this.#held);
    this.#held = '';
  }

  override end(events: string): void {
    super.end(this.#held + events);
  }
}

class StallingWriter extends PlainWriter {
  #writes = 0;
  /** What waits for the end of the stall; null before and after it. */
  #held: (() => void)[] | null = null;

  override write(events: string): void {
    this.#writes += 1;
    this.#when(() => super.write(events));
  }

  override end(events: string): void {
    this.#writes += 1;
    this.#when(() => super.end(events));
  }

  override whole(body: string): void {
    this.#writes = EVENTS_BEFORE + 1;
    this.#when(() => super.whole(body));
  }

  #when(send: () => void): void {
    if (this.#held !== null) {
      this.#held.push(send);
    } else if (this.#writes === EVENTS_BEFORE + 1) {
      this.#held = [send];
      setTimeout(() => this.#release(), STALL_MS).unref();
    } else {
      send();
    }
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const send of held) send();
  }
}

class GzipWriter implements AnswerWriter {
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
    this.#response.writeHead(200, { ...BODY_HEAD, 'content-encoding': 'gzip' });
    this.#response.end(gzipSync(body));
  }
}

/** Breaks off: after two events (or at the end of a shorter answer), or just before the end. */
class BreakingWriter extends PlainWriter {
  readonly #kind: 'reset' | 'missingTerminator' | 'errorEvent';
  readonly #response: ServerResponse;
  readonly #abandon: () => void;
  #writes = 0;
  #isBroken = false;

  constructor(
    kind: 'reset' | 'missingTerminator' | 'errorEvent',
    response: ServerResponse,
    abandon: () => void,
  ) {
    super(response);
    this.#kind = kind;
    this.#response = response;
    this.#abandon = abandon;
  }

  override write(events: string): void {
    this.#writes += 1;
    if (this.#kind === 'missingTerminator' || this.#writes <= EVENTS_BEFORE) super.write(events);
    else this.#break();
  }

  override end(): void {
    this.#break();
  }

  override whole(body: string): void {
    if (this.#kind === 'missingTerminator') {
      this.#response.writeHead(200, {
        ...BODY_HEAD,
        'content-length': Buffer.byteLength(body) + 1,
      });
      this.#response.write(body, () => this.#response.destroy());
    } else if (this.#kind === 'errorEvent') {
      this.#response.writeHead(500, BODY_HEAD);
      this.#response.end(errorBody(ERROR));
    } else {
      this.#response.socket?.resetAndDestroy();
    }
  }

  #break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#abandon();
    if (this.#kind === 'reset') {
      setTimeout(() => this.#response.socket?.resetAndDestroy(), RESET_MS).unref();
    } else {
      this.#response.end(this.#kind === 'errorEvent' ? `data: ${errorBody(ERROR)}\n\n` : '');
    }
  }
}
