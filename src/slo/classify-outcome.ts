/** Where a request stands in the ledger: the transport's word, then the refusal rules. */
import { assert } from '../base/index.ts';
import type { RequestRecord, ServerError } from '../record/index.ts';
import type { Outcome } from './judgement.ts';
import type { RefusalRule } from './objective.ts';

/**
 * The outcome of one request. A failure is `refused` only when a rule matches evidence the server
 * gave; a bare 429 or 503 stays `failed`, because that is what overload looks like.
 */
export function classifyOutcome(record: RequestRecord, refusals: readonly RefusalRule[]): Outcome {
  if (record.dispatch.kind !== 'sent') return record.dispatch.kind;
  assert(record.end !== null, `request ${record.requestId} was sent but has no end`);
  if (record.end.kind !== 'failed') return record.end.kind;
  return matchingRefusal(record, refusals) === null ? 'failed' : 'refused';
}

/** The first rule that shows this failure to be a refusal; `null` when none does. */
export function matchingRefusal(
  record: RequestRecord,
  refusals: readonly RefusalRule[],
): RefusalRule | null {
  if (record.end?.kind !== 'failed' || record.end.error === null) return null;
  // Once any output came the request was served, and served requests are always judged.
  if (record.timeline !== null && record.timeline.output.atNs.length > 0) return null;
  const { error } = record.end;
  const status = error.httpStatus ?? record.httpStatus;
  return refusals.find((rule) => ruleMatches(rule, status, error)) ?? null;
}

function ruleMatches(rule: RefusalRule, status: number | null, error: ServerError): boolean {
  if (!namesEvidence(rule)) return false;
  if (rule.status !== null && rule.status !== status) return false;
  if (rule.body !== null && !error.evidence.includes(rule.body)) return false;
  return rule.code === null || rule.code === error.code || rule.code === error.type;
}

/** Whether a rule asks for more than a status. A rule that does not can never match. */
export function namesEvidence(rule: RefusalRule): boolean {
  return rule.body !== null || rule.code !== null;
}
