/**
 * Mooncake traces (github.com/kvcache-ai/Mooncake, FAST'25): JSON Lines with arrival times in
 * milliseconds, lengths, and one id per 512-token block of the prompt; equal leading ids are a
 * prefix that a cache may reuse.
 */
import { z } from 'zod';
import {
  finishTrace,
  type ImportedTrace,
  type StampedRow,
  type TraceOptions,
} from './import-trace.ts';
import type { Imported } from './import-result.ts';
import { readJsonLines } from './json-lines.ts';
import { ProblemList } from './problem-list.ts';
import { textLines } from './text-lines.ts';
import { numericStamp } from './trace-time.ts';

export const MOONCAKE_BLOCK_TOKENS = 512;

const ROW = z
  .looseObject({
    timestamp: z.number().min(0),
    input_length: z.int().min(1),
    output_length: z.int().min(1),
    hash_ids: z.array(z.int().min(0)),
  })
  .refine((row) => row.hash_ids.length === blocksOf(row.input_length), {
    path: ['hash_ids'],
    error: ({ input }) => {
      const { hash_ids: ids, input_length: tokens } = input as HashedPrompt;
      return `${ids.length} ids, but ${tokens} tokens are ${blocksOf(tokens)} blocks of ${MOONCAKE_BLOCK_TOKENS}`;
    },
  });

interface HashedPrompt {
  readonly hash_ids: readonly number[];
  readonly input_length: number;
}

/** Reads a whole trace file. */
export function parseMooncakeTrace(text: string, options: TraceOptions): Imported<ImportedTrace> {
  const file = new ProblemList(options.file);
  const holes = new ProblemList(options.file);
  const rows = readJsonLines(text, ROW, { problems: holes, code: 'E_TRACE_ROW' });
  const stamped = rows.map(({ line, row }): StampedRow => ({
    line,
    stamp: numericStamp(row.timestamp, 1_000),
    row: {
      promptTokens: row.input_length,
      outputTokens: row.output_length,
      blockIds: row.hash_ids,
      blockTokens: MOONCAKE_BLOCK_TOKENS,
      session: null,
    },
  }));
  const skippedRows = textLines(text).length - rows.length;
  return finishTrace(stamped, { file, rows: holes, skippedRows }, options);
}

function blocksOf(tokens: number): number {
  return Math.ceil(tokens / MOONCAKE_BLOCK_TOKENS);
}
