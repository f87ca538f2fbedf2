/** Sessions as requests: each turn with what it waits for and all that was said before it. */
import { assertNever, randomStream } from '../base/index.ts';
import type { Release, ScheduledRequest } from './schedule.ts';
import { drawSeed } from './seeds.ts';
import { callSessions } from './session-calls.ts';
import type { CallEdge, SessionSource, ThinkTime } from './session-spec.ts';
import { fileSessions, syntheticSessions } from './session-turns.ts';
import type { ScheduleSeeds } from './spec.ts';
import { createThinkDraw, type ThinkDraw } from './think-time.ts';

/** A turn before it has its place in the schedule; `after` counts within the session. */
export interface TurnDraft extends Pick<
  ScheduledRequest,
  'promptTokens' | 'outputTokensMax' | 'prompt'
> {
  /** None: due with the session. */
  readonly after: readonly CallEdge[];
  /** After the session's start. */
  readonly notBeforeNs: number;
}

/** Gives the turns of the next session, whose first request will have the index `base`. */
export type SessionMaker = (base: number) => readonly TurnDraft[];

/** When a session starts, and how much faster than in the trace its instants are replayed. */
export interface SessionStart {
  readonly startNs: number;
  readonly timeScale: number;
}

export interface SessionPlan {
  readonly requests: readonly ScheduledRequest[];
  /** Whether `maxRequests` left sessions out. */
  readonly isCut: boolean;
}

/**
 * The requests of sessions that start at these instants, session after session: `maxRequests` cuts
 * between sessions, never inside one.
 */
export function planSessions(
  make: SessionMaker,
  starts: Iterable<SessionStart>,
  maxRequests: number,
): SessionPlan {
  const requests: ScheduledRequest[] = [];
  let session = 0;
  for (const start of starts) {
    const base = requests.length;
    const turns = make(base);
    if (base + turns.length > maxRequests) return { requests, isCut: true };
    for (const [at, { after, notBeforeNs, ...asked }] of turns.entries()) {
      requests.push({
        index: base + at,
        release: releaseOf({ after, notBeforeNs }, base, start),
        ...asked,
        session: `session-${session}`,
        class: null,
        priority: 0,
      });
    }
    session += 1;
  }
  return { requests, isCut: false };
}

function releaseOf(
  { after, notBeforeNs }: Pick<TurnDraft, 'after' | 'notBeforeNs'>,
  base: number,
  { startNs, timeScale }: SessionStart,
): Release {
  const earliestNs = startNs + Math.floor(notBeforeNs / timeScale);
  if (after.length === 0) return { kind: 'at', atNs: earliestNs };
  return {
    kind: 'turn',
    after: after.map(({ call, thinkNs }) => ({ index: base + call, thinkNs })),
    notBeforeNs: earliestNs,
  };
}

/**
 * A maker over `source`; `think` is drawn before later turns of sessions that have no times of their
 * own. Lengths, think times and system prompt of a session depend on its number and the seeds alone.
 *
 * Errors: as the maker is called, `ProblemsError` for a first turn that does not fit into the
 * context.
 */
export function createSessionMaker(
  source: SessionSource,
  think: ThinkTime,
  seeds: ScheduleSeeds,
): SessionMaker {
  const thinkSeeds = randomStream(seeds.arrivals, 'think');
  const nextThink = (): ThinkDraw =>
    createThinkDraw(think, randomStream(drawSeed(thinkSeeds), 'think'));
  switch (source.kind) {
    case 'sessions':
      return syntheticSessions(source, nextThink, seeds);
    case 'conversations':
      return fileSessions(source, nextThink, seeds);
    case 'calls':
      return callSessions(source, seeds);
    default:
      return assertNever(source);
  }
}
