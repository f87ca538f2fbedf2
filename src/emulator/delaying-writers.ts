/** Writers that lose nothing and let it through in another rhythm. */
import type { ServerResponse } from 'node:http';
import { NS_PER_MS } from '../base/index.ts';
import type { Fault } from '../faults/index.ts';
import { BODY_HEAD, PlainWriter } from './answer-writer.ts';

type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { readonly kind: Kind }>;

/** Never keeps a process alive. */
function after(ns: number, action: () => void): void {
  setTimeout(action, ns / NS_PER_MS).unref();
}

/** Sends one piece of what it has, and one more whenever the event loop comes round. */
export class SplittingWriter extends PlainWriter {
  readonly #pieceBytes: number | null;
  #rest: Uint8Array = new Uint8Array();
  #isEnd = false;
  #isArmed = false;

  constructor({ pieceBytes }: FaultOf<'splitReads'>, response: ServerResponse) {
    super(response);
    this.#pieceBytes = pieceBytes;
  }

  override write(events: string): void {
    this.#rest = Buffer.concat([this.#rest, Buffer.from(events)]);
    if (!this.#isArmed) this.#sendPiece(Math.ceil(this.#rest.length / 2));
  }

  override end(events: string, afterFinish = ''): void {
    this.#isEnd = true;
    this.write(events + afterFinish);
  }

  #sendPiece(defaultBytes: number): void {
    const bytes = this.#pieceBytes ?? defaultBytes;
    this.send(this.#rest.subarray(0, bytes));
    this.#rest = this.#rest.subarray(bytes);
    this.#isArmed = this.#rest.length > 0;
    if (this.#isArmed) setImmediate(() => this.#sendPiece(this.#rest.length));
    else if (this.#isEnd) super.end('', '');
  }
}

/** Gathers so many writes before it lets any through, or all of an interval. */
export class BunchingWriter extends PlainWriter {
  readonly #gather: FaultOf<'bunching'>['gather'];
  #held = '';
  #writes = 0;

  constructor({ gather }: FaultOf<'bunching'>, response: ServerResponse) {
    super(response);
    this.#gather = gather;
  }

  override write(events: string): void {
    const gather = this.#gather;
    if (gather.kind === 'interval' && this.#held === '') {
      after(gather.intervalNs, () => this.#release());
    }
    this.#held += events;
    this.#writes += 1;
    if (gather.kind === 'events' && this.#writes % gather.events === 0) this.#release();
  }

  override end(events: string, afterFinish: string): void {
    super.end(this.#held + events, afterFinish);
    this.#held = '';
  }

  #release(): void {
    const held = this.#held;
    this.#held = '';
    if (held !== '') super.write(held);
  }
}

/** Sends nothing for a while after so many events, then everything. */
export class StallingWriter extends PlainWriter {
  readonly #fault: FaultOf<'stall'>;
  #writes = 0;
  /** What waits for the end of the stall; null before and after it. */
  #held: (() => void)[] | null = null;

  constructor(fault: FaultOf<'stall'>, response: ServerResponse) {
    super(response);
    this.#fault = fault;
  }

  override write(events: string): void {
    this.#writes += 1;
    this.#when(() => super.write(events));
  }

  override end(events: string, afterFinish: string): void {
    this.#writes += 1;
    this.#when(() => super.end(events, afterFinish));
  }

  override whole(body: string): void {
    this.#writes = this.#fault.afterEvents + 1;
    this.#when(() => super.whole(body));
  }

  #when(send: () => void): void {
    if (this.#held !== null) {
      this.#held.push(send);
    } else if (this.#writes === this.#fault.afterEvents + 1) {
      this.#held = [send];
      after(this.#fault.forNs, () => this.#release());
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

/** How often a trickling body gets its next bytes. */
const TRICKLE_NS = 20 * NS_PER_MS;

/** Lets the body through at so many bytes per second, at least one at a time. */
export class TricklingWriter extends PlainWriter {
  readonly #response: ServerResponse;
  readonly #pieceBytes: number;
  readonly #pieceNs: number;
  #rest: Uint8Array = new Uint8Array();
  #isEnd = false;
  #isArmed = false;

  constructor({ bytesPerSecond }: FaultOf<'slowLoris'>, response: ServerResponse) {
    super(response);
    this.#response = response;
    this.#pieceBytes = Math.max(1, Math.round((bytesPerSecond * TRICKLE_NS) / 1e9));
    this.#pieceNs = (this.#pieceBytes / bytesPerSecond) * 1e9;
  }

  override write(events: string): void {
    this.#rest = Buffer.concat([this.#rest, Buffer.from(events)]);
    if (!this.#isArmed) this.#sendPiece();
  }

  override end(events: string, afterFinish = ''): void {
    this.#isEnd = true;
    this.write(events + afterFinish);
  }

  override whole(body: string): void {
    if (this.#response.destroyed) return;
    this.#response.writeHead(200, BODY_HEAD);
    this.end(body);
  }

  #sendPiece(): void {
    this.send(this.#rest.subarray(0, this.#pieceBytes));
    this.#rest = this.#rest.subarray(this.#pieceBytes);
    this.#isArmed = this.#rest.length > 0 && !this.#response.destroyed;
    if (this.#isArmed) after(this.#pieceNs, () => this.#sendPiece());
    else if (this.#isEnd) super.end('', '');
  }
}

/** Holds back what follows the finish reason: usage, where it was asked for, and the end mark. */
export class LateUsageWriter extends PlainWriter {
  readonly #byNs: number;

  constructor({ byNs }: FaultOf<'lateUsage'>, response: ServerResponse) {
    super(response);
    this.#byNs = byNs;
  }

  override end(events: string, afterFinish: string): void {
    super.write(events);
    after(this.#byNs, () => super.end('', afterFinish));
  }
}
