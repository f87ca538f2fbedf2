/** Runs that go on, followed by the records they have written. */
import { type Clock, secondsFromNs } from '../base/index.ts';
import { type LivePoint, LiveTally } from '../summary/index.ts';
import type { RunShelf, ShelvedRun } from './run-shelf.ts';

/** Followed at a time; the one looked at longest ago goes first. */
const RUNS_MOST = 8;

export interface LiveLook {
  readonly points: readonly { readonly label: string; readonly live: LivePoint }[];
  readonly recordCount: number;
  /** Since the look before; `null` at the first one. */
  readonly perSecond: number | null;
  readonly idleSeconds: number;
}

interface FollowedPoint {
  readonly tally: LiveTally;
  readonly records: ReturnType<RunShelf['follow']>;
}

interface FollowedRun {
  readonly runId: string;
  readonly points: Map<number, FollowedPoint>;
  recordCount: number;
  /** One reader at a time: two would each get half. */
  reading: Promise<LiveLook> | null;
  lookedNs: number | null;
  grewNs: number;
}

export class LiveRuns {
  readonly #shelf: RunShelf;
  readonly #clock: Clock;
  readonly #followed = new Map<string, FollowedRun>();

  constructor(shelf: RunShelf, clock: Clock) {
    this.#shelf = shelf;
    this.#clock = clock;
  }

  /** Reads what is new and says where every load point stands. */
  look(run: ShelvedRun): Promise<LiveLook> {
    const followed = this.#take(run);
    followed.reading ??= this.#read(run, followed).finally(() => {
      followed.reading = null;
    });
    return followed.reading;
  }

  #take({ name, manifest: { runId } }: ShelvedRun): FollowedRun {
    let followed = this.#followed.get(name);
    this.#followed.delete(name);
    if (followed === undefined || followed.runId !== runId) {
      const grewNs = this.#clock.nowNs();
      followed = {
        runId,
        points: new Map(),
        recordCount: 0,
        reading: null,
        lookedNs: null,
        grewNs,
      };
    }
    this.#followed.set(name, followed);
    const [oldest] = this.#followed.keys();
    if (this.#followed.size > RUNS_MOST && oldest !== undefined) this.#followed.delete(oldest);
    return followed;
  }

  async #read({ name, manifest }: ShelvedRun, followed: FollowedRun): Promise<LiveLook> {
    const before = followed.recordCount;
    const objective = await this.#shelf.objectiveOf(name);
    for (const { index, stopNs, steadyFromNs } of manifest.points) {
      let point = followed.points.get(index);
      if (point === undefined) {
        const tally = new LiveTally({ objective, startNs: 0, stopNs, steadyFromNs, dueNs: null });
        point = { tally, records: this.#shelf.follow(name, index) };
        followed.points.set(index, point);
      }
      for await (const record of point.records.next()) {
        point.tally.add(record);
        followed.recordCount += 1;
      }
    }
    const nowNs = this.#clock.nowNs();
    const seconds = followed.lookedNs === null ? null : secondsFromNs(nowNs - followed.lookedNs);
    const grew = followed.recordCount - before;
    if (grew > 0) followed.grewNs = nowNs;
    followed.lookedNs = nowNs;
    return {
      points: manifest.points.flatMap(({ index, label }) => {
        const live = followed.points.get(index)?.tally.look(0);
        return live === undefined ? [] : [{ label, live }];
      }),
      recordCount: followed.recordCount,
      perSecond: seconds === null || seconds <= 0 ? null : grew / seconds,
      idleSeconds: secondsFromNs(nowNs - followed.grewNs),
    };
  }
}
