/** What is wrong with a client, as measured, and what to do about each. */
import {
  NS_PER_MS,
  NS_PER_SECOND,
  NS_PER_US,
  groupedCount,
  roundedDuration,
  percentText,
} from '../base/index.ts';
import type { ClientCalibration, GeneratorEvidence, SpanQuantiles } from '../record/index.ts';
import type { PlannedLoad } from './planned-load.ts';

export type FindingState = 'pass' | 'warn' | 'fail';

/** One line of the verdict. */
export interface Finding {
  /** Machine word. */
  readonly check: string;
  readonly state: FindingState;
  readonly message: string;
  /** What to do; `null` of a pass. */
  readonly advice: string | null;
}

/** What the machine says of itself; `null` where the system does not tell. */
export interface MachineFacts {
  readonly cores: number;
  /** Mean number of threads that ran or wanted to, over the last minute; 0 on Windows. */
  readonly loadAverage: number;
  readonly descriptorLimit: number | null;
  /** Connections that one address of a server can have from this machine at once. */
  readonly portCount: number | null;
  /** How much later than asked the kernel may wake a sleeping thread to save energy. */
  readonly timerSlackNs: number | null;
  /** Smallest step between two readings of the clock. */
  readonly clockStepNs: number;
  /** Median lateness of a timer of 1 ms of this process while it is idle. */
  readonly timerLateNs: number;
}

export interface DoctorEvidence {
  readonly load: PlannedLoad;
  readonly calibration: ClientCalibration;
  readonly generator: GeneratorEvidence;
  readonly machine: MachineFacts;
  /** How long the streams were filled and measured. */
  readonly lastedNs: number;
  /** The tightest limit that the run will ask of one stamp (TTFT, gap); `null` when none is known. */
  readonly tightestLimitNs: number | null;
  readonly failureCount: number;
  readonly unknownCount: number;
}

/** A loop busier than this is late for what it reads: a generator is planned to stay below. */
export const LOOP_FULL_SHARE = 0.65;
const LOOP_BUSY_SHARE = 0.5;
/** Errors of this size no shared machine is free of. */
const FINE_NS = 2 * NS_PER_MS;
/** Errors beyond this look like the service's own, whatever is asked of it. */
const GROSS_NS = 20 * NS_PER_MS;
/** Of the tightest limit: beyond the first a look is worth it, beyond the second nothing is shown. */
const FINE_SHARE = 0.01;
const GROSS_SHARE = 0.05;
const REACHED_SHARE = 0.95;
const OTHER_DESCRIPTORS = 64;

/** Every check, in the order in which a reader wants them. */
export function findingsOf(evidence: DoctorEvidence): Finding[] {
  return [
    comparison(evidence),
    stampAge(evidence),
    lateness(evidence),
    loop(evidence),
    reached(evidence),
    stalls(evidence),
    descriptors(evidence),
    ports(evidence),
    timers(evidence),
    cores(evidence),
  ];
}

/** The worst of them. */
export function verdictOf(findings: readonly Finding[]): FindingState {
  const states = new Set(findings.map(({ state }) => state));
  return states.has('fail') ? 'fail' : states.has('warn') ? 'warn' : 'pass';
}

/** Generator processes that the planned chunks need, each with its loop at 65 % at most. */
export function processesNeeded(
  chunksRps: number,
  { roomChunksRps }: Pick<ClientCalibration, 'roomChunksRps'>,
): number {
  return roomChunksRps === null ? 1 : Math.max(1, Math.ceil(chunksRps / roomChunksRps));
}

function pass(check: string, message: string): Finding {
  return { check, state: 'pass', message, advice: null };
}

/** Without answers and their truth, nothing below means anything. */
function comparison({ failureCount, unknownCount, calibration }: DoctorEvidence): Finding {
  const { sampleCount: count } = calibration.stampAge;
  const check = 'comparison';
  if (failureCount === 0 && unknownCount === 0 && count > 0) {
    return pass(check, `${groupedCount(count)} stamps compared with the instant of sending`);
  }
  return {
    check,
    state: 'fail',
    message: `${failureCount} answers failed, ${unknownCount} stamps have no counterpart, ${count} were compared`,
    advice: 'free the machine (descriptors, memory, other load) and measure again',
  };
}

function stampAge(evidence: DoctorEvidence): Finding {
  const { stampAge: age, calmStampAge: calm } = evidence.calibration;
  return errorFinding(evidence, age, {
    check: 'stampAge',
    what: `stamps are up to ${figure(age.p99Ns)} late (p99), ${figure(calm.p99Ns)} outside this client's stalls`,
    advice: 'fewer streams per process, --transport fast, or a faster and quieter machine',
  });
}

function lateness(evidence: DoctorEvidence): Finding {
  const { lateness: late } = evidence.calibration;
  if (late.sampleCount === 0) {
    return {
      check: 'lateness',
      state: 'warn',
      message: 'no request was due while it was measured',
      advice: 'measure for longer: --duration 30s',
    };
  }
  return errorFinding(evidence, late, {
    check: 'lateness',
    what: `starts leave up to ${figure(late.p99Ns)} late (p99 of ${late.sampleCount})`,
    advice: 'fewer starts or streams per process, or a quieter machine',
  });
}

/** An error against what it may be: 2 ms, or a share of the tightest limit. */
function errorFinding(
  { tightestLimitNs }: DoctorEvidence,
  { p99Ns }: SpanQuantiles,
  { check, what, advice }: { check: string; what: string; advice: string },
): Finding {
  const errorNs = p99Ns ?? 0;
  const fineNs = Math.max(FINE_NS, FINE_SHARE * (tightestLimitNs ?? 0));
  const grossNs =
    tightestLimitNs === null ? GROSS_NS : Math.max(fineNs, GROSS_SHARE * tightestLimitNs);
  if (errorNs <= fineNs) return pass(check, what);
  const limit =
    tightestLimitNs === null
      ? ''
      : `, ${((100 * errorNs) / tightestLimitNs).toFixed(1)} % of the tightest limit`;
  const state = errorNs > grossNs ? 'fail' : 'warn';
  return { check, state, message: `${what}${limit}`, advice };
}

function loop({ calibration, load }: DoctorEvidence): Finding {
  const { loopUtilisationShare: share, roomChunksRps } = calibration;
  const room =
    roomChunksRps === null
      ? ''
      : `; one process has room for about ${rounded(roomChunksRps)} chunks/s`;
  const message = `the event loop is busy ${(100 * share).toFixed(0)} % of the time${room}`;
  if (share <= LOOP_BUSY_SHARE) return pass('loop', message);
  const needed = processesNeeded(load.chunksRps, calibration);
  const advice =
    needed > 1
      ? `this load needs ${needed} generator processes, or fewer streams`
      : 'little room is left: keep other work off this machine';
  return { check: 'loop', state: share > LOOP_FULL_SHARE ? 'fail' : 'warn', message, advice };
}

/** Whether the planned load was there, and if not, whose doing that was. */
function reached({ calibration, load }: DoctorEvidence): Finding {
  const { reached: got, serverLateness, loopUtilisationShare } = calibration;
  const share = got.chunksRps / load.chunksRps;
  const lateNs = serverLateness.p99Ns ?? 0;
  const stepNs = NS_PER_SECOND / load.tokensPerSecond;
  const isServerLate = lateNs > Math.max(5 * NS_PER_MS, stepNs / 4);
  const check = 'load';
  const message = `${rounded(got.chunksRps)} chunks/s reached of ${rounded(load.chunksRps)} planned`;
  if (share >= REACHED_SHARE && !isServerLate) return pass(check, message);
  if (isServerLate || loopUtilisationShare <= LOOP_FULL_SHARE) {
    return {
      check,
      state: 'warn',
      message: `${message}: the emulator was the bottleneck (${figure(lateNs)} behind its own plan, p99)`,
      advice: 'what was measured is true of the load reached, and no more; free a core for it',
    };
  }
  return {
    check,
    state: 'fail',
    message,
    advice: 'this client cannot read that much in one process: plan fewer streams per process',
  };
}

function stalls({ generator, lastedNs }: DoctorEvidence): Finding {
  // The meter runs a little longer than the load.
  const share = Math.min(1, stalledNs(generator) / lastedNs);
  const longestNs = Math.max(generator.loopStallMaxNs, generator.hostStallMaxNs);
  const check = 'stalls';
  if (generator.stalls.length === 0) return pass(check, 'the client never stood still');
  const message = `the client stood still ${generator.stalls.length} times, at most ${figure(longestNs)}, ${percentText(share)} of the time in or near it`;
  if (share <= 0.01) return pass(check, message);
  const isHosts = generator.hostStallMaxNs > generator.loopStallMaxNs;
  return {
    check,
    state: share > 0.1 ? 'fail' : 'warn',
    message,
    advice: isHosts
      ? 'the machine was taken away: stop what else runs on it, or use one that is not shared'
      : 'the event loop was held up: fewer streams per process',
  };
}

/** Stalls may overlap: a late tick begins before the one in front of it ended. */
function stalledNs({ stalls: spans }: GeneratorEvidence): number {
  let spentNs = 0;
  let untilNs = Number.NEGATIVE_INFINITY;
  for (const { fromNs, toNs } of spans.toSorted((a, b) => a.fromNs - b.fromNs)) {
    spentNs += Math.max(0, toNs - Math.max(fromNs, untilNs));
    untilNs = Math.max(untilNs, toNs);
  }
  return spentNs;
}

function descriptors({ machine: { descriptorLimit }, load }: DoctorEvidence): Finding {
  const check = 'descriptors';
  const needed = load.streamCount + OTHER_DESCRIPTORS;
  if (descriptorLimit === null)
    return pass(check, 'the system does not tell a limit of open files');
  const limit = descriptorLimit === Infinity ? 'no limit of' : groupedCount(descriptorLimit);
  const message = `${limit} open files, ${groupedCount(needed)} needed`;
  if (needed <= descriptorLimit) return pass(check, message);
  return { check, state: 'fail', message, advice: `raise the limit: ulimit -n ${needed}` };
}

function ports({ machine: { portCount }, load }: DoctorEvidence): Finding {
  const check = 'ports';
  if (portCount === null) return pass(check, 'the system does not tell its range of local ports');
  const message = `${groupedCount(portCount)} local ports for one address of a server, ${groupedCount(load.streamCount)} needed`;
  if (load.streamCount <= portCount) return pass(check, message);
  return {
    check,
    state: 'fail',
    message,
    advice: 'widen net.ipv4.ip_local_port_range, or give the server several addresses',
  };
}

function timers({ machine }: DoctorEvidence): Finding {
  const { clockStepNs, timerLateNs, timerSlackNs } = machine;
  const slack = timerSlackNs === null ? '' : `, timer slack ${figure(timerSlackNs)}`;
  const message = `clock in steps of ${figure(clockStepNs)}, timers ${figure(timerLateNs)} late (median)${slack}`;
  const isBad =
    clockStepNs > 100 * NS_PER_US || timerLateNs > FINE_NS || (timerSlackNs ?? 0) > NS_PER_MS;
  if (!isBad) return pass('timers', message);
  const advice =
    'a coarse clock makes every latency coarse: use another machine or its kernel timers';
  return { check: 'timers', state: 'warn', message, advice };
}

function cores({ machine: { cores: count, loadAverage } }: DoctorEvidence): Finding {
  const message = `${count} ${count === 1 ? 'core' : 'cores'}, load average ${loadAverage.toFixed(1)} before the measurement`;
  if (count === 1) {
    const advice = 'client and emulator shared a core: with a server elsewhere it will be better';
    return { check: 'cores', state: 'warn', message, advice };
  }
  if (loadAverage <= count / 2) return pass('cores', message);
  const advice = 'other work runs here: stop it before the test and measure again';
  return { check: 'cores', state: 'warn', message, advice };
}

function figure(ns: number | null): string {
  return ns === null ? 'an unknown time' : roundedDuration(ns);
}

/** Two significant digits: more would promise what no measurement of a minute can. */
function rounded(count: number): string {
  return groupedCount(Number(count.toPrecision(2)));
}
