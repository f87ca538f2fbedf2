/**
 * Tries → requests: what a user waited for when a client tried again. A request lasts from its first
 * try to the outcome of its last.
 */
import { assertNever } from '../base/index.ts';
import type { RequestRecord } from './request-record.ts';

/** When the first try of a request was due and sent. */
export interface FirstTry {
  readonly plannedNs: number;
  readonly dispatchedNs: number;
}

/** The final try, due and sent when the first one was; `attempt` is then the number of tries. */
export function fromFirstTry(
  final: RequestRecord,
  first: FirstTry,
  tries: number = final.attempt,
): RequestRecord {
  const { dispatch } = final;
  const asked = { ...final, requestId: final.logicalRequestId, attempt: tries, nextTryNs: null };
  switch (dispatch.kind) {
    case 'sent':
      return { ...asked, dispatch: { ...dispatch, ...first } };
    case 'dropped':
      return { ...asked, dispatch: { ...dispatch, plannedNs: first.plannedNs } };
    case 'notReached':
      return asked;
    default:
      return assertNever(dispatch);
  }
}

/** Whether the request of this try had, or was to have, others. */
export function isOneOfSeveral({ attempt, nextTryNs }: RequestRecord): boolean {
  return attempt > 1 || nextTryNs !== null;
}

/** `tries`: how many were joined; `null` = the request is its one try's own record. */
export type JoinedSink = (request: RequestRecord, tries: number | null) => void;

/** The tries of one request that are known so far. */
interface OpenRequest {
  first: FirstTry | null;
  /** The latest try. */
  last: RequestRecord;
  seen: number;
}

/**
 * Joins the records of a load point. They may come in any order; a try that was not followed by
 * another is a request of its own at once. Only requests with several tries are kept, and only until
 * all that matters of them is known.
 */
export class LogicalJoin {
  readonly #sink: JoinedSink;
  readonly #open = new Map<string, OpenRequest>();

  constructor(sink: JoinedSink) {
    this.#sink = sink;
  }

  add(record: RequestRecord): void {
    if (!isOneOfSeveral(record)) {
      this.#sink(record, null);
      return;
    }
    const { attempt, logicalRequestId: id } = record;
    const known = this.#open.get(id);
    const open = known ?? { first: null, last: record, seen: 0 };
    open.seen += 1;
    if (attempt === 1) open.first = firstOf(record);
    if (attempt > open.last.attempt) open.last = record;
    const isWhole = open.last.nextTryNs === null && open.seen === open.last.attempt;
    if (open.first !== null && isWhole) {
      this.#open.delete(id);
      this.#sink(fromFirstTry(open.last, open.first), open.last.attempt);
    } else if (known === undefined) this.#open.set(id, open);
  }

  /**
   * Ends the requests whose next try never came: the run stopped between two of them, and they are
   * cancelled then. Of a request whose first try is missing, its earliest known one stands in.
   */
  finish(): void {
    for (const { first, last } of this.#open.values()) {
      this.#sink(fromFirstTry(cutBetweenTries(last), first ?? firstOf(last)), last.attempt);
    }
    this.#open.clear();
  }
}

function firstOf({ dispatch }: RequestRecord): FirstTry {
  const plannedNs = dispatch.plannedNs ?? 0;
  return { plannedNs, dispatchedNs: dispatch.kind === 'sent' ? dispatch.dispatchedNs : plannedNs };
}

/** The user waited at least until the end of the last try that was made. */
function cutBetweenTries(last: RequestRecord): RequestRecord {
  const { dispatch, timeline, end, nextTryNs } = last;
  if (nextTryNs === null || dispatch.kind !== 'sent') return last;
  const endedNs = end?.kind === 'timedOut' ? end.deadlineNs : (timeline?.doneNs ?? null);
  return { ...last, end: { kind: 'cancelled', atNs: endedNs ?? dispatch.dispatchedNs } };
}
