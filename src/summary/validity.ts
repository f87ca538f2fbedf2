/**
 * Whether a point can be trusted, judged apart from how the service did. The client's own error
 * counts only as far as it could change what is reported; overload is never a reason. Each kind of
 * reason has its file: `validity-generator.ts`, `validity-workload.ts`, `validity-delivery.ts`.
 */
import { percentText } from '../base/index.ts';
import type { ManifestPoint, RunCalibration } from '../record/index.ts';
import type { Objective } from '../slo/index.ts';
import type { RequestRow } from './request-row.ts';
import type { ScheduleFaults } from './schedule-watch.ts';
import type { PointSummary, Validity, ValidityReason } from './summary.ts';
import type { ClientReach } from './validity-client.ts';
import { calibrationReason, clientLoadOf, stampBoundOf } from './validity-calibration.ts';
import { coldConnectionsReason } from './validity-connections.ts';
import { bunchingReason } from './validity-delivery.ts';
import {
  clientErrorReason,
  FREE_THE_CLIENT,
  hostStallReason,
  lateDispatchReason,
  loopReason,
  lostGeneratorReason,
  MATERIAL_SHARE,
  slowPacerReason,
} from './validity-generator.ts';
import { tokenizerReasons } from './validity-tokens.ts';
import { counted } from './validity-words.ts';
import {
  alignmentReason,
  cachedShareReason,
  cacheDriftReason,
  lostOnReuseReason,
  outputLengthReason,
} from './validity-workload.ts';

const PATH_GAP_SHARE = 0.01;

/** What the checks look at; everything is of one point. */
export interface ValidityEvidence {
  readonly point: ManifestPoint;
  readonly objective: Objective;
  /** Due requests by plan: all, and those of the judged window. */
  readonly rows: readonly RequestRow[];
  readonly judged: readonly RequestRow[];
  readonly summary: Omit<PointSummary, 'validity' | 'clientError'>;
  readonly schedule: ScheduleFaults;
  readonly reach: ClientReach;
  readonly exactOutput: boolean;
  readonly prefixCache: string;
  readonly calibration: RunCalibration | null;
}

/** All reasons, the gravest first. A point is valid unless one of them says `invalid`. */
export function validityOf(evidence: ValidityEvidence): Validity {
  const { point, objective, summary, rows, judged, schedule, calibration } = evidence;
  const { generator } = point;
  const client = {
    objective,
    bound: stampBoundOf(calibration, objective),
    attainmentShare: summary.attainment.share,
    reach: evidence.reach,
    scheduleLagNs: summary.scheduleLagNs,
    generator,
  };
  const reasons = [
    ledgerReason(schedule),
    lostWorkerReason(schedule),
    lostGeneratorReason(generator),
    lostStartsReason(evidence),
    pathReason(summary.littlesLaw.pathGapShare),
    slowPacerReason(rows, point.closedLoop),
    clientErrorReason(client),
    lateDropReason(summary),
    outputLengthReason(judged, evidence.exactOutput),
    cachedShareReason(summary.cachedTokenShare, evidence.prefixCache),
    cacheDriftReason(judged, point.kind === 'trace'),
    ...tokenizerReasons(summary.tokenAgreement),
    alignmentReason(judged),
    bunchingReason(judged, point),
    lostOnReuseReason(judged),
    allFailedReason(summary),
    loopReason(generator),
    calibrationReason({ calibration, objective, generator, load: clientLoadOf(evidence) }),
    lateDispatchReason(client),
    backlogReason(summary),
    ceilingReason(summary),
    hostStallReason(client),
    coldConnectionsReason(judged, generator),
  ].filter((reason) => reason !== null);
  const rank = { invalid: 0, warning: 1, note: 2 };
  return {
    valid: reasons.every((reason) => reason.severity !== 'invalid'),
    reasons: reasons.toSorted((a, b) => rank[a.severity] - rank[b.severity]),
  };
}

function ledgerReason(faults: ScheduleFaults): ValidityReason | null {
  const parts = [
    counted(
      faults.missing,
      'place of the schedule without a record',
      'places of the schedule without a record',
    ),
    counted(faults.repeated, 'record repeated', 'records repeated'),
    counted(faults.afterStop, 'request planned after the stop', 'requests planned after the stop'),
    counted(
      faults.backwards,
      'answer done before its dispatch',
      'answers done before their dispatch',
    ),
  ].filter((part) => part !== null);
  if (parts.length === 0) return null;
  return {
    check: 'ledger',
    severity: 'invalid',
    message: `the records do not match the schedule: ${parts.join(', ')}`,
    advice: 'check that every records file of the run is present, once',
  };
}

function lostWorkerReason({ lostStripe }: ScheduleFaults): ValidityReason | null {
  if (lostStripe === null) return null;
  const { every, from } = lostStripe;
  return {
    check: 'lostWorker',
    severity: 'invalid',
    message: `1 place in ${every} has no record from place ${from} to the end: the part of one generator was lost`,
    advice: 'find out why it ended, and run the point again',
  };
}

function lostStartsReason({ summary, schedule }: ValidityEvidence): ValidityReason | null {
  const lost = (summary.dropReasons['generatorLost'] ?? 0) + schedule.overlooked;
  if (lost === 0) return null;
  return {
    check: 'lostStarts',
    severity: 'invalid',
    message: `the generator lost ${lost} of ${summary.ledger.scheduled} starts`,
    advice: 'offer less load from this machine or give it more cores',
  };
}

function pathReason(pathGapShare: number | null): ValidityReason | null {
  if (pathGapShare === null || Math.abs(pathGapShare) <= PATH_GAP_SHARE) return null;
  const what = pathGapShare > 0 ? 'requests without a record' : 'records without a request';
  return {
    check: 'littlesLaw',
    severity: 'invalid',
    message: `the client's count of requests in flight and its records differ by ${percentText(Math.abs(pathGapShare))}: ${what}`,
    advice: 'do not use this point, and please report it as a bug of goodput',
  };
}

/** Starts dropped for the generator's own lateness are misses that the service had no part in. */
function lateDropReason({
  dropReasons,
  ledger,
}: ValidityEvidence['summary']): ValidityReason | null {
  const late = dropReasons['late'] ?? 0;
  if (late === 0) return null;
  const invalid = late / ledger.scheduled > MATERIAL_SHARE;
  return {
    check: 'lateDrops',
    severity: invalid ? 'invalid' : 'note',
    message: `this client was too late for ${late} of ${ledger.scheduled} starts and dropped them`,
    advice: invalid ? FREE_THE_CLIENT : null,
  };
}

function allFailedReason({
  ledger,
  failureClasses,
}: ValidityEvidence['summary']): ValidityReason | null {
  const { scheduled, completed } = ledger;
  if (scheduled === 0 || completed > 0) return null;
  const [failure] = Object.keys(failureClasses);
  return {
    check: 'nothingCompleted',
    severity: 'warning',
    message: `none of ${scheduled} requests completed${failure === undefined ? '' : `; most failed with ${failure}`}`,
    advice: 'there is no latency to report; try one request with `goodput check`',
  };
}

function backlogReason({ backlogGrowing }: ValidityEvidence['summary']): ValidityReason | null {
  if (!backlogGrowing) return null;
  return {
    check: 'backlog',
    severity: 'note',
    message: 'the backlog kept growing, so latencies depend on how long the run was',
    advice: 'this load is above capacity: read attainment, not percentiles',
  };
}

function ceilingReason({ dropReasons }: ValidityEvidence['summary']): ValidityReason | null {
  const dropped = dropReasons['ceiling'] ?? 0;
  if (dropped === 0) return null;
  return {
    check: 'ceiling',
    severity: 'note',
    message: `ceiling-limited: ${dropped} starts were dropped at the limit of requests in flight, as misses`,
    advice: null,
  };
}
