/** Follows the events of a run and says where it stands. */
import type { ExperimentEvent } from '../experiment/index.ts';
import type { LiveStatus } from '../report/index.ts';

/** What a progress event says, with what earlier ones told of the run. */
export class RunFollower {
  /** Planned offering of each point; `null` while no plan told. */
  #offeringsNs: readonly number[] | null = null;
  #pointNumber = 0;
  #last: LiveStatus | null = null;

  /** The running point, from 1; 0 before the first. */
  get pointNumber(): number {
    return this.#pointNumber;
  }

  /** The point as it last stood; `null` before its first progress. */
  get status(): LiveStatus | null {
    return this.#last;
  }

  take(event: ExperimentEvent): void {
    if (event.kind === 'planned') {
      this.#offeringsNs = event.plan.points.map(({ schedule }) => schedule.stopNs);
    } else if (event.kind === 'pointStarted') {
      this.#pointNumber += 1;
      this.#last = null;
    } else if (event.kind === 'progress') {
      this.#last = this.#statusOf(event);
    }
  }

  #statusOf({ load, progress }: Extract<ExperimentEvent, { kind: 'progress' }>): LiveStatus {
    const { counts, atNs, startNs, stopNs, live } = progress;
    const later = this.#offeringsNs?.slice(this.#pointNumber) ?? null;
    return {
      label: load.label,
      pointNumber: this.#pointNumber,
      pointCount: this.#offeringsNs?.length ?? null,
      elapsedNs: Math.max(0, atNs - startNs),
      offeringNs: stopNs - startNs,
      laterNs: later === null ? null : later.reduce((sum, ns) => sum + ns, 0),
      requests: {
        scheduled: counts.scheduled,
        ended: counts.ended,
        inFlight: counts.inFlight,
        dropped: Object.values(counts.dropped).reduce((sum, count) => sum + count, 0),
      },
      closedLoop: load.closedLoop,
      live,
    };
  }
}
