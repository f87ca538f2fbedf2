/** Hands on the records of a load point, and knows which places of the schedule have had their last. */
import type { RequestRecord } from '../record/index.ts';
import type { Schedule } from '../workload/index.ts';
import { PlaceSet } from './place-set.ts';
import type { PointOptions } from './point.ts';

export interface PlaceRecordsOptions {
  readonly schedule: Schedule;
  readonly onRecord: PointOptions['onRecord'];
  /** A record could not be written: no further one is handed on. */
  readonly onFailure: (error: unknown) => void;
}

export class PlaceRecords {
  readonly #options: PlaceRecordsOptions;
  /** Places with their last record. */
  readonly #settled: PlaceSet;
  readonly #unwritten = new Set<Promise<void>>();
  #failed = false;

  constructor(options: PlaceRecordsOptions) {
    this.#options = options;
    // A stripe keeps the places its requests have in the whole schedule.
    this.#settled = new PlaceSet((options.schedule.requests.at(-1)?.index ?? -1) + 1);
  }

  /** Places that will have a record yet, or another one. */
  get openCount(): number {
    return this.#options.schedule.requests.length - this.#settled.size;
  }

  /** The place will have no further record. */
  settle(place: number): void {
    this.#settled.add(place);
  }

  /** Never throws: a failure goes to `onFailure`. */
  write(record: RequestRecord): void {
    try {
      const written = this.#options.onRecord(record);
      if (written === undefined) return;
      const settled = written.then(
        () => void this.#unwritten.delete(settled),
        (error: unknown) => this.#fail(error),
      );
      this.#unwritten.add(settled);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Writes what `recordOf` makes of each open place; returns how many there were. */
  async writeOpen(
    recordOf: (request: Schedule['requests'][number]) => RequestRecord,
  ): Promise<number> {
    let count = 0;
    for (const request of this.#options.schedule.requests) {
      if (this.#settled.has(request.index)) continue;
      if (this.#failed) break;
      count += 1;
      try {
        await this.#options.onRecord(recordOf(request));
      } catch (error) {
        this.#fail(error);
        break;
      }
      this.settle(request.index);
    }
    return count;
  }

  /** Waits until every record handed on was written, or was not. */
  async flush(): Promise<void> {
    await Promise.allSettled(this.#unwritten);
  }

  #fail(error: unknown): void {
    this.#failed = true;
    this.#options.onFailure(error);
  }
}
