/**
 * Whether a point can be trusted, judged apart from how the service did. The client's own error
 * counts only as far as it could change what is reported; overload is never a reason.
 */
import { msFromNs, NS_PER_MS } from '../base/index.ts';
import type { GeneratorEvidence } from '../record/index.ts';
import type { Attainment, Objective } from '../slo/index.ts';
import type {
  Ledger,
  PointSummary,
  PopulationResult,
  QuantileSummary,
  Validity,
  ValidityReason,
} from './summary.ts';
import { quantileOf } from './quantile-summary.ts';
import type { ScheduleFaults } from './schedule-watch.ts';

/** Attainment may move by this much, one point, before the client's error matters. */
const MATERIAL_SHARE = 0.01;
const LOOP_BUSY_SHARE = 0.65;
const PATH_GAP_SHARE = 0.01;
const OUTPUT_LENGTH_SHARE = 0.01;
const LATE_DISPATCH_NS = 2 * NS_PER_MS;

/** What the checks look at; every figure is of one point. */
export interface ValidityEvidence {
  readonly objective: Objective;
  readonly ledger: Ledger;
  readonly dropReasons: Readonly<Record<string, number>>;
  readonly failureClasses: Readonly<Record<string, number>>;
  readonly backlogGrowing: boolean;
  readonly littlesLaw: PointSummary['littlesLaw'];
  readonly scheduleLagNs: QuantileSummary;
  readonly attainment: Attainment;
  readonly population: readonly PopulationResult[];
  /** The same two with each request's own lateness taken out of (or into) its latencies. */
  readonly otherStart: {
    readonly attainment: Attainment;
    readonly attainmentState: PopulationResult['state'] | null;
  };
  readonly schedule: ScheduleFaults;
  readonly outputLengths: { readonly asked: boolean; readonly off: number; readonly known: number };
  readonly generator: GeneratorEvidence | null;
}

/** All reasons, the gravest first. A point is valid unless one of them says `invalid`. */
export function validityOf(evidence: ValidityEvidence): Validity {
  const reasons = [
    ledgerReason(evidence.schedule),
    lostStartsReason(evidence),
    pathReason(evidence.littlesLaw.pathGapShare),
    lateDispatchReason(evidence),
    outputLengthReason(evidence.outputLengths),
    allFailedReason(evidence),
    loopReason(evidence.generator),
    backlogReason(evidence),
    ceilingReason(evidence),
    hostStallReason(evidence.generator),
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

function lostStartsReason(evidence: ValidityEvidence): ValidityReason | null {
  const lost = (evidence.dropReasons['generatorLost'] ?? 0) + evidence.schedule.overlooked;
  if (lost === 0) return null;
  return {
    check: 'lostStarts',
    severity: 'invalid',
    message: `the generator lost ${lost} of ${evidence.ledger.scheduled} starts`,
    advice: 'offer less load from this machine or give it more cores',
  };
}

function pathReason(pathGapShare: number | null): ValidityReason | null {
  if (pathGapShare === null || Math.abs(pathGapShare) <= PATH_GAP_SHARE) return null;
  const what = pathGapShare > 0 ? 'requests without a record' : 'records without a request';
  return {
    check: 'littlesLaw',
    severity: 'invalid',
    message: `in-flight and sojourns differ by ${percent(Math.abs(pathGapShare))}: ${what}`,
    advice: 'do not use this point; please report it as a bug of the generator',
  };
}

/**
 * Late dispatch is judged by what it could change: every request is judged a second time with its
 * own lateness out of its latencies (or in, where the objective starts the clock at dispatch).
 */
function lateDispatchReason(evidence: ValidityEvidence): ValidityReason | null {
  const lag = quantileOf(evidence.scheduleLagNs, 0.99);
  if (lag === null) return null;
  const moved = Math.abs(
    (evidence.attainment.share ?? 0) - (evidence.otherStart.attainment.share ?? 0),
  );
  const allowedNs = Math.max(LATE_DISPATCH_NS, 0.01 * (tightestTtftNs(evidence.objective) ?? 0));
  const asked = evidence.population.find((result) => result.target.startsWith('attainment'));
  const flips =
    asked !== undefined &&
    evidence.otherStart.attainmentState !== null &&
    asked.state !== evidence.otherStart.attainmentState;
  const late = lag.value > allowedNs;
  if (!late && moved === 0) return null;
  const invalid = late && (flips || moved > MATERIAL_SHARE);
  const p99 = `p99 of the client's own lateness is ${msFromNs(lag.value).toPrecision(3)} ms`;
  return {
    check: 'lateDispatch',
    severity: invalid ? 'invalid' : 'note',
    message: `${p99}; it could move attainment by ${percent(moved)}${flips ? ' and turn the verdict' : ''}`,
    advice: invalid ? 'free the machine, offer less load, or spread it over more machines' : null,
  };
}

function tightestTtftNs(objective: Objective): number | null {
  const limits = objective.request.ttft?.map((bucket) => bucket.limitNs) ?? [];
  return limits.length === 0 ? null : Math.min(...limits);
}

function outputLengthReason(lengths: ValidityEvidence['outputLengths']): ValidityReason | null {
  if (!lengths.asked || lengths.off === 0) return null;
  const share = lengths.off / lengths.known;
  return {
    check: 'outputLengths',
    severity: share > OUTPUT_LENGTH_SHARE ? 'invalid' : 'note',
    message: `${lengths.off} of ${lengths.known} answers did not have the exact length asked for`,
    advice: 'check that the server honours ignore_eos and min_tokens',
  };
}

function allFailedReason(evidence: ValidityEvidence): ValidityReason | null {
  const { scheduled, completed } = evidence.ledger;
  if (scheduled === 0 || completed > 0) return null;
  const [failure] = Object.keys(evidence.failureClasses);
  return {
    check: 'nothingCompleted',
    severity: 'warning',
    message: `none of ${scheduled} requests completed${failure === undefined ? '' : `; most failed with ${failure}`}`,
    advice: 'there is no latency to report; try one request with `goodput check`',
  };
}

function loopReason(generator: GeneratorEvidence | null): ValidityReason | null {
  if (generator === null || generator.loopUtilisationShare <= LOOP_BUSY_SHARE) return null;
  return {
    check: 'loopUtilisation',
    severity: 'warning',
    message: `the client's event loop was busy ${percent(generator.loopUtilisationShare)} of the time`,
    advice: 'near saturation stamps come late: offer less load from this process',
  };
}

function backlogReason(evidence: ValidityEvidence): ValidityReason | null {
  if (!evidence.backlogGrowing) return null;
  return {
    check: 'backlog',
    severity: 'note',
    message: 'the backlog grew while load was offered: latencies depend on the duration',
    advice: 'this load is above capacity; read attainment, not percentiles',
  };
}

function ceilingReason(evidence: ValidityEvidence): ValidityReason | null {
  const dropped = evidence.dropReasons['ceiling'] ?? 0;
  if (dropped === 0) return null;
  return {
    check: 'ceiling',
    severity: 'note',
    message: `${dropped} arrivals met the in-flight ceiling and count as misses: ceiling-limited`,
    advice: null,
  };
}

function hostStallReason(generator: GeneratorEvidence | null): ValidityReason | null {
  if (generator === null || generator.hostStallCount === 0) return null;
  return {
    check: 'hostStalls',
    severity: 'note',
    message: `the client's machine stood still ${generator.hostStallCount} times, at most ${msFromNs(generator.hostStallMaxNs).toPrecision(3)} ms`,
    advice: null,
  };
}

function counted(count: number, one: string, many: string): string | null {
  return count === 0 ? null : `${count} ${count === 1 ? one : many}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
