/** The plan against a provider's limits: arithmetic over every arrival, before anything is sent. */
import { NS_PER_SECOND, type Problem } from '../base/index.ts';
import type { QuotaSpec } from '../config/index.ts';
import type { ToldLimit } from '../record/index.ts';
import type { PlannedPoint } from './plan-run.ts';

/** The busiest minute of a plan whose arrivals are known. */
export interface BusiestMinute {
  readonly requests: number;
  /**
   * Prompt and longest answer of each request, as providers count them when a request comes in:
   * Azure OpenAI adds prompt and `max_tokens`, OpenAI takes the larger of `max_tokens` and its own
   * estimate ("Rate limits" pages of both). Requests without a declared length add nothing.
   */
  readonly tokens: number;
}

const MINUTE_NS = 60 * NS_PER_SECOND;

interface Arrival {
  readonly atNs: number;
  readonly tokens: number;
}

/**
 * The largest counts of requests and of tokens in any 60 s of the plan, points one right after the
 * other. `null` where the plan does not know when requests come: closed loops and the turns
 * of sessions follow the server.
 */
export function busiestMinute(points: readonly PlannedPoint[]): BusiestMinute | null {
  const arrivals: Arrival[] = [];
  let fromNs = 0;
  for (const { schedule } of points) {
    for (const { release, promptTokens, outputTokensMax } of schedule.requests) {
      if (release.kind !== 'at') return null;
      const tokens = (promptTokens ?? 0) + (outputTokensMax ?? 0);
      arrivals.push({ atNs: fromNs + release.atNs, tokens });
    }
    fromNs += schedule.stopNs;
  }
  arrivals.sort((a, b) => a.atNs - b.atNs);
  let [requests, tokens, windowTokens, first] = [0, 0, 0, 0];
  for (const [at, arrival] of arrivals.entries()) {
    windowTokens += arrival.tokens;
    while ((arrivals[first] as Arrival).atNs <= arrival.atNs - MINUTE_NS) {
      windowTokens -= (arrivals[first] as Arrival).tokens;
      first += 1;
    }
    requests = Math.max(requests, at - first + 1);
    tokens = Math.max(tokens, windowTokens);
  }
  return { requests, tokens };
}

/** `E_BUDGET_IMPOSSIBLE` for each declared limit that the plan would pass; else nothing. */
export function quotaProblems(points: readonly PlannedPoint[], quota: QuotaSpec): Problem[] {
  const { requestsPerMinute, tokensPerMinute } = quota;
  if (requestsPerMinute === null && tokensPerMinute === null) return [];
  const busiest = busiestMinute(points);
  if (busiest === null) return [];
  return [
    ...passed(points, 'requests', { planned: busiest.requests, allowed: requestsPerMinute }),
    ...passed(points, 'tokens', { planned: busiest.tokens, allowed: tokensPerMinute }),
  ];
}

function passed(
  points: readonly PlannedPoint[],
  what: 'requests' | 'tokens',
  { planned, allowed }: { readonly planned: number; readonly allowed: number | null },
): Problem[] {
  if (allowed === null || planned <= allowed) return [];
  const counted = what === 'tokens' ? ', prompt and longest answer of each request together' : '';
  return [
    {
      code: 'E_BUDGET_IMPOSSIBLE',
      message: `the busiest minute of this plan has ${grouped(planned)} ${what}${counted}, and the quota allows ${grouped(allowed)}${what === 'requests' ? rateText(points) : ''}`,
      hint: hintOf(points, allowed / planned),
      place: null,
    },
  ];
}

/** ` (20/s for 60 s are 1,200 requests)`: of a rate that alone explains the count. */
function rateText(points: readonly PlannedPoint[]): string {
  const highest = highestRate(points);
  if (highest === null) return '';
  const { rps, seconds } = highest;
  return ` (${rps}/s for ${seconds} s are ${grouped(Math.round(rps * seconds))} requests)`;
}

function hintOf(points: readonly PlannedPoint[], factor: number): string {
  const highest = highestRate(points);
  if (highest === null) return 'replay it slower, or take the quota out if the limits are higher';
  const rate = Number((highest.rps * factor).toPrecision(2));
  const safe = rate > highest.rps * factor ? Number((rate * 0.95).toPrecision(2)) : rate;
  return `send at most about ${safe}/s, and without bursts: --arrivals constant`;
}

/** The highest rate, over at most a minute of its point. */
function highestRate(points: readonly PlannedPoint[]): { rps: number; seconds: number } | null {
  const rates = points.filter(({ load }) => load.kind === 'rate');
  const highest = rates.toSorted((a, b) => b.load.level - a.load.level)[0];
  if (highest === undefined) return null;
  const seconds = Math.min(MINUTE_NS, highest.schedule.stopNs) / NS_PER_SECOND;
  return { rps: highest.load.level, seconds: Number(seconds.toPrecision(3)) };
}

/** A line for what of a quota cannot be checked before the load; none where all can be. */
export function quotaNotes(points: readonly PlannedPoint[], quota: QuotaSpec): string[] {
  const { requestsPerMinute, tokensPerMinute } = quota;
  const isAsked = requestsPerMinute !== null || tokensPerMinute !== null;
  return isAsked && busiestMinute(points) === null
    ? [
        'when requests come depends on the answers: whether the load keeps the quota is only seen in the run',
      ]
    : [];
}

/** What the provider itself said of its limits, where the plan would pass them: a line each. */
export function toldLimitWarnings(
  points: readonly PlannedPoint[],
  limits: readonly ToldLimit[],
): string[] {
  const busiest = busiestMinute(points);
  const total = points.reduce((sum, { schedule }) => sum + schedule.requests.length, 0);
  return limits.flatMap(({ of, per, limitCount: limit, remainingCount: remaining }) => {
    if (per === 'day' && of === 'requests' && remaining !== null && total > remaining) {
      return [
        `the provider has ${grouped(remaining)} requests left for today, and this plan ${grouped(total)}`,
      ];
    }
    if (per !== 'minute' || limit === null || busiest === null) return [];
    const planned = of === 'requests' ? busiest.requests : of === 'tokens' ? busiest.tokens : 0;
    if (planned <= limit) return [];
    return [
      `the provider says ${grouped(limit)} ${of}/min, and the busiest minute of this plan has ${grouped(planned)}: expect refusals`,
    ];
  });
}

/** 12345678 → `12,345,678`, the same on every machine. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
