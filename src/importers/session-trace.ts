/**
 * Our own trace of sessions: JSON Lines, a session a line, each a tree of model calls with what lies
 * between them (docs/session-trace.md).
 */
import { z } from 'zod';
import { nsFromMs } from '../base/index.ts';
import type { CallEdge, SessionCall, TracedSession } from '../workload/index.ts';
import type { Imported } from './import-result.ts';
import { finishSessions, type ImportedSessions } from './import-sessions.ts';
import { readJsonLines } from './json-lines.ts';
import { ProblemList } from './problem-list.ts';

const MS = z.number().min(0).max(1e12);
const TOKENS = z.int().min(1);
const NAME = z.string().min(1);

const CALL = z.strictObject({
  id: NAME.optional(),
  prompt_tokens: TOKENS,
  output_tokens: TOKENS,
  after: z.array(z.union([NAME, z.strictObject({ id: NAME, wait_ms: MS.optional() })])).optional(),
  wait_ms: MS.optional(),
  continues: NAME.nullable().optional(),
});
type Call = z.infer<typeof CALL>;

const SESSION = z.strictObject({
  id: NAME.optional(),
  at_ms: MS.nullish(),
  calls: z.array(CALL).min(1),
});

const EXAMPLE = '{"at_ms": 0, "calls": [{"id": "a", "prompt_tokens": 900, "output_tokens": 60}]}';

/** Reads a whole trace file. */
export function parseSessionTrace(
  text: string,
  { file }: { readonly file: string },
): Imported<ImportedSessions> {
  const problems = new ProblemList(file);
  const rows = readJsonLines(text, SESSION, {
    problems,
    code: 'E_TRACE_ROW',
    example: EXAMPLE,
  });
  const sessions = rows.map(({ row, line, columnOf }): TracedSession => {
    const { calls, mistakes } = callsOf(row.calls);
    for (const message of mistakes) {
      const place = { line, column: columnOf('calls') };
      problems.add({ code: 'E_TRACE_ROW', ...place, message, hint: null });
    }
    const { at_ms: atMs = null } = row;
    return { atNs: atMs === null ? null : nsFromMs(atMs), calls };
  });
  return finishSessions({ sessions, blockTokens: null, blockScope: 'session' }, problems);
}

/** Names become places. A mistake leaves its call out, which does not matter: the file is refused. */
function callsOf(calls: readonly Call[]): {
  readonly calls: readonly SessionCall[];
  readonly mistakes: readonly string[];
} {
  const places = new Map<string, number>();
  const mistakes: string[] = [];
  const read: SessionCall[] = [];
  for (const [at, call] of calls.entries()) {
    const subject = `calls[${at}]`;
    const placeOf = (name: string): number | null => {
      const place = places.get(name) ?? null;
      if (place === null) mistakes.push(`${subject} names no earlier call: ${name}`);
      return place;
    };
    const after = edgesOf(call, at, placeOf);
    if (after.length === 0 && (call.wait_ms ?? 0) > 0) {
      mistakes.push(`${subject} waits for no call, so there is no end for wait_ms to follow`);
    }
    const continues = continuedBy(call, at, placeOf);
    if (continues !== null && !hasEnded(continues, after, read)) {
      mistakes.push(`${subject} goes on from a call that it does not wait for`);
    }
    const before = continues === null ? null : (calls[continues] ?? null);
    const beforeTokens = before === null ? 0 : before.prompt_tokens + before.output_tokens;
    if (call.prompt_tokens <= beforeTokens) {
      mistakes.push(
        `${subject}: a prompt of ${call.prompt_tokens} tokens cannot go on from ${beforeTokens}; prompt_tokens is the whole prompt, and "continues": null starts a new text`,
      );
    }
    read.push({
      promptTokens: call.prompt_tokens,
      outputTokens: call.output_tokens,
      after,
      notBeforeNs: 0,
      continues,
      blockIds: null,
    });
    if (call.id === undefined) continue;
    if (places.has(call.id)) mistakes.push(`${subject} has the id of an earlier call`);
    places.set(call.id, at);
  }
  return { calls: read, mistakes };
}

function edgesOf(
  { after, wait_ms: waitMs = 0 }: Call,
  at: number,
  placeOf: (name: string) => number | null,
): readonly CallEdge[] {
  if (after === undefined) return at === 0 ? [] : [{ call: at - 1, thinkNs: nsFromMs(waitMs) }];
  return after.flatMap((edge) => {
    const { id, wait_ms: ownMs = waitMs } = typeof edge === 'string' ? { id: edge } : edge;
    const place = placeOf(id);
    return place === null ? [] : [{ call: place, thinkNs: nsFromMs(ownMs) }];
  });
}

/** Whether `call` has ended when all of `after` have: it is one of them, or they waited for it. */
function hasEnded(
  call: number,
  after: readonly CallEdge[],
  before: readonly SessionCall[],
): boolean {
  const places = new Set(after.map((edge) => edge.call));
  for (const place of places) {
    if (place === call) return true;
    // What is waited for stands earlier.
    if (place > call) for (const edge of before[place]?.after ?? []) places.add(edge.call);
  }
  return false;
}

/** Left out, a call in a row goes on from the one before it, and any other starts a text. */
function continuedBy(
  { continues, after }: Call,
  at: number,
  placeOf: (name: string) => number | null,
): number | null {
  if (continues !== undefined) return continues === null ? null : placeOf(continues);
  return after === undefined && at > 0 ? at - 1 : null;
}
