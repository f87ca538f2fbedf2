/** Which requests make a session, as the records tell it. */
import type { RequestRecord } from '../record/index.ts';

/** The requests of one session. */
export interface BookedSession {
  /** Places in the schedule, ascending: the first is its first turn. */
  readonly places: readonly number[];
  /** Turns that the run ended before. */
  readonly stopped: number;
  /** Turns that never came because one before them did not complete. */
  readonly over: number;
}

/** Keeps the place and the session of every record that has one: about 20 bytes a request. */
export class SessionBook {
  readonly #sessions = new Map<
    string,
    { readonly places: Set<number>; stopped: number; over: number }
  >();

  add({ labels: { session }, scheduleIndex, dispatch }: RequestRecord): void {
    if (session === null) return;
    let booked = this.#sessions.get(session);
    if (booked === undefined) {
      booked = { places: new Set(), stopped: 0, over: 0 };
      this.#sessions.set(session, booked);
    }
    booked.places.add(scheduleIndex);
    if (dispatch.kind !== 'notReached') return;
    if (dispatch.reason === 'sessionOver') booked.over += 1;
    else booked.stopped += 1;
  }

  /** In the order of their first turns. */
  sessions(): BookedSession[] {
    return [...this.#sessions.values()]
      .map(({ places, ...rest }) => ({ ...rest, places: [...places].toSorted((a, b) => a - b) }))
      .toSorted((a, b) => (a.places[0] ?? 0) - (b.places[0] ?? 0));
  }
}
