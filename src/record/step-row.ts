/** What a simulated replica computed when: its steps, as `steps-K.ndjson` has them. */

/** Which replicas: those that do everything, or one side of prefill and decode apart. */
export type StepPool = 'mixed' | 'prefill' | 'decode';

/** One step, or steps one right after another with the same batch that only decode. */
export interface StepRow {
  readonly pool: StepPool;
  /** Within its pool, from 0. */
  readonly replica: number;
  readonly startNs: number;
  /** Of all of them together. */
  readonly durationNs: number;
  /** How many. ≥ 1; 1 for a step that computes a piece of a prompt. */
  readonly steps: number;
  /** Prompt tokens that the step computes. */
  readonly prefillTokens: number;
  /** Requests that gain a token in each step. */
  readonly decodeSequences: number;
  /** Requests that hold a place in the batch. */
  readonly running: number;
  /** Requests that wait for a place as the step begins. */
  readonly waiting: number;
  /** Blocks of KV memory that requests hold; `null` where memory is no limit. */
  readonly usedBlocks: number | null;
}

/** The steps of one load point. */
export interface StepLog {
  /** By start; those of one replica never overlap. */
  readonly rows: readonly StepRow[];
  /** From here on steps were not kept, for there were too many; `null`: these are all. */
  readonly cutNs: number | null;
}

const COUNTS = ['replica', 'startNs', 'durationNs', 'prefillTokens', 'decodeSequences'] as const;
const HELD = ['running', 'waiting'] as const;
const POOLS: ReadonlySet<unknown> = new Set<StepPool>(['mixed', 'prefill', 'decode']);

/** Whether a value read from a file is a row. */
export function isStepRow(value: unknown): value is StepRow {
  if (typeof value !== 'object' || value === null) return false;
  const row = value as Readonly<Record<string, unknown>>;
  const isCount = (count: unknown): boolean => Number.isSafeInteger(count) && Number(count) >= 0;
  return (
    POOLS.has(row['pool']) &&
    [...COUNTS, ...HELD].every((name) => isCount(row[name])) &&
    isCount(row['steps']) &&
    row['steps'] !== 0 &&
    (row['usedBlocks'] === null || isCount(row['usedBlocks']))
  );
}
