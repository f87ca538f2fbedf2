/** What the importers of sessions have in common: their end. */
import type { TracedSession } from '../workload/index.ts';
import { counted, type Imported } from './import-result.ts';
import type { ProblemList } from './problem-list.ts';

export interface ImportedSessions {
  /** In order of their start, from 0; those of unknown start as they stand. */
  readonly sessions: readonly TracedSession[];
  /** Tokens per block; `null` where the calls have no blocks. */
  readonly blockTokens: number | null;
  /** Whether equal block ids of two sessions are equal text. */
  readonly blockScope: 'session' | 'trace';
}

/** Puts sessions in order, unless something is wrong with the file. */
export function finishSessions(
  { sessions, ...blocks }: ImportedSessions,
  problems: ProblemList,
  notes: readonly string[] = [],
): Imported<ImportedSessions> {
  if (sessions.length === 0 && problems.count === 0) {
    const message = 'the trace holds no session';
    problems.add({ code: 'E_TRACE_FORMAT', line: 1, column: 1, message, hint: null });
  }
  if (problems.count > 0) return { kind: 'problems', problems: problems.toProblems() };
  const known = sessions.flatMap(({ atNs }) => (atNs === null ? [] : [atNs]));
  const originNs = known.reduce((least, atNs) => Math.min(least, atNs), Infinity);
  const placed = sessions.map((session) =>
    session.atNs === null ? session : { ...session, atNs: session.atNs - originNs },
  );
  const ordered = placed.toSorted((a, b) => (a.atNs ?? Infinity) - (b.atNs ?? Infinity) || 0);
  return { kind: 'imported', value: { sessions: ordered, ...blocks }, notes };
}

export interface CutSessions {
  readonly sessions: readonly TracedSession[];
  /** Calls left out, and sessions of which none was left. */
  readonly calls: number;
  readonly emptySessions: number;
}

/** Leaves out the calls whose prompt and answer pass `maxContextTokens`, and all that wait for them. */
export function withinContext(
  sessions: readonly TracedSession[],
  maxContextTokens: number,
): CutSessions {
  let calls = 0;
  const kept = sessions.map((session): TracedSession => {
    // Of each call its place among those kept; `null` = left out.
    const places: (number | null)[] = [];
    let keptCount = 0;
    const left = session.calls.flatMap((call) => {
      const fits = call.promptTokens + call.outputTokens <= maxContextTokens;
      const hasAll = call.after.every((edge) => places[edge.call] !== null);
      const isKept = fits && hasAll;
      places.push(isKept ? keptCount : null);
      if (!isKept) return [];
      keptCount += 1;
      const moved = (at: number): number => places[at] ?? 0;
      const after = call.after.map((edge) => ({ ...edge, call: moved(edge.call) }));
      return [
        { ...call, after, continues: call.continues === null ? null : moved(call.continues) },
      ];
    });
    calls += session.calls.length - left.length;
    return { ...session, calls: left };
  });
  const inUse = kept.filter((session) => session.calls.length > 0);
  return { sessions: inUse, calls, emptySessions: kept.length - inUse.length };
}

/** What a reader of results should know of calls that were left out. */
export function cutNotes(
  { calls, emptySessions }: CutSessions,
  maxContextTokens: number,
): string[] {
  if (calls === 0) return [];
  const whole =
    emptySessions === 0 ? '' : `, ${counted(emptySessions, 'session')} of them altogether`;
  return [
    `${counted(calls, 'call')} left out that would pass ${maxContextTokens} tokens or wait for one that would${whole}`,
  ];
}
