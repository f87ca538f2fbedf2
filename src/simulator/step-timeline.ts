import type { StepLog, StepPool, StepRow } from '../record/index.ts';

/** Rows kept of one load point, unless told otherwise: some 30 MB on disk. */
export const STEP_ROWS_MAX = 200_000;

/** Steps that a replica has done, told in order. */
export type StepsListener = (done: Omit<StepRow, 'pool' | 'replicaIndex'>) => void;

/**
 * Keeps the steps of all replicas. Which of them become one row depends only on what they computed,
 * so the rows are the same whether steps were simulated one by one or together.
 */
export class StepTimeline {
  readonly #rowsMax: number;
  readonly #rows: StepRow[] = [];
  /** The row of each replica that its next steps may still lengthen. */
  readonly #open = new Map<string, StepRow>();
  #cutNs: number | null = null;

  /** `rowsMax`: so many rows are kept, and a few more of replicas that lag behind. */
  constructor(rowsMax: number = STEP_ROWS_MAX) {
    this.#rowsMax = rowsMax;
  }

  listener(pool: StepPool, replicaIndex: number): StepsListener {
    const key = `${pool}/${replicaIndex}`;
    return (done) => this.#take(key, { pool, replicaIndex, ...done });
  }

  log(): StepLog {
    const rows = [...this.#rows, ...this.#open.values()];
    return { rows: rows.toSorted(byStart), cutNs: this.#cutNs };
  }

  #take(key: string, row: StepRow): void {
    // Replicas hear of their steps at different times: who lags behind is still heard.
    if (this.#cutNs !== null && row.startNs >= this.#cutNs) return;
    const open = this.#open.get(key);
    if (open !== undefined && goesOn(open, row)) {
      const stepCount = open.stepCount + row.stepCount;
      const durationNs = open.durationNs + row.durationNs;
      this.#open.set(key, { ...open, stepCount, durationNs });
      return;
    }
    if (this.#cutNs === null && this.#rows.length >= this.#rowsMax) {
      this.#cutNs = row.startNs;
      return;
    }
    if (open !== undefined) this.#rows.push(open);
    this.#open.set(key, row);
  }
}

/** Whether steps do the same as those right before them. */
function goesOn(before: StepRow, after: StepRow): boolean {
  return (
    before.prefillTokens + after.prefillTokens === 0 &&
    before.startNs + before.durationNs === after.startNs &&
    before.decodeCount === after.decodeCount &&
    before.runningCount === after.runningCount &&
    before.waitingCount === after.waitingCount &&
    before.usedBlockCount === after.usedBlockCount
  );
}

function byStart(a: StepRow, b: StepRow): number {
  return a.startNs - b.startNs || order(a.pool, b.pool) || a.replicaIndex - b.replicaIndex;
}

function order(a: StepPool, b: StepPool): number {
  return a === b ? 0 : a < b ? 1 : -1;
}
