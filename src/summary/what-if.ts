/** The requests of one load point kept so that other objectives can be asked of them at once. */
import { secondsFromNs } from '../base/index.ts';
import {
  isOneOfSeveral,
  LogicalJoin,
  measureRecord,
  type ManifestPoint,
  type Measures,
  type OutputKind,
  type RequestRecord,
} from '../record/index.ts';
import {
  type Attainment,
  judgeMeasured,
  type Objective,
  type ObjectiveName,
} from '../slo/index.ts';
import { attainmentOfRows } from './attainment.ts';
import { isBacklogGrowing } from './backlog.ts';
import { type Inference, inferenceOf } from './inference.ts';
import type { Stay } from './in-flight.ts';
import { staysOf } from './littles-law.ts';
import { cohortWindow, isJudged, steadyWindow, wallWindow } from './rates.ts';
import { type RequestRow, requestRow, stayEndNs } from './request-row.ts';
import type { PointLoad, Window } from './summary.ts';
import { warmUpOf } from './warm-up.ts';

/** What one objective makes of a load point. */
export interface WhatIfPoint {
  readonly index: number;
  readonly load: PointLoad;
  readonly attainment: Attainment;
  readonly goodputRps: number | null;
  /** Judged requests that missed each part, and those that missed nothing else. */
  readonly misses: readonly {
    readonly objective: ObjectiveName;
    readonly missed: number;
    readonly soleMiss: number;
  }[];
}

interface KeptRequest {
  /** Without its events; what the judge reads of them stands in. */
  readonly record: RequestRecord;
  readonly measures: Measures;
  readonly row: { -readonly [Key in keyof RequestRow]: RequestRow[Key] };
}

interface JudgedWindow {
  readonly requests: readonly KeptRequest[];
  readonly rows: readonly RequestRow[];
  readonly inference: Inference;
  readonly window: Window;
}

/**
 * Keeps about 2 kB a request, never an event. Only limits may change from one question to the next:
 * which kinds count, refusals, and the quantile of gaps are those of `objective`.
 */
export class WhatIf {
  readonly #point: ManifestPoint;
  readonly #objective: Objective;
  readonly #kept: KeptRequest[] = [];
  readonly #join = new LogicalJoin((request, tries) => this.#keep(request, tries));
  /** Stays of tries that are joined to requests: each is one of its own. */
  readonly #laterStays: Stay[] = [];
  #window: JudgedWindow | null = null;

  constructor(point: ManifestPoint, objective: Objective) {
    this.#point = point;
    this.#objective = objective;
  }

  /** Takes the record of each try, in any order. */
  add(record: RequestRecord): void {
    if (record.dispatch.kind === 'notReached') return;
    if (isOneOfSeveral(record)) this.#laterStays.push(...stayOf(record));
    this.#join.add(record);
    this.#window = null;
  }

  #keep(record: RequestRecord, joinedTries: number | null): void {
    const { request } = this.#objective;
    const full = measureRecord(record, { counts: request.counts });
    const asked = judgeMeasured(record, full, this.#objective);
    const row = requestRow(record, full, { asked, doubt: NO_DOUBT, joinedTries }, this.#point);
    const gapsNs = full.chunkGapsNs;
    // The longest gap answers for all of them, unless a quantile of them is asked.
    const chunkGapsNs =
      request.gapQuantile !== null || gapsNs.length === 0
        ? gapsNs
        : [gapsNs.reduce((longest, gap) => Math.max(longest, gap))];
    const measures = { ...full, chunkGapsNs, itlNs: null };
    this.#kept.push({ record: withoutEvents(record), measures, row: { ...row } });
  }

  /** The answer to one objective, as a summary of the same records would give it. */
  ask(objective: Objective): WhatIfPoint {
    this.#window ??= this.#judgedWindow();
    const { requests, rows, inference, window } = this.#window;
    const missed = new Map<ObjectiveName, { missed: number; soleMiss: number }>();
    let good = 0;
    for (const { record, measures, row } of requests) {
      const judgement = judgeMeasured(record, measures, objective);
      row.verdict = judgement.verdict;
      if (judgement.verdict === 'good') good += 1;
      // Only a miss makes a request bad: the others have none to count.
      if (judgement.verdict !== 'bad') continue;
      const missing = judgement.objectives.filter(({ state }) => state === 'missed');
      for (const { objective: name } of missing) {
        const count = missed.get(name) ?? { missed: 0, soleMiss: 0 };
        count.missed += 1;
        if (missing.length === 1) count.soleMiss += 1;
        missed.set(name, count);
      }
    }
    const seconds = secondsFromNs(window.toNs - window.fromNs);
    const { index, kind, level, label, closedLoop } = this.#point;
    return {
      index,
      load: { kind, level, label, closedLoop },
      attainment: attainmentOfRows(rows, inference),
      goodputRps: seconds > 0 ? good / seconds : null,
      misses: [...missed].map(([name, counts]) => ({ objective: name, ...counts })),
    };
  }

  /** Which requests are judged does not depend on the objective. The same way a summary takes. */
  #judgedWindow(): JudgedWindow {
    this.#join.finish();
    const all = this.#kept.toSorted((a, b) => a.row.plannedNs - b.row.plannedNs);
    const rows = all.map(({ row }) => row);
    const stays = [...staysOf(rows.filter((row) => row.joinedTries === null)), ...this.#laterStays];
    const ended = this.#endedPoint(rows);
    const wall = wallWindow(rows, ended);
    const warmUp = warmUpOf(stays, ended, cohortWindow(wall, ended));
    const point = { ...ended, steadyFromNs: warmUp.untilNs };
    const requests = all.filter(({ row }) => isJudged(row.plannedNs, point));
    const judged = requests.map(({ row }) => row);
    const offering = cohortWindow(wall, point);
    const growing = !point.closedLoop && isBacklogGrowing(stays, offering);
    return {
      requests,
      rows: judged,
      inference: inferenceOf(judged, stays, offering, growing),
      window: steadyWindow(point) ?? wall,
    };
  }

  /** A point that crashed offered load until its last start; only its plan is in the manifest. */
  #endedPoint(rows: readonly RequestRow[]): ManifestPoint {
    const { partial, generator, stopNs } = this.#point;
    const last = rows.at(-1);
    if (!partial || generator !== null || last === undefined) return this.#point;
    return { ...this.#point, stopNs: Math.min(stopNs, last.plannedNs + 1) };
  }
}

function stayOf(record: RequestRecord): Stay[] {
  const { dispatch } = record;
  const toNs = stayEndNs(record);
  return dispatch.kind === 'sent' && toNs !== null ? [{ fromNs: dispatch.dispatchedNs, toNs }] : [];
}

/** The client's own error is the summary's to judge. */
const NO_DOUBT: RequestRow['doubt'] = {
  kindest: 'unjudged',
  harshest: 'unjudged',
  errorNs: 0,
  firstErrorNs: 0,
  doneErrorNs: 0,
  tpotKindestNs: null,
  tpotHarshestNs: null,
  calmGapCount: 0,
  calmZeroGapCount: 0,
};

/** The kinds of an answer's events: few different ones in a run, so each list is kept once. */
const KINDS = new Map<string, readonly OutputKind[]>();

function withoutEvents(record: RequestRecord): RequestRecord {
  const { timeline } = record;
  if (timeline === null) return record;
  const { atNs, kind } = timeline.output;
  const kinds = [...new Set(kind)];
  const key = kinds.join();
  const shared = KINDS.get(key) ?? kinds;
  KINDS.set(key, shared);
  const output = { atNs: atNs.slice(0, 1), kind: shared, bytes: [], tokens: [], readId: [] };
  return { ...record, timeline: { ...timeline, output } };
}
