/**
 * Traces of Alibaba's Bailian (github.com/alibaba-edu/qwen-bailian-usagetraces-anon): JSON Lines, a
 * call a line with its time in seconds, lengths, one id per 16-token block of the prompt, and the call
 * it follows. A session is what hangs together so; each call comes when it came in the trace, or
 * when the one it follows has ended, whichever is later.
 */
import { z } from 'zod';
import type { SessionCall, TracedSession } from '../workload/index.ts';
import { counted, type Imported } from './import-result.ts';
import { finishSessions, type ImportedSessions } from './import-sessions.ts';
import { readJsonLines } from './json-lines.ts';
import { ProblemList } from './problem-list.ts';
import { earliest, nsSince, numericStamp } from './trace-time.ts';

export const BAILIAN_BLOCK_TOKENS = 16;
/** The parent of a call that follows none. */
const NO_PARENT = -1;

const ROW = z.looseObject({
  chat_id: z.int(),
  parent_chat_id: z.int(),
  timestamp: z.number().min(0),
  input_length: z.int().min(1),
  output_length: z.int().min(1),
  hash_ids: z.array(z.int().min(0)),
});

/** Reads a whole trace file. */
export function parseBailianTrace(
  text: string,
  { file }: { readonly file: string },
): Imported<ImportedSessions> {
  const problems = new ProblemList(file);
  const rows = readJsonLines(text, ROW, { problems, code: 'E_TRACE_ROW' }).map(({ line, row }) => ({
    line,
    row,
    stamp: numericStamp(row.timestamp, 1),
  }));
  const origin = earliest(rows);
  const ordered = rows.toSorted((a, b) => nsSince(a.stamp, b.stamp));
  const sessions: { atNs: number; calls: SessionCall[] }[] = [];
  const places = new Map<number, { readonly session: number; readonly call: number }>();
  let orphans = 0;
  for (const { row, stamp, line } of ordered) {
    const atNs = nsSince(stamp, origin);
    const parent = places.get(row.parent_chat_id) ?? null;
    if (parent === null && row.parent_chat_id !== NO_PARENT) orphans += 1;
    if (places.has(row.chat_id)) {
      const message = `chat_id ${row.chat_id} is that of an earlier line`;
      problems.add({ code: 'E_TRACE_ROW', line, column: 1, message, hint: null });
    }
    const at = parent?.session ?? sessions.length;
    const session = (sessions[at] ??= { atNs, calls: [] });
    places.set(row.chat_id, { session: at, call: session.calls.length });
    session.calls.push({
      promptTokens: row.input_length,
      outputTokens: row.output_length,
      after: parent === null ? [] : [{ call: parent.call, thinkNs: 0 }],
      notBeforeNs: atNs - session.atNs,
      continues: null,
      blockIds: row.hash_ids,
    });
  }
  const notes =
    orphans === 0
      ? []
      : [
          `${counted(orphans, 'call')} without the one it follows: taken for the start of a session`,
        ];
  const traced: readonly TracedSession[] = sessions;
  return finishSessions(
    { sessions: traced, blockTokens: BAILIAN_BLOCK_TOKENS, blockScope: 'trace' },
    problems,
    notes,
  );
}
