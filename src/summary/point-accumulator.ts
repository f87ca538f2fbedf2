/** Makes the summary of one load point from its records, one at a time. */
import { assert } from '../base/index.ts';
import {
  isOneOfSeveral,
  LogicalJoin,
  measureRecord,
  type ManifestPoint,
  type RequestRecord,
  type RunCalibration,
} from '../record/index.ts';
import { judgeMeasured, type Objective } from '../slo/index.ts';
import { GapPool } from './gap-pool.ts';
import { isJudged } from './rates.ts';
import { requestRow } from './request-row.ts';
import { RequestRows } from './request-rows.ts';
import { ScheduleWatch } from './schedule-watch.ts';
import { SessionBook } from './session-book.ts';
import { summarisePoint, type PointData } from './summarise-point.ts';
import type { PointSummary } from './summary.ts';
import { TokenWatch } from './token-agreement.ts';
import { ToldTally } from './told-tally.ts';
import { stampBoundOf } from './validity-calibration.ts';
import { clientDoubtOf, clockedObjectives } from './validity-doubt.ts';
import { StallIndex } from './validity-stalls.ts';

export interface PointAccumulatorOptions {
  readonly point: ManifestPoint;
  readonly objective: Objective;
  /** Whether exact output lengths were asked of the server. */
  readonly exactOutput: boolean;
  /** Prefix cache policy that was asked for. */
  readonly prefixCache: string;
  /** What is known of the client's stamps; left out: nothing. */
  readonly calibration?: RunCalibration | null;
}

/** Takes records in any order; `finish` gives the summary of those added so far. */
export interface PointAccumulator {
  add(record: RequestRecord): void;
  /**
   * `ended`: the point as it came to be, where it was only planned before. It must have stopped as
   * planned: what was added was counted by that.
   */
  finish(ended?: ManifestPoint): PointSummary;
}

/**
 * An accumulator for the records of one point. Memory: about 400 bytes a request and 8 to 16 bytes
 * a gap (its column grows by doubling); answers themselves are not kept.
 */
export function createPointAccumulator(options: PointAccumulatorOptions): PointAccumulator {
  const { point, objective } = options;
  const objectives = clockedObjectives(objective);
  const { calibration = null } = options;
  const stamps = {
    stalls: new StallIndex(point.generator),
    bound: stampBoundOf(calibration, objective),
  };
  const { counts } = objective.request;
  const data: PointData = {
    rows: new RequestRows(),
    joinedTries: new RequestRows(),
    isRetried: false,
    told: new ToldTally(),
    tokens: new TokenWatch(),
    notReached: 0,
    sessions: new SessionBook(),
    gaps: new GapPool(),
    alignedCount: 0,
    schedule: new ScheduleWatch(point),
  };
  const judged = (record: RequestRecord, joinedTries: number | null) => {
    const measures = measureRecord(record, { counts });
    const asked = judgeMeasured(record, measures, objective);
    const doubt = clientDoubtOf({ record, measures, asked }, objectives, stamps);
    return { measures, row: requestRow(record, measures, { asked, doubt, joinedTries }, point) };
  };
  const join = new LogicalJoin((request, tries) => {
    const { measures, row } = judged(request, tries);
    data.rows.push(row);
    if (row.outcome === 'completed' && isJudged(row.plannedNs, point)) {
      data.gaps.push(row.plannedNs, measures.chunkGapsNs, measures.itlNs !== null);
      if (measures.itlNs !== null) data.alignedCount += 1;
    }
  });
  return {
    add(record) {
      data.schedule.add(record);
      data.sessions.add(record);
      if (record.dispatch.kind === 'notReached') {
        data.notReached += 1;
        return;
      }
      data.told.add(record);
      data.tokens.add(record);
      data.isRetried ||= record.logicalRequestId !== record.requestId;
      if (isOneOfSeveral(record)) data.joinedTries.push(judged(record, null).row);
      join.add(record);
    },
    finish(ended = point) {
      join.finish();
      assert(isSameSpan(point, ended), `point ${point.index} did not stop as planned`);
      return summarisePoint(data, {
        point: endedPoint(ended, data.rows),
        objective,
        exactOutput: options.exactOutput,
        prefixCache: options.prefixCache,
        calibration,
      });
    },
  };
}

/** Whether records counted for one are counted right for the other. */
export function isSameSpan(one: ManifestPoint, other: ManifestPoint): boolean {
  return (
    one.stopNs === other.stopNs &&
    one.partial === other.partial &&
    one.steadyFromNs === other.steadyFromNs &&
    one.generator === other.generator
  );
}

/**
 * A point that crashed has only its planned stop in the manifest. It offered load until its last
 * start, and its rates are over that time.
 */
function endedPoint(point: ManifestPoint, rows: RequestRows): ManifestPoint {
  const crashed = point.partial && point.generator === null;
  if (!crashed || rows.length === 0) return point;
  const lastNs = rows.views().reduce((last, { plannedNs }) => Math.max(last, plannedNs), 0);
  return { ...point, stopNs: Math.min(point.stopNs, lastNs + 1) };
}
