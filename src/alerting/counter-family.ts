/**
 * The counters by which a judged service is watched: one family, few labels. Whoever judges
 * requests exposes them, every label set at 0 from the start: a series that begins with its first
 * miss hides that miss from `increase()`.
 */
import { contentHash, type JsonValue } from '../base/index.ts';
import type { Objective } from '../slo/index.ts';

/** Labels: slo, revision, stratum, result (`good` or `bad`). A request counts once. */
export const REQUESTS_COUNTER = 'goodput_slo_requests_total';
/** Labels: slo, stratum, reason. Refused by a published limit: in no other counter. */
export const EXCLUDED_COUNTER = 'goodput_slo_excluded_total';
/** Labels: slo, reason. Offered, and neither known to be good nor known to be bad. */
export const UNJUDGED_COUNTER = 'goodput_slo_unjudged_total';
/** Labels: slo, stratum, objective, sole. A request may count under several objectives. */
export const MISS_COUNTER = 'goodput_slo_miss_total';

/**
 * Eight hex digits that change whenever the same request could be judged otherwise. What is not
 * asked for is left out, so that a later version which can ask for more gives the same digits.
 */
export function objectiveRevision(objective: Objective): string {
  const { request, refusals, perspective, timedOut } = objective;
  const asked = JSON.stringify({ request, refusals, perspective, timedOut }, (_, value: unknown) =>
    value === null ? undefined : value,
  );
  return contentHash(JSON.parse(asked) as JsonValue).slice(0, 8);
}

/** `{slo="chat",result="bad"}`, values escaped as PromQL has them. */
export function selector(labels: Readonly<Record<string, string>>): string {
  const written = Object.entries(labels).map(([name, value]) => `${name}=${promText(value)}`);
  return `{${written.join(',')}}`;
}

/** A PromQL string. */
export function promText(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
