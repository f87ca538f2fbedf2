/**
 * Coding sessions of kv-cache-tester (github.com/callanjfox/kv-cache-tester): a JSON object a session,
 * or a list of them. Calls in a row with the time a tool or a person took, sub-agents beside them, and
 * ids of the prompt's full blocks that are the session's own.
 *
 * The file does not say who waits for whom. A sub-agent is taken to start from the last call that had
 * ended then; a call waits for the one before it, and for the sub-agents that had ended before it.
 */
import { z } from 'zod';
import { NS_PER_SECOND } from '../base/index.ts';
import type { CallEdge, SessionCall, TracedSession } from '../workload/index.ts';
import type { Imported } from './import-result.ts';
import { finishSessions, type ImportedSessions } from './import-sessions.ts';
import { parseJson, placeInJson } from './placed-json.ts';
import { ProblemList } from './problem-list.ts';

const SECONDS = z.number().min(0).max(1e9);

const CALL = z.looseObject({
  t: SECONDS,
  in: z.int().min(1),
  out: z.int().min(1),
  hash_ids: z.array(z.int().min(0)),
  api_time: SECONDS,
  think_time: SECONDS.default(0),
});

const SUB_AGENT = z.looseObject({
  t: SECONDS,
  type: z.literal('subagent'),
  requests: z.array(CALL),
});

const SESSION = z.looseObject({
  block_size: z.int().min(1),
  requests: z.array(z.union([SUB_AGENT, CALL])).min(1),
});
type Session = z.infer<typeof SESSION>;
type Call = z.infer<typeof CALL>;

/** Reads a whole file. */
export function parseKvCacheTrace(
  text: string,
  { file }: { readonly file: string },
): Imported<ImportedSessions> {
  const problems = new ProblemList(file);
  const parsed = parseJson(text.replace(/^\ufeff/, ''));
  if (parsed.kind === 'invalid') {
    const message = 'not valid JSON';
    problems.add({ code: 'E_TRACE_FORMAT', ...parsed.place, message, hint: null });
    return finishSessions(NONE, problems);
  }
  const isList = Array.isArray(parsed.value);
  const items = (isList ? parsed.value : [parsed.value]) as readonly unknown[];
  const read: Session[] = [];
  for (const [at, item] of items.entries()) {
    const checked = SESSION.safeParse(item);
    if (checked.success) read.push(checked.data);
    for (const issue of checked.error?.issues ?? []) {
      const path = issue.path.filter((step) => typeof step !== 'symbol');
      const place = placeInJson(text, isList ? [at, ...path] : path);
      const message = `${path.join('.') || 'the session'}: ${issue.message}`;
      problems.add({ code: 'E_TRACE_FORMAT', ...place, message, hint: null });
    }
  }
  const blockTokens = read[0]?.block_size ?? null;
  if (read.some((session) => session.block_size !== blockTokens)) {
    const message = 'the sessions have blocks of different sizes';
    problems.add({ code: 'E_TRACE_FORMAT', line: 1, column: 1, message, hint: null });
  }
  const sessions = read.map((session): TracedSession => ({ atNs: null, calls: callsOf(session) }));
  return finishSessions({ sessions, blockTokens, blockScope: 'session' }, problems);
}

const NONE: ImportedSessions = { sessions: [], blockTokens: null, blockScope: 'session' };

/** A call that ended, by its place and the time of its end in the trace. */
interface Ended {
  readonly call: number;
  readonly endSeconds: number;
}

function callsOf({ requests }: Session): SessionCall[] {
  const calls: SessionCall[] = [];
  const main: Ended[] = [];
  let openAgents: Ended[] = [];
  const add = (call: Call, startSeconds: number, after: readonly CallEdge[]): Ended => {
    calls.push({
      promptTokens: call.in,
      outputTokens: call.out,
      after,
      notBeforeNs: after.length === 0 ? nsOf(startSeconds) : 0,
      continues: null,
      blockIds: call.hash_ids,
    });
    return { call: calls.length - 1, endSeconds: startSeconds + call.api_time };
  };
  for (const request of inOrder(requests)) {
    if (!isSubAgent(request)) {
      const last = main.at(-1);
      const thinkNs = nsOf(request.think_time);
      const done = openAgents.filter(({ endSeconds }) => endSeconds <= request.t);
      const joined = done.map((agent) => edgeTo(agent, request.t));
      const after = last === undefined ? joined : [{ call: last.call, thinkNs }, ...joined];
      main.push(add(request, request.t, after));
      openAgents = openAgents.filter((agent) => !done.includes(agent));
      continue;
    }
    const from = main.findLast(({ endSeconds }) => endSeconds <= request.t);
    let before: Ended | null = null;
    for (const call of request.requests) {
      const start: CallEdge[] = from === undefined ? [] : [edgeTo(from, request.t)];
      const after: CallEdge[] =
        before === null ? start : [{ call: before.call, thinkNs: nsOf(call.think_time) }];
      before = add(call, request.t + call.t, after);
    }
    if (before !== null) openAgents.push(before);
  }
  return calls;
}

type Request = Session['requests'][number];

function isSubAgent(request: Request): request is z.infer<typeof SUB_AGENT> {
  return 'requests' in request && Array.isArray(request.requests);
}

function inOrder(requests: readonly Request[]): readonly Request[] {
  return requests.toSorted((a, b) => a.t - b.t);
}

/** What lay between the end of a call and a later start. */
function edgeTo({ call, endSeconds }: Ended, startSeconds: number): CallEdge {
  return { call, thinkNs: Math.max(0, nsOf(startSeconds - endSeconds)) };
}

function nsOf(seconds: number): number {
  return Math.round(seconds * NS_PER_SECOND);
}
