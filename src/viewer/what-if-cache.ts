/** The requests of the runs asked about last, ready for the next question. */
import type { Objective } from '../slo/index.ts';
import { WhatIf, type WhatIfPoint } from '../summary/index.ts';
import type { RunShelf, ShelvedRun } from './run-shelf.ts';

/** Requests kept in all: about 2 kB each, so up to 600 MB. */
const REQUESTS_MOST = 300_000;

interface Kept {
  readonly key: string;
  readonly points: Promise<readonly WhatIf[]>;
  /** Known only when all is read; 0 before. */
  requests: number;
}

/** Reads a run's records once and keeps what the judge needs of them, the latest runs only. */
export class WhatIfCache {
  readonly #shelf: RunShelf;
  /** The latest asked last. */
  readonly #kept = new Map<string, Kept>();

  constructor(shelf: RunShelf) {
    this.#shelf = shelf;
  }

  /**
   * What the objective makes of every load point that `objectiveFor` derives from the run's own; a
   * sentence when it derives none, or the run is too large to keep.
   */
  async ask(
    run: ShelvedRun,
    objectiveFor: (own: Objective) => Objective | string,
  ): Promise<{ readonly points: WhatIfPoint[]; readonly objective: Objective } | string> {
    const own = await this.#shelf.objectiveOf(run.name);
    const objective = objectiveFor(own);
    if (typeof objective === 'string') return objective;
    const kept = this.#take(run, own);
    try {
      const points = await kept.points;
      return { points: points.map((point) => point.ask(objective)), objective };
    } catch (error) {
      this.#kept.delete(run.name);
      if (error instanceof TooManyRequests) return error.message;
      throw error;
    }
  }

  #take(run: ShelvedRun, objective: Objective): Kept {
    const key = `${run.manifest.runId} ${run.manifest.points.length}`;
    const known = this.#kept.get(run.name);
    this.#kept.delete(run.name);
    if (known !== undefined && known.key === key) {
      this.#kept.set(run.name, known);
      return known;
    }
    const count = (requests: number): void => {
      kept.requests = requests;
      this.#makeRoom();
    };
    const kept: Kept = { key, points: this.#read(run, objective, count), requests: 0 };
    this.#kept.set(run.name, kept);
    return kept;
  }

  async #read(
    run: ShelvedRun,
    objective: Objective,
    onCount: (count: number) => void,
  ): Promise<readonly WhatIf[]> {
    const points: WhatIf[] = [];
    let count = 0;
    for (const point of run.manifest.points) {
      const whatIf = new WhatIf(point, objective);
      for await (const record of this.#shelf.records(run.name, point.index)) {
        count += 1;
        if (count > REQUESTS_MOST) throw new TooManyRequests();
        whatIf.add(record);
      }
      points.push(whatIf);
    }
    onCount(count);
    return points;
  }

  /** The run asked last always stays: it fits by itself. */
  #makeRoom(): void {
    let total = [...this.#kept.values()].reduce((sum, { requests }) => sum + requests, 0);
    for (const [name, { requests }] of this.#kept) {
      if (total <= REQUESTS_MOST || this.#kept.size === 1) return;
      this.#kept.delete(name);
      total -= requests;
    }
  }
}

class TooManyRequests extends Error {
  constructor() {
    super(
      `the run has more than ${REQUESTS_MOST} requests: ask goodput judge RUN --slo, which keeps none`,
    );
  }
}
