/** A load point as data: when each request becomes due and what it asks. */
import { randomExponential } from 'd3-random';
import {
  assert,
  assertNever,
  NS_PER_SECOND,
  ProblemsError,
  randomStream,
  usageProblem,
  type ErrorCode,
} from '../base/index.ts';
import { arrivalInstantsNs } from './arrivals.ts';
import { createEntryOrder, type EntryOrder } from './entry-order.ts';
import { createSessionMaker, planSessions, type SessionStart } from './plan-sessions.ts';
import { createPromptSequence } from './prompt-sequence.ts';
import type { Release, Schedule } from './schedule.ts';
import { scheduleHash } from './schedule-hash.ts';
import type { SessionSource } from './session-spec.ts';
import type { LoadShape, PromptSource, ScheduleSeeds } from './spec.ts';

/** More requests than this are refused: a schedule is held in memory (about 1 GB then). */
export const MAX_SCHEDULED_REQUESTS = 2_000_000;

/**
 * Plans every request of one load point. A pure function: the same source, shape and seeds give
 * the same schedule and hash. A longer duration only adds requests at the end. Points
 * of one run, and runs, have texts of their own only where their `seeds.text` differ
 * (`seedsOfPoint`).
 *
 * Errors: {@link ProblemsError} when source and shape do not fit, when the schedule would be too
 * long, and when a replay window holds no arrival.
 */
export function planSchedule(plan: {
  readonly source: PromptSource;
  readonly shape: LoadShape;
  readonly seeds: ScheduleSeeds;
}): Schedule {
  const { source, shape, seeds } = plan;
  if (holdsSessions(source)) {
    const schedule = sessionSchedule(source, shape, seeds);
    return { ...schedule, hash: scheduleHash(schedule, source) };
  }
  const { releases, stopNs, slots, entries, sessionOf } = planReleases(source, shape, seeds);
  const nextPrompt = createPromptSequence(source, seeds, entries ?? entryOrder(source, seeds));
  const requests = releases.map((release, index) => {
    const prompt = nextPrompt();
    return { index, release, ...prompt, session: prompt.session ?? sessionOf(index) };
  });
  const schedule = { requests, stopNs, slots };
  return { ...schedule, hash: scheduleHash(schedule, source) };
}

interface PlannedReleases {
  readonly releases: readonly Release[];
  readonly stopNs: number;
  readonly slots: number | null;
  /** Entries that belong to the releases; `null` = the source's own order. */
  readonly entries: EntryOrder | null;
  /** Session of a request whose source names none. */
  readonly sessionOf: (index: number) => string | null;
}

const PLAIN = { slots: null, entries: null, sessionOf: () => null };

type FlatSource = Exclude<PromptSource, SessionSource>;

function planReleases(source: FlatSource, shape: LoadShape, seeds: ScheduleSeeds): PlannedReleases {
  switch (shape.kind) {
    case 'rate':
      return planRate(shape, seeds);
    case 'concurrency': {
      requireCount(shape.maxRequests);
      const slot: Release = { kind: 'slot' };
      const releases = Array.from({ length: shape.maxRequests }, () => slot);
      return { ...PLAIN, releases, stopNs: shape.durationNs, slots: shape.streams };
    }
    case 'users':
      return planUsers(shape, seeds);
    case 'trace':
      return planReplay(source, shape);
    case 'sessions': {
      const message = `${source.kind} prompts are no sessions`;
      throw loadConflict(message, 'give turns, conversations or a trace with sessions, or a rate');
    }
    default:
      return assertNever(shape);
  }
}

/**
 * Arrivals of an open loop. Stopped by a count, the point ends where the next request would have
 * been due, so that count over duration is still the offered rate.
 */
function planRate(
  shape: Extract<LoadShape, { kind: 'rate' }>,
  seeds: ScheduleSeeds,
): PlannedReleases {
  const expected = (shape.rateRps * shape.durationNs) / NS_PER_SECOND;
  const limit = shape.maxRequests ?? Number.POSITIVE_INFINITY;
  requireCount(Math.min(expected, limit));
  const instantsNs = arrivalInstantsNs(
    { ...shape, limit: limit + 1 },
    randomStream(seeds.arrivals, 'arrivals'),
  );
  const taken = instantsNs.slice(0, limit);
  const stopNs = instantsNs[limit] ?? shape.durationNs;
  return { ...PLAIN, releases: taken.map(releaseAt), stopNs: afterLast(taken, stopNs) };
}

/**
 * One chain a user, all of equal length, interleaved. Users start in mid-thought: each waits for
 * what remains of a think time first, so that they do not all ask at the same instant.
 */
function planUsers(
  shape: Extract<LoadShape, { kind: 'users' }>,
  seeds: ScheduleSeeds,
): PlannedReleases {
  requireCount(shape.maxRequests);
  const { users, think } = shape;
  const random = randomStream(seeds.arrivals, 'think');
  const unitExponential = randomExponential.source(random)(1);
  const exponential = (): number => Math.round(unitExponential() * think.meanNs);
  const fixed = think.kind === 'fixed';
  // What remains of an exponential time is exponential; of a fixed one, evenly spread.
  const firstNs = fixed ? () => Math.round(random() * think.meanNs) : exponential;
  const nextNs = fixed ? () => Math.round(think.meanNs) : exponential;
  const releases = Array.from({ length: shape.maxRequests }, (_, index): Release => {
    const first = index < users;
    const thinkNs = first ? firstNs() : nextNs();
    return { kind: 'after', index: first ? null : index - users, thinkNs };
  });
  const sessionOf = (index: number): string => `user-${index % users}`;
  return { ...PLAIN, releases, stopNs: shape.durationNs, sessionOf };
}

/**
 * The arrivals of the source within the window, as they are: bursts and simultaneous arrivals
 * stay, only the scale of time changes. The point ends with the window, or with the last arrival
 * where the source ends first.
 */
function planReplay(
  source: FlatSource,
  shape: Extract<LoadShape, { kind: 'trace' }>,
): PlannedReleases {
  const { fromNs, durationNs, timeScale } = shape;
  // Rounded down, so that every arrival in the window stays before its end, which is rounded up.
  const ahead = sourceArrivals(source)
    .filter(({ atNs }) => atNs >= fromNs)
    .map(({ atNs, entry }) => ({ entry, atNs: Math.floor((atNs - fromNs) / timeScale) }));
  const endNs = Math.ceil(durationNs / timeScale);
  const taken = ahead
    .filter(({ atNs }) => atNs < endNs)
    .slice(0, shape.maxRequests ?? Number.POSITIVE_INFINITY);
  if (taken.length === 0) {
    throw replayProblem('E_CONFIG_VALUE', NONE);
  }
  requireCount(taken.length);
  const instantsNs = taken.map(({ atNs }) => atNs);
  const stopNs = afterLast(instantsNs, Math.min(endNs, ahead[taken.length]?.atNs ?? 0));
  const pending = taken.values();
  const entries: EntryOrder = () => {
    const next = pending.next().value;
    assert(next !== undefined, 'a replay has one entry a release');
    return { entry: next.entry, pass: 0 };
  };
  return { ...PLAIN, releases: instantsNs.map(releaseAt), stopNs, entries };
}

function releaseAt(atNs: number): Release {
  return { kind: 'at', atNs };
}

/** `stopNs`, or just after the last arrival where that is later: all of them are the ledger's. */
function afterLast(instantsNs: readonly number[], stopNs: number): number {
  return Math.max(stopNs, (instantsNs.at(-1) ?? 0) + 1);
}

function sourceArrivals(source: FlatSource): { readonly atNs: number; readonly entry: number }[] {
  switch (source.kind) {
    case 'trace':
      return source.rows.map(({ atNs }, entry) => ({ atNs, entry }));
    case 'bodies':
      return source.entries.map(({ atNs }, entry) => {
        if (atNs !== null) return { atNs, entry };
        throw replayProblem(
          'E_CONFIG_CONFLICT',
          'a replay needs `at` in every line of the bodies file',
        );
      });
    case 'synthetic':
    case 'classes':
    case 'prompts':
      throw replayProblem('E_CONFIG_CONFLICT', `${source.kind} prompts have no arrivals to replay`);
    default:
      return assertNever(source);
  }
}

function entryOrder(source: FlatSource, seeds: ScheduleSeeds): EntryOrder {
  switch (source.kind) {
    case 'synthetic':
    case 'classes':
      return () => ({ entry: 0, pass: 0 });
    case 'prompts':
    case 'bodies': {
      const random = randomStream(seeds.prompts, 'order');
      return createEntryOrder(source.entries.length, source.order, random);
    }
    case 'trace':
      return createEntryOrder(source.rows.length, 'sequential', () => 0);
    default:
      return assertNever(source);
  }
}

export function holdsSessions(source: PromptSource): source is SessionSource {
  return source.kind === 'sessions' || source.kind === 'conversations' || source.kind === 'calls';
}

/**
 * Sessions that start at drawn instants, or as in their trace. The point ends with its duration,
 * whatever is left of the sessions then; sooner only when all of them have ended.
 */
function sessionSchedule(
  source: SessionSource,
  shape: LoadShape,
  seeds: ScheduleSeeds,
): Omit<Schedule, 'hash'> {
  const think = shape.kind === 'sessions' ? shape.think : NO_THINKING;
  const make = createSessionMaker(source, think, seeds);
  const maxRequests = shape.maxRequests ?? MAX_SCHEDULED_REQUESTS;
  const starts = sessionStarts(source, shape, seeds);
  const { requests, isCut } = planSessions(make, starts, maxRequests);
  if (isCut && shape.maxRequests === null) throw tooLong(`more than ${maxRequests}`);
  if (isCut && requests.length === 0) {
    const message = `the first session has more than ${maxRequests} requests, and none is cut inside`;
    throw loadConflict(message, 'raise the bound of requests, or bound the turns of a session');
  }
  if (requests.length === 0 && shape.kind === 'trace') throw replayProblem('E_CONFIG_VALUE', NONE);
  const timeScale = shape.kind === 'trace' ? shape.timeScale : 1;
  const stopNs = Math.ceil(shape.durationNs / timeScale);
  return { requests, stopNs, slots: null };
}

const NO_THINKING = { kind: 'fixed', meanNs: 0 } as const;
const NONE = 'no arrival lies in the replay window';

function sessionStarts(
  source: SessionSource,
  shape: LoadShape,
  seeds: ScheduleSeeds,
): readonly SessionStart[] {
  if (shape.kind === 'sessions') {
    const { arrivals, sessionsPerSecond: rateRps, durationNs } = shape;
    requireCount((rateRps * durationNs) / NS_PER_SECOND);
    const plan = { arrivals, rateRps, durationNs, limit: Number.POSITIVE_INFINITY };
    const instantsNs = arrivalInstantsNs(plan, randomStream(seeds.arrivals, 'arrivals'));
    return instantsNs.map((startNs) => ({ startNs, timeScale: 1 }));
  }
  if (shape.kind !== 'trace' || source.kind !== 'calls') {
    const hint = 'give a rate of sessions, or replay a trace that tells when they start';
    throw loadConflict(`sessions do not come by ${shape.kind}`, hint);
  }
  const { fromNs, durationNs, timeScale } = shape;
  return source.sessions.flatMap(({ atNs }) => {
    if (atNs === null) {
      throw replayProblem('E_CONFIG_CONFLICT', 'the trace does not tell when its sessions start');
    }
    if (atNs < fromNs || atNs - fromNs >= durationNs) return [];
    return [{ startNs: Math.floor((atNs - fromNs) / timeScale), timeScale }];
  });
}

function loadConflict(message: string, hint: string): ProblemsError {
  return new ProblemsError([usageProblem('E_CONFIG_CONFLICT', message, hint)]);
}

function requireCount(requests: number): void {
  if (requests > MAX_SCHEDULED_REQUESTS) throw tooLong(String(Math.ceil(requests)));
}

function tooLong(requests: string): ProblemsError {
  const message = `one load point of ${requests} requests is too long to plan`;
  const hint = `at most ${MAX_SCHEDULED_REQUESTS}: shorten the duration or bound the requests`;
  return new ProblemsError([usageProblem('E_BUDGET_IMPOSSIBLE', message, hint)]);
}

function replayProblem(code: ErrorCode, message: string): ProblemsError {
  const hint = 'a replay takes a trace, or raw bodies with `at`, and a window that reaches them';
  return new ProblemsError([usageProblem(code, message, hint)]);
}
