/**
 * What a calibration of the client (`goodput doctor`) says of the stamps of a point: how late each
 * may be where the point itself saw nothing wrong, and whether the calibration is one of this load.
 */
import type {
  CalibrationMisfit,
  ClientCalibration,
  ClientLoad,
  GeneratorEvidence,
  RunCalibration,
} from '../record/index.ts';
import { roundedDuration, secondsFromNs } from '../base/index.ts';
import type { Objective } from '../slo/index.ts';
import type { SummaryCalibration, ValidityReason } from './summary.ts';
import type { ValidityEvidence } from './validity.ts';

/** How late a stamp may be outside the client's stalls, in ns; 0 where nobody measured it. */
export interface StampBound {
  /**
   * Of a request's first, last and final stamp: one of a hundred was later, which is the one point
   * of attainment that validity allows.
   */
  readonly stampNs: number;
  /** Of the stamps around its gaps: where the largest gap is judged, the latest ever seen counts. */
  readonly gapStampNs: number;
}

export const NO_BOUND: StampBound = { stampNs: 0, gapStampNs: 0 };

/** A load larger than this many times the calibrated one is another load. */
const SAME_LOAD_FACTOR = 1.25;
/** Below the first a client is taken to stamp within 2 ms; above the second it is warned of anyway. */
const EASY_LOOP_SHARE = 0.35;
const FULL_LOOP_SHARE = 0.65;
/** 2 ms are 5 % of this: a tighter limit is within what a client may add. */
const TIGHT_LIMIT_NS = 40_000_000;

/** The bound that a calibration gives; none where it is not one of this client. */
export function stampBoundOf(calibration: RunCalibration | null, objective: Objective): StampBound {
  if (calibration === null || calibration.misfits.length > 0) return NO_BOUND;
  const { p99Ns, maxNs } = calibration.client.calmStampAge;
  if (p99Ns === null || maxNs === null) return NO_BOUND;
  const stampNs = Math.max(0, p99Ns);
  const { gapMaxNs } = objective.request;
  return { stampNs, gapStampNs: gapMaxNs === null ? stampNs : Math.max(stampNs, maxNs) };
}

export interface CalibrationInputs {
  readonly calibration: RunCalibration | null;
  readonly objective: Objective;
  readonly generator: GeneratorEvidence | null;
  /** What the point turned out to have; `null` = not observed. */
  readonly load: { readonly [K in keyof ClientLoad]: number | null };
}

/** The load of a point as one generator process felt it. */
export function clientLoadOf({
  point: { generator },
  judged,
  summary: { rates, inFlightMean },
}: Pick<ValidityEvidence, 'point' | 'judged' | 'summary'>): CalibrationInputs['load'] {
  const { fromNs, toNs } = rates.window;
  const seconds = secondsFromNs(toNs - fromNs);
  if (seconds <= 0) return { streamCount: null, chunksRps: null, startsRps: null };
  const started = judged.filter(({ dispatchedNs }) => dispatchedNs !== null);
  // A gap lies between two events, so an answer has one event more than it has gaps.
  const chunks = started.reduce(
    (sum, { gapCount, ttftFromDispatchNs }) =>
      sum + (ttftFromDispatchNs === null ? 0 : gapCount + 1),
    0,
  );
  const processes = Math.max(1, generator?.processes?.length ?? 1);
  return {
    streamCount: inFlightMean === null ? null : inFlightMean / processes,
    chunksRps: chunks / seconds / processes,
    startsRps: started.length / seconds / processes,
  };
}

/** `null` for a calibration of this client and load, and where none is missed. */
export function calibrationReason(inputs: CalibrationInputs): ValidityReason | null {
  const { calibration } = inputs;
  if (calibration === null) return uncalibratedReason(inputs);
  const { client, misfits } = calibration;
  if (misfits.length > 0) {
    return {
      check: 'calibration',
      severity: 'warning',
      message: `the calibration is stale and was not used: it was measured ${misfits.map((misfit) => MISFITS[misfit](client)).join(', ')}`,
      advice: 'measure this client: goodput doctor',
    };
  }
  return tooSmallReason(client, inputs.load);
}

const MISFITS: Readonly<Record<CalibrationMisfit, (client: ClientCalibration) => string>> = {
  machine: ({ host }) => `on another machine (${host.cpus} × ${host.cpuModel}, ${host.os})`,
  node: ({ tool }) => `under Node ${tool.node}`,
  transport: ({ transport: { name, tls, http2 } }) =>
    `over ${name}${tls ? ' with TLS' : ' without TLS'}${http2 ? ', HTTP/2' : ''}`,
  version: ({ tool }) => `by goodput ${tool.version}`,
};

function tooSmallReason(
  { reached }: ClientCalibration,
  load: CalibrationInputs['load'],
): ValidityReason | null {
  const parts = (['streamCount', 'chunksRps', 'startsRps'] as const).flatMap((name) => {
    const value = load[name];
    if (value === null || value <= SAME_LOAD_FACTOR * reached[name]) return [];
    return [`${rounded(value)} ${LOADS[name]} of ${rounded(reached[name])}`];
  });
  if (parts.length === 0) return null;
  const { streamCount, chunksRps } = load;
  const wanted = Math.ceil(streamCount ?? reached.streamCount);
  const tokenRate = Math.ceil((chunksRps ?? reached.chunksRps) / Math.max(1, wanted));
  return {
    check: 'calibration',
    severity: 'warning',
    message: `the calibration was for less load (here ${parts.join(', ')}): stamps may be later than it says`,
    advice: `measure it: goodput doctor --streams ${wanted} --token-rate ${Math.max(1, tokenRate)}`,
  };
}

const LOADS = {
  streamCount: 'streams',
  chunksRps: 'chunks/s',
  startsRps: 'starts/s',
} as const satisfies Readonly<Record<keyof ClientLoad, string>>;

/** Said only where the lateness of stamps that nobody saw might matter. */
function uncalibratedReason({ objective, generator }: CalibrationInputs): ValidityReason | null {
  if (generator === null) return null;
  const tightestNs = tightestStampLimitNs(objective);
  if (tightestNs === null) return null;
  const busy = generator.loopUtilisationShare;
  const isTight = tightestNs < TIGHT_LIMIT_NS;
  const isBusy = busy > EASY_LOOP_SHARE && busy <= FULL_LOOP_SHARE;
  if (!isTight && !isBusy) return null;
  const why = isTight
    ? `a limit of ${roundedDuration(tightestNs)} is within reach of what a client may add`
    : `its loop was busy ${(100 * busy).toFixed(0)} % of the time`;
  return {
    check: 'calibration',
    severity: 'note',
    message: `uncalibrated: how late this client stamps was not measured, and ${why}`,
    advice: 'measure it before the run: goodput doctor',
  };
}

/** The tightest limit on one stamp or two: first output, first answer and gaps. `null` when none is set. */
export function tightestStampLimitNs({ request }: Objective): number | null {
  const { ttft, firstAnswerNs, gapMaxNs, gapQuantile } = request;
  const limits = [
    ...(ttft ?? []).map(({ limitNs }) => limitNs),
    firstAnswerNs,
    gapMaxNs,
    gapQuantile?.limitNs ?? null,
  ].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

/** What a summary publishes of the calibration of its run. */
export function summaryCalibrationOf(
  calibration: RunCalibration | null,
): SummaryCalibration | null {
  if (calibration === null) return null;
  const { client, misfits } = calibration;
  const { measuredAt, burst, reached, calmStampAge } = client;
  return {
    measuredAt,
    used: misfits.length === 0 && calmStampAge.p99Ns !== null,
    misfits,
    ...reached,
    burst,
    stampAgeP99Ns: calmStampAge.p99Ns,
    stampAgeMaxNs: calmStampAge.maxNs,
  };
}

function rounded(value: number): string {
  return value < 10 ? value.toFixed(1) : String(Math.round(value));
}
