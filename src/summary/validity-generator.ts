/** Whether this client could have changed the result: its starts, its stamps, its processor. */
import { percentText, roundedDuration } from '../base/index.ts';
import type { GeneratorEvidence } from '../record/index.ts';
import type { Objective } from '../slo/index.ts';
import { quantileName } from '../slo/index.ts';
import { quantileOf } from './quantile-summary.ts';
import type { RequestRow } from './request-row.ts';
import type { ClientError, QuantileSummary, ValidityReason } from './summary.ts';
import type { StampBound } from './validity-calibration.ts';
import { type ClientReach, FINE_ERROR_NS, fineErrorNs } from './validity-client.ts';

/**
 * Attainment may move by this much, one point, before the client's error matters. Exactly one is
 * not more than one, whatever the last bit of a difference of shares says.
 */
export const MATERIAL_SHARE = 0.01 + 1e-9;
/** Where nothing is asked of latencies, a quantile may move by this much. */
const MATERIAL_QUANTILE_SHARE = 0.05;
const LOOP_BUSY_SHARE = 0.65;
/** Starts that fall behind by more than this share of the time are a lower load. */
const PACE_LOSS_SHARE = 0.01;
const STARTS_MIN = 20;

export interface GeneratorInputs {
  readonly objective: Objective;
  readonly attainmentShare: number | null;
  readonly reach: ClientReach;
  /** How late its stamps may be where it saw no stall. */
  readonly bound: StampBound;
  readonly scheduleLagNs: QuantileSummary;
  readonly generator: GeneratorEvidence | null;
}

/** The client's error as far as it could change what is reported; `null` when it could not. */
export function clientErrorReason(inputs: GeneratorInputs): ValidityReason | null {
  const { objective, attainmentShare, reach } = inputs;
  const { touchedCount, judgedCount, attainment } = reach.error;
  const moved =
    attainment === null || attainmentShare === null
      ? 0
      : Math.max(attainment.high - attainmentShare, attainmentShare - attainment.low);
  const quantile = widestQuantile(reach.error);
  const blursQuantile = quantile !== null && quantile.share > MATERIAL_QUANTILE_SHARE;
  if (touchedCount === 0 && !reach.flips && !blursQuantile) return null;
  const invalid =
    moved > MATERIAL_SHARE || reach.flipsMaterially || (blursQuantile && !judgesLatency(objective));
  const effects = [
    touchedCount > 0 &&
      `good % by ${(100 * moved).toFixed(1)} (${touchedCount} of ${judgedCount} requests touched)`,
    blursQuantile &&
      (touchedCount === 0 || !judgesLatency(objective)) &&
      `${quantile.name} by ${percentText(quantile.share)}`,
  ].filter((effect) => effect !== false);
  const turns = reach.flips ? `${effects.length > 0 ? ' and ' : ' '}turn the verdict` : '';
  const moves = effects.length > 0 ? ` move ${effects.join(' and ')}` : '';
  return {
    check: 'clientError',
    severity: invalid ? 'invalid' : reach.flips ? 'warning' : 'note',
    message: `this client could${moves}${turns}: ${causeText(inputs)}`,
    advice: invalid
      ? causeAdvice(inputs.generator)
      : reach.flips
        ? 'the result is on the edge: measure longer'
        : null,
  };
}

/** Lateness that moved nothing is said all the same. */
export function lateDispatchReason(inputs: GeneratorInputs): ValidityReason | null {
  const lag = quantileOf(inputs.scheduleLagNs, 0.99);
  if (lag === null || lag.value <= fineErrorNs(inputs.objective)) return null;
  if (clientErrorReason(inputs) !== null) return null;
  return {
    check: 'lateDispatch',
    severity: 'note',
    message: `1 request in 100 left this client at least ${roundedDuration(lag.value)} late; that could move no verdict`,
    advice: null,
  };
}

/**
 * Starts of an open loop that fall ever further behind are a lower load than the one asked, whatever
 * became of the verdicts: lateness at the end against lateness at the beginning, by medians, so
 * that a stall or two are no trend.
 */
export function slowPacerReason(
  rows: readonly RequestRow[],
  isClosedLoop: boolean,
): ValidityReason | null {
  const starts = rows.filter((row) => row.dispatchedNs !== null);
  if (isClosedLoop || starts.length < STARTS_MIN) return null;
  const part = Math.floor(starts.length / 5);
  const first = medianStart(starts.slice(0, part));
  const last = medianStart(starts.slice(-part));
  const fellBehindNs = last.lagNs - first.lagNs;
  const share = fellBehindNs / (last.plannedNs - first.plannedNs + fellBehindNs);
  if (!(share > PACE_LOSS_SHARE) || fellBehindNs <= FINE_ERROR_NS) return null;
  return {
    check: 'slowPacer',
    severity: 'invalid',
    message: `starts fell ever further behind, ${roundedDuration(last.lagNs)} by the end: the load sent was ${percentText(share)} below the one asked`,
    advice: 'this client cannot keep the rate: offer less load from it, or use a faster machine',
  };
}

function medianStart(rows: readonly RequestRow[]): { lagNs: number; plannedNs: number } {
  const middle = (values: number[]): number =>
    values.toSorted((a, b) => a - b)[values.length >> 1] as number;
  return {
    lagNs: middle(rows.map((row) => (row.dispatchedNs as number) - row.plannedNs)),
    plannedNs: middle(rows.map((row) => row.plannedNs)),
  };
}

export function loopReason(generator: GeneratorEvidence | null): ValidityReason | null {
  if (generator === null || generator.loopUtilisationShare <= LOOP_BUSY_SHARE) return null;
  return {
    check: 'loopUtilisation',
    severity: 'warning',
    message: `the client's event loop was busy ${percentText(generator.loopUtilisationShare)} of the time`,
    advice: 'near saturation stamps come late: offer less load from this process',
  };
}

/** A generator process that died took requests with it; that the rest went on changes nothing. */
export function lostGeneratorReason(generator: GeneratorEvidence | null): ValidityReason | null {
  const processes = generator?.processes ?? [];
  const lost = processes.filter((each) => each.lost !== null);
  const [first] = lost;
  if (first === undefined) return null;
  return {
    check: 'lostGenerator',
    severity: 'invalid',
    message: `${lost.length} of ${processes.length} generator processes died in the middle: it ${first.lost}`,
    advice: 'find out what ended it (memory is the usual reason), and run the point again',
  };
}

export function hostStallReason(inputs: GeneratorInputs): ValidityReason | null {
  const { generator, reach } = inputs;
  if (generator === null || generator.hostStallCount === 0) return null;
  const times = generator.hostStallCount === 1 ? 'once' : `${generator.hostStallCount} times`;
  const untouched = reach.error.touchedCount === 0 ? '; that could move no verdict' : '';
  return {
    check: 'hostStalls',
    severity: 'note',
    message: `the client's machine stood still ${times}, at most ${roundedDuration(generator.hostStallMaxNs)}${untouched}`,
    advice: null,
  };
}

function judgesLatency({ request, population }: Objective): boolean {
  const { ttft, firstAnswerNs, tpot, gapMaxNs, gapQuantile, e2eNs } = request;
  const limits = [ttft, firstAnswerNs, tpot, gapMaxNs, gapQuantile, e2eNs];
  return limits.some((limit) => limit !== null) || population.quantiles.length > 0;
}

/** The quantile that could be off by the largest share of itself; fine errors are none. */
function widestQuantile(error: ClientError): { name: string; share: number } | null {
  const names = { ttft: 'TTFT', tpot: 'TPOT', e2e: 'completion' } as const;
  let widest: { name: string; share: number } | null = null;
  for (const { measure, q, valueNs, lowNs, highNs } of error.quantiles) {
    const byNs = Math.max(valueNs - lowNs, highNs - valueNs);
    const isFine = measure !== 'tpot' && byNs <= FINE_ERROR_NS;
    if (isFine || valueNs <= 0 || byNs / valueNs <= (widest?.share ?? 0)) continue;
    widest = { name: `${names[measure]} ${quantileName(q)}`, share: byNs / valueNs };
  }
  return widest;
}

function causeText({ scheduleLagNs, generator, objective, bound }: GeneratorInputs): string {
  const lag = quantileOf(scheduleLagNs, 0.99);
  const stalls = generator?.stalls ?? [];
  const longestNs = stalls.reduce((most, { fromNs, toNs }) => Math.max(most, toNs - fromNs), 0);
  const isLate = lag !== null && lag.value > fineErrorNs(objective);
  const causes = [
    (isLate || stalls.length === 0) &&
      lag !== null &&
      `1 start in 100 at least ${roundedDuration(lag.value)} late`,
    stalls.length > 0 &&
      `it stood still ${stalls.length === 1 ? 'once' : `${stalls.length} times`}, up to ${roundedDuration(longestNs)}`,
    bound.stampNs > 0 && boundText(bound),
  ].filter((cause) => cause !== false);
  return causes.join(', ');
}

function boundText({ stampNs, gapStampNs }: StampBound): string {
  const most = gapStampNs > stampNs ? `, ${roundedDuration(gapStampNs)} at most` : '';
  return `stamps up to ${roundedDuration(stampNs)} late by its calibration (p99${most})`;
}

/** What to do depends on whose doing most of the standing still was. */
function causeAdvice(generator: GeneratorEvidence | null): string {
  const spentNs = (cause: 'loop' | 'host'): number =>
    (generator?.stalls ?? []).reduce(
      (sum, stall) => sum + (stall.cause === cause ? stall.toNs - stall.fromNs : 0),
      0,
    );
  const [loopNs, hostNs] = [spentNs('loop'), spentNs('host')];
  if (hostNs > loopNs) return 'the machine was taken away: stop what else runs on it, then repeat';
  if (loopNs > 0) return 'the event loop stood still: offer less load from this process';
  return FREE_THE_CLIENT;
}

export const FREE_THE_CLIENT = 'free the machine, or offer less load from it';
