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

/**
 * Attainment may move by this much, one point, before the client's error matters. Exactly one is
 * not more than one, whatever the last bit of a difference of shares says.
 */
const MATERIAL_SHARE = 0.01 + 1e-9;
const LOOP_BUSY_SHARE = 0.65;
const PATH_GAP_SHARE = 0.01;
const OUTPUT_LENGTH_SHARE = 0.01;
const LATE_DISPATCH_NS = 2 * NS_PER_MS;
/** More than a chat template's tokens in a prompt of a few hundred. */
const CACHED_SHARE = 0.25;

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
  /** Completed answers whose counts contradict one token per event, declared or told. */
  readonly alignmentBroken: { readonly count: number; readonly of: number };
  /** Failures of the race between a request and the server closing the idle connection. */
  readonly lostOnReuse: number;
  readonly prefixCache: string;
  readonly cachedTokenShare: number | null;
  readonly generator: GeneratorEvidence | null;
}

/** All reasons, the gravest first. A point is valid unless one of them says `invalid`. */
export function validityOf(evidence: ValidityEvidence): Validity {
  const reasons = [
    ledgerReason(evidence.schedule),
    lostStartsReason(evidence),
    pathReason(evidence.littlesLaw.pathGapShare),
    lateDispatchReason(evidence),
    lateDropReason(evidence),
    outputLengthReason(evidence.outputLengths),
    cachedShareReason(evidence),
    alignmentReason(evidence.alignmentBroken),
    lostOnReuseReason(evidence.lostOnReuse),
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
    message: `the client's count of requests in flight and its records differ by ${percent(Math.abs(pathGapShare))}: ${what}`,
    advice: 'do not use this point, and please report it as a bug of goodput',
  };
}

/**
 * Late dispatch is judged by what it could change: every request is judged a second time with its
 * own lateness out of its latencies (or in, where the objective starts the clock at dispatch). A
 * verdict that lateness too small to matter could turn was on the edge: that is said, not blamed.
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
  const invalid = moved > MATERIAL_SHARE || (late && flips);
  const left = `1 request in 100 left this client at least ${msFromNs(lag.value).toPrecision(3)} ms late`;
  const effect =
    moved === 0
      ? 'that moved no verdict'
      : `that alone could move attainment by ${percent(moved)}${flips ? ' and turn the verdict' : ''}`;
  return {
    check: 'lateDispatch',
    severity: invalid ? 'invalid' : flips ? 'warning' : 'note',
    message: `${left}; ${effect}`,
    advice: invalid ? FREE_THE_CLIENT : flips ? 'the result is on the edge: measure longer' : null,
  };
}

const FREE_THE_CLIENT = 'free the machine, or offer less load from it';

/** Starts dropped for the generator's own lateness are misses that the service had no part in. */
function lateDropReason({ dropReasons, ledger }: ValidityEvidence): ValidityReason | null {
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

/** The workload was not what was asked when prompts meant to be unique came from the cache. */
function cachedShareReason(evidence: ValidityEvidence): ValidityReason | null {
  const cached = evidence.cachedTokenShare;
  if (evidence.prefixCache !== 'unique' || cached === null || cached <= CACHED_SHARE) return null;
  return {
    check: 'cachedShare',
    severity: 'invalid',
    message: `prompts were to be unique, yet ${percent(cached)} of their tokens came from the prefix cache`,
    advice: 'use longer prompts, or declare the prefix shared',
  };
}

/** Declared or told one token per event, and then the counts differ: TPOT is an estimate there. */
function alignmentReason(broken: ValidityEvidence['alignmentBroken']): ValidityReason | null {
  if (broken.count === 0) return null;
  return {
    check: 'tokenAlignment',
    severity: 'warning',
    message: `${broken.count} of ${broken.of} answers had more or fewer tokens than events, though one per event was expected`,
    advice: 'their TPOT is an estimate and they give no token gaps',
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

/** Counted as failed, since the server may have taken them; said, since it may not have. */
function lostOnReuseReason(lost: number): ValidityReason | null {
  const what = counted(
    lost,
    'failed request met a kept connection',
    'failed requests met kept connections',
  );
  if (what === null) return null;
  return {
    check: 'lostOnReuse',
    severity: 'warning',
    message: `${what} that the server was closing: a race, not a sign of load`,
    advice: 'have the server keep idle connections for more than 5 s',
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
    message: 'the backlog kept growing, so latencies depend on how long the run was',
    advice: 'this load is above capacity: read attainment, not percentiles',
  };
}

function ceilingReason(evidence: ValidityEvidence): ValidityReason | null {
  const dropped = evidence.dropReasons['ceiling'] ?? 0;
  if (dropped === 0) return null;
  return {
    check: 'ceiling',
    severity: 'note',
    message: `ceiling-limited: ${dropped} starts were dropped at the limit of requests in flight, as misses`,
    advice: null,
  };
}

function hostStallReason(generator: GeneratorEvidence | null): ValidityReason | null {
  if (generator === null || generator.hostStallCount === 0) return null;
  return {
    check: 'hostStalls',
    severity: 'note',
    message: `the client's machine stood still ${generator.hostStallCount === 1 ? 'once' : `${generator.hostStallCount} times`}, at most ${msFromNs(generator.hostStallMaxNs).toPrecision(3)} ms`,
    advice: null,
  };
}

function counted(count: number, one: string, many: string): string | null {
  return count === 0 ? null : `${count} ${count === 1 ? one : many}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
