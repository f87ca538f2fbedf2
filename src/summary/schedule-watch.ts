/** Looks for records that contradict the schedule they came from: lost, doubled, out of time. */
import type { ManifestPoint, RequestRecord } from '../record/index.ts';

/** Where the records contradict the schedule they came from. */
export interface ScheduleFaults {
  /** Places of the schedule without any record, those after the last record included. */
  readonly missing: number;
  /** The missing places where they are every n-th from one on: the part of one lost generator. */
  readonly lostStripe: { readonly every: number; readonly from: number } | null;
  /** Records that repeat a place and attempt. */
  readonly repeated: number;
  /** Sent or dropped though planned after the stop. */
  readonly afterStop: number;
  /** Due before the stop, yet recorded as not reached. */
  readonly overlooked: number;
  /** Done before dispatched. */
  readonly backwards: number;
}

/**
 * Every place of a schedule leaves exactly one record per attempt, not reached ones included; so a
 * hole is a lost record and a repetition a doubled one.
 */
export class ScheduleWatch {
  readonly #stopNs: number;
  readonly #partial: boolean;
  readonly #seen = new Set<number>();
  readonly #retries = new Set<string>();
  #placeCount = 0;
  #repeated = 0;
  #afterStop = 0;
  #overlooked = 0;
  #backwards = 0;

  constructor(point: Pick<ManifestPoint, 'stopNs' | 'partial'>) {
    this.#stopNs = point.stopNs;
    this.#partial = point.partial;
  }

  add(record: RequestRecord): void {
    this.#countPlace(record);
    const { dispatch, timeline } = record;
    if (dispatch.kind !== 'notReached') {
      // A later try may come in the drain: its request was due before the stop.
      if (dispatch.plannedNs >= this.#stopNs && record.attempt === 1) this.#afterStop += 1;
    } else if (dispatch.plannedNs !== null && dispatch.plannedNs < this.#stopNs && !this.#partial) {
      // A run cut short may stop between an arrival's instant and its timer: no start is lost.
      this.#overlooked += 1;
    }
    const doneNs = timeline?.doneNs ?? null;
    if (dispatch.kind === 'sent' && doneNs !== null && doneNs < dispatch.dispatchedNs) {
      this.#backwards += 1;
    }
  }

  /** `recordCount`: how many were written, where that is known. */
  faults(recordCount: number | null): ScheduleFaults {
    const found = this.#seen.size + this.#retries.size;
    const holes = this.#placeCount - this.#seen.size;
    return {
      missing: Math.max(holes, (recordCount ?? 0) - found),
      lostStripe: this.#lostStripe(),
      repeated: this.#repeated,
      afterStop: this.#afterStop,
      overlooked: this.#overlooked,
      backwards: this.#backwards,
    };
  }

  #countPlace({ scheduleIndex, attempt }: RequestRecord): void {
    this.#placeCount = Math.max(this.#placeCount, scheduleIndex + 1);
    if (attempt === 1) {
      if (this.#seen.has(scheduleIndex)) this.#repeated += 1;
      this.#seen.add(scheduleIndex);
      return;
    }
    const key = `${scheduleIndex}/${attempt}`;
    if (this.#retries.has(key)) this.#repeated += 1;
    this.#retries.add(key);
  }

  /** At least three holes, equally far apart, up to the end of what was seen. */
  #lostStripe(): ScheduleFaults['lostStripe'] {
    const holes: number[] = [];
    for (let place = 0; place < this.#placeCount; place += 1) {
      if (!this.#seen.has(place)) holes.push(place);
    }
    const [from, second] = holes;
    if (from === undefined || second === undefined || holes.length < 3) return null;
    const every = second - from;
    const isStripe =
      every > 1 &&
      holes.every((place, at) => place === from + at * every) &&
      from + holes.length * every >= this.#placeCount;
    return isStripe ? { every, from } : null;
  }
}
