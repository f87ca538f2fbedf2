/** Scenarios and thresholds of a k6 script: one constant-arrival-rate scenario per load point. */
import { msFromNs, secondsFromNs } from '../base/index.ts';
import type { LoadSpec, RunSpec } from '../config/index.ts';
import { lengthMean } from '../workload/index.ts';

/** The `options` object of a k6 script. */
export interface K6Options {
  readonly scenarios: Readonly<Record<string, K6Scenario>>;
  readonly thresholds: Readonly<Record<string, readonly string[]>>;
}

export interface K6Scenario {
  readonly executor: 'constant-arrival-rate';
  /** Iterations per `timeUnit`, a whole number: k6 takes no fractions. */
  readonly rate: number;
  readonly timeUnit: string;
  readonly duration: string;
  readonly startTime: string;
  readonly gracefulStop: string;
  readonly preAllocatedVUs: number;
  readonly maxVUs: number;
}

type RateLoad = Extract<LoadSpec, { kind: 'rate' }>;

/** Options for an open loop; points of a sweep run one after the other. */
export function k6Options(spec: RunSpec, load: RateLoad): K6Options {
  const scenarios: Record<string, K6Scenario> = {};
  let startMs = 0;
  for (const [at, rateRps] of load.ratesRps.entries()) {
    const scenario = k6Scenario(spec, rateRps, startMs);
    scenarios[`point_${at + 1}_rate_${String(rateRps).replace(/\W/g, '_')}`] = scenario;
    startMs += Number.parseInt(scenario.duration, 10) + msFromNs(spec.atEnd.limitNs);
  }
  return { scenarios, thresholds: k6Thresholds(spec, Object.keys(scenarios)) };
}

function k6Scenario(spec: RunSpec, rateRps: number, startMs: number): K6Scenario {
  const { rate, timeUnit } = wholeRate(rateRps);
  const { maxInFlight } = spec.budget;
  const durationMs = msFromNs(spec.durationNs);
  const untilRequestsMs = ((spec.requests ?? Number.POSITIVE_INFINITY) / rateRps) * 1000;
  const timeoutSeconds = secondsFromNs(spec.target.limits.requestTimeoutNs);
  // Little's law: in flight = rate × time inside; a timeout bounds that time.
  const expected = Math.ceil(rateRps * Math.min(expectedSeconds(spec), timeoutSeconds));
  const preAllocatedVUs = Math.min(Math.max(expected, 1), maxInFlight);
  const most = Math.min(Math.ceil(rateRps * timeoutSeconds), maxInFlight);
  return {
    executor: 'constant-arrival-rate',
    rate,
    timeUnit,
    duration: `${Math.ceil(Math.min(durationMs, untilRequestsMs))}ms`,
    startTime: `${startMs}ms`,
    gracefulStop: `${msFromNs(spec.atEnd.limitNs)}ms`,
    preAllocatedVUs,
    maxVUs: Math.max(preAllocatedVUs, most),
  };
}

/**
 * A whole number of iterations per unit of time: 2 per 1 s, 1 per 2 s, 5 per 2 s. Rates with more
 * than six decimals are rounded to six.
 */
export function wholeRate(rateRps: number): { readonly rate: number; readonly timeUnit: string } {
  for (let seconds = 1; seconds <= 1_000; seconds += 1) {
    const rate = rateRps * seconds;
    if (rate >= 1 && Math.abs(rate - Math.round(rate)) < 1e-9 * rate) {
      return { rate: Math.round(rate), timeUnit: `${seconds}s` };
    }
  }
  return { rate: Math.max(1, Math.round(rateRps * 1e6)), timeUnit: '1000000s' };
}

/** Time a request may be expected to take: what the objective allows, or 10 s without one. */
function expectedSeconds({ objective, workload }: RunSpec): number {
  const request = objective?.request;
  if (request?.e2eNs !== null && request?.e2eNs !== undefined) return secondsFromNs(request.e2eNs);
  const ttftNs = request?.ttft?.map(({ limitNs }) => limitNs);
  if (ttftNs === undefined || request?.tpot === null || request?.tpot === undefined) return 10;
  const tokens = 'output' in workload ? lengthMean(workload.output) : 200;
  return secondsFromNs(Math.max(...ttftNs) + tokens * request.tpot.limitNs);
}

function k6Thresholds(
  { objective }: RunSpec,
  scenarios: readonly string[],
): Record<string, readonly string[]> {
  const success = objective?.population.successShare ?? 0.99;
  const failed = success === 1 ? 'rate==0' : `rate<${Number((1 - success).toPrecision(6))}`;
  const completion = (objective?.population.quantiles ?? [])
    .filter(({ measure }) => measure === 'e2e')
    .map(({ q, limitNs }) => `p(${Number((q * 100).toPrecision(6))})<=${msFromNs(limitNs)}`);
  const plain = {
    http_req_failed: [failed],
    dropped_iterations: ['count==0'],
    ...(completion.length > 0 ? { completed_request_ms: completion } : {}),
  };
  if (scenarios.length === 1) return plain;
  // k6 prints a scenario's own distribution only where a threshold asks for it.
  const ownCompletion = completion.length > 0 ? completion : ['max>=0'];
  return Object.fromEntries(
    scenarios.flatMap((name) => [
      [`http_req_failed{scenario:${name}}`, [failed]],
      [`dropped_iterations{scenario:${name}}`, ['count==0']],
      [`completed_request_ms{scenario:${name}}`, ownCompletion],
    ]),
  );
}
