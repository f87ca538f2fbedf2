/**
 * Queues on which no constant of `src/stats` was chosen, to see whether intervals hold beyond those
 * that were: several servers, service times with a long tail, bursty arrivals, closed loops.
 */
import { randomLcg } from 'd3-random';
import { SEED_COST } from '../../src/engine/index.ts';
import {
  CpythonRandom,
  driveBatch,
  type RequestSource,
  SWEEP_DEFAULTS,
  sweepSource,
} from '../../src/simulator/index.ts';
import { arrivalInstantsNs } from '../../src/workload/index.ts';
import { ENGINE, inverseOf, type QueueModel, type Serve } from './queue-window.ts';

/** Requests per second that all servers of a queue can serve together. */
const SERVICE_RPS = 10;
const SERVERS = 4;
const IN_FLIGHT = 8;
const USERS = 20;
const THINK_SECONDS = 1.7;
const LOG_DEVIATION = 1;

/** First come, first served by the server that is free first. */
function servers(count: number, serviceSeconds: (random: CpythonRandom) => number): Serve {
  return (offeredRps, seconds, seed, sink) => {
    const random = new CpythonRandom(seed);
    const free = new Float64Array(count);
    for (let at = random.expovariate(offeredRps); at < seconds;) {
      const server = free.indexOf(Math.min(...free));
      const end = Math.max(at, free[server] as number) + serviceSeconds(random);
      free[server] = end;
      sink.finished(at, 0, 1, end, end);
      at += random.expovariate(offeredRps);
    }
  };
}

/** P(stay ≤ t) in M/M/4: Erlang's C, then a wait and a service that add up. */
function severalServersCdf(seconds: number, offeredRps: number): number {
  const serverRps = SERVICE_RPS / SERVERS;
  const load = offeredRps / serverRps;
  let term = 1;
  let sum = 0;
  for (let busy = 0; busy < SERVERS; busy += 1) {
    sum += term;
    term *= load / (busy + 1);
  }
  const queued = term / (1 - offeredRps / SERVICE_RPS);
  const waits = queued / (sum + queued);
  const drainRps = SERVICE_RPS - offeredRps;
  const service = Math.exp(-serverRps * seconds);
  const both =
    (serverRps * Math.exp(-drainRps * seconds) - drainRps * service) / (serverRps - drainRps);
  return 1 - (1 - waits) * service - waits * both;
}

/** P(stay ≤ t) when each finds `ahead` others at one exponential server. */
function erlangCdf(seconds: number, ahead: number): number {
  let term = Math.exp(-SERVICE_RPS * seconds);
  let beyond = 0;
  for (let event = 0; event <= ahead; event += 1) {
    beyond += term;
    term *= (SERVICE_RPS * seconds) / (event + 1);
  }
  return 1 - beyond;
}

/** How many of `users` are at the server, in the long run: the machine-repairman model. */
function atServer(users: number): number[] {
  const weights = [1];
  for (let at = 1; at <= users; at += 1) {
    const before = weights[at - 1] as number;
    weights.push((before * (users - at + 1)) / (THINK_SECONDS * SERVICE_RPS));
  }
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** A user who comes sees the server as if it were not there (arrival theorem). */
function usersCdf(seconds: number): number {
  return atServer(USERS - 1).reduce(
    (sum, share, ahead) => sum + share * erlangCdf(seconds, ahead),
    0,
  );
}

/** `population` requests or users around one exponential server. */
function closedLoop(population: number, thinkSeconds: number): Serve {
  return (_offeredRps, seconds, seed, sink) => {
    const random = new CpythonRandom(seed);
    const think = (): number => (thinkSeconds === 0 ? 0 : random.expovariate(1 / thinkSeconds));
    const next = Array.from({ length: population }, think);
    let free = 0;
    for (;;) {
      const user = next.indexOf(Math.min(...next));
      const at = next[user] as number;
      if (at >= seconds) return;
      free = Math.max(at, free) + random.expovariate(SERVICE_RPS);
      sink.finished(at, 0, 1, free, free);
      next[user] = free + think();
    }
  };
}

function closedModel(
  name: string,
  population: number,
  thinkSeconds: number,
  of: ClosedTruth,
): QueueModel {
  const limit = inverseOf(of.cdf, 0.95);
  return {
    name,
    serve: closedLoop(population, thinkSeconds),
    isGood: (stay) => stay <= limit,
    attainment: () => of.cdf(limit),
    p95Seconds: () => limit,
    throughputRps: () => of.throughputRps,
  };
}

interface ClosedTruth {
  readonly cdf: (seconds: number) => number;
  readonly throughputRps: number;
}

/** The engine's source with gamma arrivals of coefficient of variation 2. */
function burstySource(offeredRps: number, seconds: number, seed: number): RequestSource {
  const durationNs = seconds * 1e9;
  const plan = { arrivals: { kind: 'gamma', cv: 2 }, rateRps: offeredRps, durationNs } as const;
  const instantsNs = arrivalInstantsNs({ ...plan, limit: 1e9 }, randomLcg(seed / 2 ** 32));
  // Lengths alone are wanted of it: of a run that is long enough for every arrival.
  const lengths = sweepSource({ offeredRps, durationSeconds: 2 * seconds + 100, seed });
  let given = 0;
  return () => {
    const block = lengths();
    if (block === null || given >= instantsNs.length) return null;
    const count = Math.min(block.count, instantsNs.length - given);
    const arrivalSeconds = Float64Array.from(
      instantsNs.slice(given, given + count),
      (atNs) => atNs / 1e9,
    );
    given += count;
    return { ...block, count, arrivalSeconds };
  };
}

const M_M_4_LIMIT_SECONDS = inverseOf((t) => severalServersCdf(t, 6.97), 0.95);

/** Four servers. */
export const MM4: QueueModel = {
  name: 'M/M/4',
  serve: servers(SERVERS, (random) => random.expovariate(SERVICE_RPS / SERVERS)),
  isGood: (stay) => stay <= M_M_4_LIMIT_SECONDS,
  attainment: (offeredRps) => severalServersCdf(M_M_4_LIMIT_SECONDS, offeredRps),
  p95Seconds: (offeredRps) => inverseOf((t) => severalServersCdf(t, offeredRps), 0.95),
};

/** Log-normal service of mean 100 ms, σ 1: its coefficient of variation is 1.31. */
export const MG1: QueueModel = {
  name: 'M/G/1, log-normal',
  serve: servers(1, (random) =>
    random.lognormvariate(-Math.log(SERVICE_RPS) - LOG_DEVIATION ** 2 / 2, LOG_DEVIATION),
  ),
  isGood: (stay) => stay <= 1.5,
  attainment: () => null,
};

/** The engine under bursts. */
export const BURSTY_ENGINE: QueueModel = {
  ...ENGINE,
  name: 'engine, gamma CV 2',
  serve: (offeredRps, seconds, seed, sink) => {
    const { tokenBudget, maxSequences } = SWEEP_DEFAULTS;
    driveBatch(
      burstySource(offeredRps, seconds, seed),
      { cost: SEED_COST, tokenBudget, maxSequences, leakTokens: 0, method: 'skip', observer: null },
      sink,
    );
  },
};

/** Eight requests in flight, always. */
export const CLOSED_IN_FLIGHT: QueueModel = closedModel('8 in flight', IN_FLIGHT, 0, {
  cdf: (seconds) => erlangCdf(seconds, IN_FLIGHT - 1),
  throughputRps: SERVICE_RPS,
});

/** Twenty users who think for 1.7 s on average. */
export const CLOSED_USERS: QueueModel = closedModel('20 users', USERS, THINK_SECONDS, {
  cdf: usersCdf,
  throughputRps: SERVICE_RPS * (1 - (atServer(USERS)[0] as number)),
});
