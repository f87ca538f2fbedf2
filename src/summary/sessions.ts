/** Judges sessions: one is as good as its worst turn. */
import { secondsFromNs } from '../base/index.ts';
import { attainmentOf, type Verdict } from '../slo/index.ts';
import { BATCH_COUNT, type TimeBatch } from '../stats/index.ts';
import { batchAt, type Inference, shareUncertainty } from './inference.ts';
import { quantileSummary } from './quantile-summary.ts';
import { total } from './rates.ts';
import type { RequestRow } from './request-row.ts';
import type { BookedSession } from './session-book.ts';
import type { SessionsSummary, TurnSummary } from './session-summary.ts';
import { type Population, strataBy } from './strata.ts';

/** A session with the rows of its turns that were due. */
interface Session {
  readonly booked: BookedSession;
  readonly rows: readonly RequestRow[];
  readonly startNs: number;
  readonly isCut: boolean;
  /** Of the turns that were due. */
  readonly verdict: Verdict;
}

export interface SessionsContext {
  /** All requests of the point that were due. */
  readonly rows: readonly RequestRow[];
  /** Those of the judged window. */
  readonly judged: readonly RequestRow[];
  readonly of: Population;
}

/** `null` where no request has a session. */
export function sessionsSummary(
  booked: readonly BookedSession[],
  { rows, judged, of }: SessionsContext,
): SessionsSummary | null {
  if (booked.length === 0) return null;
  const { inference } = of;
  const all = sessionsOf(booked, rows);
  const begun = all.filter(({ startNs }) => startNs >= inference.fromNs);
  const whole = begun.filter(({ isCut }) => !isCut);
  const cut = begun.filter(({ isCut }) => isCut);
  const cutAfterMiss = cut.filter(({ verdict }) => verdict === 'bad').length;
  const verdicts: Record<Verdict, number> = { good: 0, bad: 0, excluded: 0, unjudged: 0 };
  for (const { verdict } of whole) verdicts[verdict] += 1;
  const attainment = attainmentOf(
    { ...verdicts, dropped: 0 },
    'offered',
    shareUncertainty(inference, batchesOfSessions(inference, whole)),
  );
  const seconds = secondsFromNs(inference.toNs - inference.fromNs);
  const perSecond = (count: number): number | null => (seconds > 0 ? count / seconds : null);
  const turnCounts = begun.map((session) => session.booked.places.length);
  const known = attainment.offered + cut.length;
  return {
    begun: begun.length,
    cut: cut.length,
    cutAfterMiss,
    verdicts,
    endedEarly: whole.filter((session) => session.booked.over > 0).length,
    turnsNeverDue: whole.reduce((sum, session) => sum + session.booked.over, 0),
    attainment,
    cutBounds:
      known === 0
        ? null
        : {
            low: attainment.good / known,
            high: (attainment.good + attainment.unjudged + cut.length - cutAfterMiss) / known,
          },
    shareIfIndependent: ifIndependent(judged, whole),
    turnsMean: begun.length === 0 ? null : turnCounts.reduce((a, b) => a + b, 0) / begun.length,
    turnsMost: turnCounts.reduce((most, count) => Math.max(most, count), 0),
    begunPerSecond: perSecond(begun.length),
    turnsPerSecond: perSecond(judged.length),
    durationNs: durations(whole, of),
    turns: turnsOf(all, judged, of),
  };
}

/** When the session of each place began: requests of one are dealt to one batch. */
export function sessionStarts(
  booked: readonly BookedSession[],
  rows: readonly RequestRow[],
): ReadonlyMap<number, number> {
  const starts = new Map<number, number>();
  for (const { booked: each, startNs } of sessionsOf(booked, rows)) {
    for (const place of each.places) starts.set(place, startNs);
  }
  return starts;
}

/** Sessions of which at least one turn was due. */
function sessionsOf(booked: readonly BookedSession[], rows: readonly RequestRow[]): Session[] {
  const byPlace = new Map(rows.map((row) => [row.scheduleIndex, row]));
  return booked.flatMap((each): Session[] => {
    const due = each.places.flatMap((place) => byPlace.get(place) ?? []);
    if (due.length === 0) return [];
    return [
      {
        booked: each,
        rows: due,
        startNs: due.reduce((first, { plannedNs }) => Math.min(first, plannedNs), Infinity),
        isCut: each.stopped > 0 || due.some(({ outcome }) => outcome === 'cancelled'),
        verdict: worstVerdict(due),
      },
    ];
  });
}

/** Bad if any turn is; else what any turn is that is not good. */
function worstVerdict(rows: readonly RequestRow[]): Verdict {
  for (const verdict of ['bad', 'excluded', 'unjudged'] as const) {
    if (rows.some((row) => row.verdict === verdict)) return verdict;
  }
  return 'good';
}

function batchesOfSessions(inference: Inference, sessions: readonly Session[]): TimeBatch[] {
  const batches = Array.from({ length: BATCH_COUNT }, () => ({ good: 0, offered: 0 }));
  for (const { startNs, verdict } of sessions) {
    const batch = batches[batchAt(inference, startNs)] as { good: number; offered: number };
    if (verdict !== 'excluded') batch.offered += 1;
    if (verdict === 'good') batch.good += 1;
  }
  return batches;
}

/** What the sessions would come to if a turn were as likely to be good whatever the others were. */
function ifIndependent(judged: readonly RequestRow[], whole: readonly Session[]): number | null {
  const counted = judged.filter(({ verdict }) => verdict !== 'excluded');
  const sessions = whole.filter(({ verdict }) => verdict !== 'excluded');
  if (counted.length === 0 || sessions.length === 0) return null;
  const share = counted.filter(({ verdict }) => verdict === 'good').length / counted.length;
  return sessions.reduce((sum, { rows }) => sum + share ** rows.length, 0) / sessions.length;
}

function durations(whole: readonly Session[], { window, inference }: Population) {
  const done = whole.filter(
    ({ booked, rows }) =>
      booked.over === 0 && rows.every(({ outcome, endNs }) => outcome === 'completed' && endNs),
  );
  return quantileSummary(
    {
      inference,
      values: done.map(({ rows, startNs }) => lastEnd(rows) - startNs),
      batches: done.map(({ startNs }) => batchAt(inference, startNs)),
    },
    { window, population: 'completed', populationCount: whole.length },
  );
}

function lastEnd(rows: readonly RequestRow[]): number {
  return rows.reduce((last, { endNs }) => Math.max(last, endNs ?? 0), 0);
}

/** From the fourth turn on by doublings: `turns 4–7`. */
function turnName(turn: number): string {
  if (turn < 4) return `turn ${turn}`;
  const from = 2 ** Math.floor(Math.log2(turn));
  return `turns ${from}–${2 * from - 1}`;
}

function turnsOf(
  sessions: readonly Session[],
  judged: readonly RequestRow[],
  of: Population,
): TurnSummary[] {
  const turns = new Map<number, number>();
  for (const { booked } of sessions) {
    for (const [at, place] of booked.places.entries()) turns.set(place, at + 1);
  }
  const rows = judged.filter(({ scheduleIndex }) => turns.has(scheduleIndex));
  const turnOf = ({ scheduleIndex }: RequestRow): number => turns.get(scheduleIndex) ?? 0;
  const coarse = (row: RequestRow): string => (turnOf(row) === 1 ? 'first' : 'later');
  const fine = (row: RequestRow): string => turnName(turnOf(row));
  const byTurn = rows.toSorted((a, b) => turnOf(a) - turnOf(b)).map(fine);
  const parts = [
    { nameOf: coarse, order: ['first', 'later'] },
    { nameOf: fine, order: [...new Set(byTurn)] },
  ];
  return parts.flatMap(({ nameOf, order }) =>
    strataBy(rows, of, nameOf, order).map((stratum): TurnSummary => {
      const told = rows.filter(
        (row) =>
          nameOf(row) === stratum.name && row.outcome === 'completed' && row.promptTokens !== null,
      );
      const cached = told.filter((row) => row.cachedPromptTokens !== null);
      const cachedOf = total(cached, (row) => row.promptTokens);
      return {
        ...stratum,
        cachedTokenShare:
          cachedOf === 0 ? null : total(cached, (row) => row.cachedPromptTokens) / cachedOf,
        promptTokensMean:
          told.length === 0 ? null : total(told, (row) => row.promptTokens) / told.length,
      };
    }),
  );
}
