/** A log counted twice: by try, as its rows are, and by request, where its tries can be joined. */
import type { RequestRecord } from '../record/index.ts';
import type { Objective } from '../slo/index.ts';
import { LogTally } from './log-tally.ts';
import { LogicalRequests, type JoinedTries } from './logical-requests.ts';
import { mergedCounts, type LogCounts } from './slice-counts.ts';
import type { WindowSpec } from './window-spec.ts';

/** The view by request. */
export interface RequestView {
  readonly joined: JoinedTries;
  readonly counts: LogCounts;
}

/** Judges and counts a log by one objective or more; the view by request is of the first. */
export class LogViews {
  /** Rows by objective; of the first only those that no other row can be joined to. */
  readonly #tallies: readonly LogTally[];
  /** The other rows of the first objective, and the requests that they make. */
  readonly #tries: LogTally;
  readonly #requests: LogTally;
  readonly #joining: LogicalRequests;

  constructor(objectives: readonly [Objective, ...Objective[]], by: WindowSpec) {
    this.#tallies = objectives.map((objective) => new LogTally(objective, by));
    this.#tries = new LogTally(objectives[0], by);
    this.#requests = new LogTally(objectives[0], by);
    this.#joining = new LogicalRequests((record, startUs) => this.#requests.add(record, startUs));
  }

  /** `startUs`: when the request was due, microseconds since 1970. */
  add(record: RequestRecord, startUs: number): void {
    const joinable = record.logicalRequestId !== record.requestId;
    for (const [at, tally] of this.#tallies.entries()) {
      (joinable && at === 0 ? this.#tries : tally).add(record, startUs);
    }
    if (joinable) this.#joining.add(record, startUs);
  }

  /** Ends the log. `byRequest` is `null` when no two rows were tries of one request. */
  finish(): { readonly byTry: readonly LogCounts[]; readonly byRequest: RequestView | null } {
    const joined = this.#joining.finish();
    const [alone, ...others] = this.#tallies.map((tally) => tally.counts()) as [LogCounts];
    return {
      byTry: [mergedCounts([alone, this.#tries.counts()]), ...others],
      byRequest:
        joined.retried === 0
          ? null
          : { joined, counts: mergedCounts([alone, this.#requests.counts()]) },
    };
  }
}
