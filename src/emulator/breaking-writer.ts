import type { ServerResponse } from 'node:http';
import type { Fault } from '../faults/index.ts';
import type { EncodedError } from '../wire/index.ts';
import { BODY_HEAD, PlainWriter } from './answer-writer.ts';

/** So that what was sent before a reset has arrived. */
const RESET_MS = 20;

export type BreakingFault = Extract<
  Fault,
  { readonly kind: 'reset' | 'missingTerminator' | 'errorEvent' }
>;

/** What a breaking answer needs of its dialect and its server. */
export interface BreakingPlace {
  /** Stops generating what nobody will get. */
  readonly abandon: () => void;
  /** An error in the dialect's words, inside a stream and as a body. */
  readonly errorEvent: (error: EncodedError) => string;
  readonly errorBody: (error: EncodedError) => string;
}

/**
 * Breaks off: after some events (or at the end of a shorter answer), or just before the end.
 */
export class BreakingWriter extends PlainWriter {
  readonly #fault: BreakingFault;
  readonly #response: ServerResponse;
  readonly #place: BreakingPlace;
  #eventsLeft: number;
  #isBroken = false;

  constructor(fault: BreakingFault, response: ServerResponse, place: BreakingPlace) {
    super(response);
    this.#fault = fault;
    this.#response = response;
    this.#place = place;
    this.#eventsLeft =
      fault.kind === 'missingTerminator' ? Number.POSITIVE_INFINITY : fault.afterEvents;
  }

  override write(events: string): void {
    if (this.#eventsLeft <= 0) return this.#break();
    this.#eventsLeft -= 1;
    super.write(events);
  }

  override end(): void {
    this.#break();
  }

  override whole(body: string): void {
    const response = this.#response;
    switch (this.#fault.kind) {
      case 'missingTerminator':
        response.writeHead(200, { ...BODY_HEAD, 'content-length': Buffer.byteLength(body) + 1 });
        response.write(body, () => response.destroy());
        return;
      case 'errorEvent':
        response.writeHead(500, BODY_HEAD);
        response.end(this.#place.errorBody(this.#fault));
        return;
      default:
        response.socket?.resetAndDestroy();
    }
  }

  #break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#place.abandon();
    if (this.#fault.kind === 'reset') {
      setTimeout(() => this.#response.socket?.resetAndDestroy(), RESET_MS).unref();
    } else {
      super.end(this.#fault.kind === 'errorEvent' ? this.#place.errorEvent(this.#fault) : '', '');
    }
  }
}
