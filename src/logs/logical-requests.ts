/**
 * Tries → requests: what a user waited for when a client or gateway tried again. A request lasts
 * from its first try's start to its final outcome.
 *
 * Tries are joined in the order of the log: a row belongs to the request of its id that has not
 * completed yet. A completed row ends its request, so that the calls of one conversation or trace,
 * which may share an id, are not taken for retries. Only unfinished requests are kept.
 */
import { NS_PER_US } from '../base/index.ts';
import { fromFirstTry, type RequestRecord } from '../record/index.ts';

/** A try that starts later than this after the one before it is a new request. */
export const RETRY_HORIZON_US = 300_000_000;
/** Unfinished requests kept; above it the oldest is taken as ended. */
const OPEN_LIMIT = 100_000;

interface OpenRequest {
  readonly firstUs: number;
  readonly tries: number;
  readonly record: RequestRecord;
  readonly lastUs: number;
}

/** How many tries became how many requests. */
export interface JoinedTries {
  readonly tries: number;
  readonly requests: number;
  /** Requests of more than one try. */
  readonly retried: number;
  /** Requests taken as ended because too many were unfinished; a later try of theirs is not joined. */
  readonly cutOff: number;
}

/** Joins the tries of one log; each request goes to `sink` as one record, when it has ended. */
export class LogicalRequests {
  readonly #sink: (record: RequestRecord, startUs: number) => void;
  readonly #openLimit: number;
  /** By id, the one whose last try is the oldest first. */
  readonly #open = new Map<string, OpenRequest>();
  #tries = 0;
  #requests = 0;
  #retried = 0;
  #cutOff = 0;

  constructor(sink: (record: RequestRecord, startUs: number) => void, openLimit = OPEN_LIMIT) {
    this.#sink = sink;
    this.#openLimit = openLimit;
  }

  /** `startUs`: when the try was due, microseconds since 1970. */
  add(record: RequestRecord, startUs: number): void {
    this.#tries += 1;
    const id = record.logicalRequestId;
    const before = this.#open.get(id);
    if (before !== undefined) this.#open.delete(id);
    const joined = before !== undefined && startUs - before.lastUs <= RETRY_HORIZON_US;
    if (before !== undefined && !joined) this.#end(before);
    const request: OpenRequest = {
      firstUs: joined ? Math.min(before.firstUs, startUs) : startUs,
      tries: (joined ? before.tries : 0) + 1,
      record,
      lastUs: startUs,
    };
    if (record.dispatch.kind !== 'sent' || record.end?.kind === 'completed') this.#end(request);
    else this.#keep(id, request);
  }

  /** Ends what is unfinished. */
  finish(): JoinedTries {
    for (const request of this.#open.values()) this.#end(request);
    this.#open.clear();
    return {
      tries: this.#tries,
      requests: this.#requests,
      retried: this.#retried,
      cutOff: this.#cutOff,
    };
  }

  #keep(id: string, request: OpenRequest): void {
    this.#open.set(id, request);
    for (const [oldId, oldest] of this.#open) {
      const expired = request.lastUs - oldest.lastUs > RETRY_HORIZON_US;
      const tooMany = this.#open.size > this.#openLimit;
      if (!expired && !tooMany) return;
      if (!expired) this.#cutOff += 1;
      this.#open.delete(oldId);
      this.#end(oldest);
    }
  }

  #end({ record, firstUs, lastUs, tries }: OpenRequest): void {
    this.#requests += 1;
    if (tries > 1) this.#retried += 1;
    this.#sink(tries > 1 ? startedAt(record, tries, lastUs - firstUs) : record, firstUs);
  }
}

/** Of a log, whose tries are due when they start. */
function startedAt(record: RequestRecord, tries: number, beforeUs: number): RequestRecord {
  const atNs = (record.dispatch.plannedNs ?? 0) - beforeUs * NS_PER_US;
  return fromFirstTry(record, { plannedNs: atNs, dispatchedNs: atNs }, tries);
}
