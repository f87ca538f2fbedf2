/** What a simulated replica computed when: its steps, as `steps-K.ndjson` has them. */

/** Which replicas: those that do everything, or one side of prefill and decode apart. */
export type StepPool = 'mixed' | 'prefill' | 'decode';

/** One step, or steps one right after another with the same batch that only decode. */
export interface StepRow {
  readonly pool: StepPool;
  /** Within its pool, from 0. */
  readonly replicaIndex: number;
  readonly startNs: number;
  /** Of all of them together. */
  readonly durationNs: number;
  /** How many. ≥ 1; 1 for a step that computes a piece of a prompt. */
  readonly stepCount: number;
  /** Prompt tokens that the step computes. */
  readonly prefillTokens: number;
  /** Requests that gain a token in each step. */
  readonly decodeCount: number;
  /** Requests that hold a place in the batch. */
  readonly runningCount: number;
  /** Requests that wait for a place as the step begins. */
  readonly waitingCount: number;
  /** Blocks of KV memory that requests hold; `null` where memory is no limit. */
  readonly usedBlockCount: number | null;
}

/** The steps of one load point. */
export interface StepLog {
  /** By start; those of one replica never overlap. */
  readonly rows: readonly StepRow[];
  /** From here on steps were not kept, for there were too many; `null`: these are all. */
  readonly cutNs: number | null;
}

const COUNTS = ['replicaIndex', 'startNs', 'durationNs', 'prefillTokens', 'decodeCount'] as const;
const HELD = ['runningCount', 'waitingCount'] as const;
const POOLS: ReadonlySet<unknown> = new Set<StepPool>(['mixed', 'prefill', 'decode']);

/** Whether a value read from a file is a row. */
export function isStepRow(value: unknown): value is StepRow {
  if (typeof value !== 'object' || value === null) return false;
  const row = value as Readonly<Record<string, unknown>>;
  const isCount = (count: unknown): boolean => Number.isSafeInteger(count) && Number(count) >= 0;
  return (
    POOLS.has(row['pool']) &&
    [...COUNTS, ...HELD].every((name) => isCount(row[name])) &&
    isCount(row['stepCount']) &&
    row['stepCount'] !== 0 &&
    (row['usedBlockCount'] === null || isCount(row['usedBlockCount']))
  );
}
