import type { ServerResponse } from 'node:http';
import type { Fault } from '../faults/index.ts';
import { errorBody, errorEvent } from '../wire/index.ts';
import { BODY_HEAD, PlainWriter } from './answer-writer.ts';

/** So that what was sent before a reset has arrived. */
const RESET_MS = 20;

export type BreakingFault = Extract<
  Fault,
  { readonly kind: 'reset' | 'missingTerminator' | 'errorEvent' }
>;

/**
 * Breaks off: after some events (or at the end of a shorter answer), or just before the end.
 * `abandon` tells the server to stop generating what nobody will get.
 */
export class BreakingWriter extends PlainWriter {
  readonly #fault: BreakingFault;
  readonly #response: ServerResponse;
  readonly #abandon: () => void;
  #eventsLeft: number;
  #isBroken = false;

  constructor(fault: BreakingFault, response: ServerResponse, abandon: () => void) {
    super(response);
    this.#fault = fault;
    this.#response = response;
    this.#abandon = abandon;
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
        response.end(errorBody(this.#fault));
        return;
      default:
        response.socket?.resetAndDestroy();
    }
  }

  #break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#abandon();
    if (this.#fault.kind === 'reset') {
      setTimeout(() => this.#response.socket?.resetAndDestroy(), RESET_MS).unref();
    } else {
      super.end(this.#fault.kind === 'errorEvent' ? errorEvent(this.#fault) : '');
    }
  }
}
