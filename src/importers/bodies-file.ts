/**
 * Raw request bodies, JSON Lines: `{"body": {…}, "at"?: 1.5 | "1500ms", "headers"?: {…},
 * "label"?: "…"}`. The body goes out as it is; `at` is its arrival in a replay.
 */
import { z } from 'zod';
import { NS_PER_SECOND, parseDurationNs } from '../base/index.ts';
import type { BodyEntry } from '../workload/index.ts';
import { counted, type Imported } from './import-result.ts';
import { readJsonLines, type JsonRow } from './json-lines.ts';
import { ProblemList } from './problem-list.ts';
import { finishPrompts } from './finish-prompts.ts';
import {
  earliest,
  inOrderOfTime,
  nsSince,
  numericStamp,
  requireOneClock,
  type TraceStamp,
} from './trace-time.ts';

const ROW = z.strictObject({
  body: z.record(z.string(), z.unknown()),
  at: z
    .union([z.number().min(0), z.string()], 'expected seconds or a duration like 1500ms')
    .optional(),
  headers: z.record(z.string(), z.string()).optional(),
  label: z.string().optional(),
});
type Row = z.infer<typeof ROW>;

/** Time since the start as it is written. */
const START: TraceStamp = { clock: 'relative', seconds: 0, fractionNs: 0 };

/**
 * Reads a whole file. `at` in seconds or as a duration counts from the start of the replay; epoch
 * seconds count from the earliest of them. It stands in all lines or in none.
 */
export function parseBodiesFile(
  text: string,
  { file }: { readonly file: string },
): Imported<readonly BodyEntry[]> {
  const problems = new ProblemList(file);
  const rows = readJsonLines(text, ROW, {
    problems,
    code: 'E_PROMPTS_FORMAT',
    example: '{"body": {…}}, and "at": 1.5 beside the body for a replay',
  });
  const timed = rows.filter(({ row }) => row.at !== undefined);
  if (timed.length === 0) {
    return finishPrompts(
      rows.map(({ row }) => ({ ...entryOf(row), atNs: null })),
      problems,
    );
  }
  const stamped = timed.flatMap((row) => stampRow(row, problems));
  for (const { line, row } of rows) {
    if (row.at === undefined) addMissingTime(line, problems);
  }
  requireOneClock(stamped, problems);
  const origin = stamped[0]?.stamp.clock === 'epoch' ? earliest(stamped) : START;
  const placed = stamped.map(({ row, stamp }) => ({
    ...entryOf(row),
    atNs: nsSince(stamp, origin),
  }));
  const { rows: entries, outOfOrder } = inOrderOfTime(placed);
  const note = `${counted(outOfOrder, 'line')} out of order, sorted by time`;
  return finishPrompts(entries, problems, outOfOrder === 0 ? [] : [note]);
}

function entryOf({ body, headers, label }: Row): Omit<BodyEntry, 'atNs'> {
  return { body, headers: headers ?? {}, label: label ?? null };
}

function stampRow(
  { line, row, columnOf }: JsonRow<Row>,
  problems: ProblemList,
): { line: number; row: Row; stamp: TraceStamp }[] {
  if (typeof row.at === 'number') return [{ line, row, stamp: numericStamp(row.at, 1) }];
  const atNs = parseDurationNs(row.at ?? '');
  if (atNs !== null) {
    const seconds = Math.floor(atNs / NS_PER_SECOND);
    const fractionNs = atNs - seconds * NS_PER_SECOND;
    return [{ line, row, stamp: { clock: 'relative', seconds, fractionNs } }];
  }
  problems.add({
    code: 'E_PROMPTS_FORMAT',
    line,
    column: columnOf('at'),
    message: 'at: expected seconds or a duration like 1500ms',
    hint: null,
  });
  return [];
}

function addMissingTime(line: number, problems: ProblemList): void {
  problems.add({
    code: 'E_PROMPTS_FORMAT',
    line,
    column: 1,
    message: 'at is missing here, though other lines have it',
    hint: 'give it in every line, or in none',
  });
}
