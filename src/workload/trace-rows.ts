/** Facts and cuts of trace rows, made before a schedule is planned from them. */
import type { TraceRow } from './spec.ts';

/** Longest prompt and answer to replay; `null` = as the trace has it. */
export interface LengthCaps {
  readonly maxPromptTokens: number | null;
  readonly maxOutputTokens: number | null;
}

export interface TruncatedRows {
  readonly rows: readonly TraceRow[];
  /** Rows whose prompt was cut. */
  readonly truncatedPrompts: number;
  /** Rows whose answer was cut. */
  readonly truncatedOutputs: number;
}

/**
 * Cuts longer prompts and answers to the caps and counts what was cut, so that a report can say
 * how far the replay is from the trace. A cut prompt keeps its leading blocks, so shared prefixes
 * stay shared.
 */
export function truncateRows(rows: readonly TraceRow[], caps: LengthCaps): TruncatedRows {
  const maxPrompt = caps.maxPromptTokens ?? Number.POSITIVE_INFINITY;
  const maxOutput = caps.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  let truncatedPrompts = 0;
  let truncatedOutputs = 0;
  const cut = rows.map((row) => {
    if (row.promptTokens > maxPrompt) truncatedPrompts += 1;
    if (row.outputTokens > maxOutput) truncatedOutputs += 1;
    const promptTokens = Math.min(row.promptTokens, maxPrompt);
    const outputTokens = Math.min(row.outputTokens, maxOutput);
    return { ...row, promptTokens, outputTokens, blockIds: leadingBlocks(row, promptTokens) };
  });
  return { rows: cut, truncatedPrompts, truncatedOutputs };
}

function leadingBlocks(row: TraceRow, promptTokens: number): readonly number[] | null {
  if (row.blockIds === null || row.blockTokens === null) return row.blockIds;
  return row.blockIds.slice(0, Math.ceil(promptTokens / row.blockTokens));
}

/**
 * Arrivals that share their instant with an earlier one, of rows in order of time. A trace with
 * coarse time stamps is replayed in such bursts as it is: no jitter is added.
 */
export function simultaneousArrivals(rows: readonly { readonly atNs: number }[]): number {
  let count = 0;
  for (let i = 1; i < rows.length; i += 1) {
    if (rows[i]?.atNs === rows[i - 1]?.atNs) count += 1;
  }
  return count;
}
