/** What a server says of speculative decoding: tokens proposed by a draft, and how many it took. */
import type { DraftTokens } from '../record/index.ts';
import { asCount, asObject, type JsonObject } from './json-object.ts';

/**
 * OpenAI's accepted and rejected prediction tokens of a usage object; `null` when it holds neither.
 * Both are 0 in answers without a prediction, which says nothing: `null` as well.
 */
export function draftOfUsage(usage: unknown): DraftTokens | null {
  const details = asObject(asObject(usage)?.['completion_tokens_details']);
  const accepted = asCount(details?.['accepted_prediction_tokens']);
  const rejected = asCount(details?.['rejected_prediction_tokens']);
  if (accepted === null || rejected === null || accepted + rejected === 0) return null;
  return { proposedTokens: accepted + rejected, acceptedTokens: accepted };
}

/** llama.cpp's `timings.draft_n` and `draft_n_accepted`, which are there when it drafts. */
export function draftOfTimings(chunk: JsonObject): DraftTokens | null {
  const timings = asObject(chunk['timings']);
  const proposed = asCount(timings?.['draft_n']);
  const accepted = asCount(timings?.['draft_n_accepted']);
  if (proposed === null || accepted === null || accepted > proposed) return null;
  return { proposedTokens: proposed, acceptedTokens: accepted };
}
