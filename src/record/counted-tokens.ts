/**
 * How many tokens the counted output of an answer has.
 *
 * A server's total covers all it generated: reasoning it kept to itself, reasoning it showed,
 * tool-call arguments. Only the tokens of kinds that count *and* were streamed belong in TPOT, so
 * the total is split where the server lets it be split, and otherwise the count stays unknown.
 */
import {
  OUTPUT_KINDS,
  type LocalTokens,
  type OutputEvents,
  type OutputKind,
  type Usage,
} from './request-record.ts';

/** `tokens` is `null` exactly when `reason` is not. */
export type TokenCount =
  | { readonly tokens: number; readonly reason: null }
  | {
      readonly tokens: null;
      readonly reason:
        | 'noCountedOutput'
        | 'tokensUnknown'
        | 'kindsNotSeparable'
        | 'tokensInconsistent';
    };

const NO_OUTPUT_COUNTED: TokenCount = { tokens: null, reason: 'noCountedOutput' };
const UNKNOWN: TokenCount = { tokens: null, reason: 'tokensUnknown' };
const NOT_SEPARABLE: TokenCount = { tokens: null, reason: 'kindsNotSeparable' };
const INCONSISTENT: TokenCount = { tokens: null, reason: 'tokensInconsistent' };

/**
 * What the server said each counted event added (per-event usage): exact for any mix of kinds.
 * Undefined: `null` unless it said so for every one of them.
 */
export function tokensToldPerEvent(
  output: OutputEvents,
  counted: readonly number[],
): readonly number[] | null {
  const told: number[] = [];
  for (const index of counted) {
    const tokens = output.tokens[index] ?? null;
    if (tokens === null) return null;
    told.push(tokens);
  }
  return told.length === 0 ? null : told;
}

/**
 * The tokens of the kinds in `counts`, taken from the server's totals. Usage knows two pools:
 * reasoning, and the rest of the completion; a pool that mixes counted with other streamed kinds
 * cannot be split. Reasoning that was never streamed is left out.
 */
export function tokensFromUsage(
  output: OutputEvents,
  usage: Usage | null,
  counts: readonly OutputKind[],
): TokenCount {
  const streamed = kindsOf(output);
  const counted = [...streamed].filter((kind) => counts.includes(kind));
  if (counted.length === 0) return NO_OUTPUT_COUNTED;
  const total = usage?.completionTokens ?? null;
  if (usage === null || total === null) return UNKNOWN;
  const wantsReasoning = counted.includes('reasoning');
  const wantsRest = counted.some((kind) => kind !== 'reasoning');
  const restIsMixed =
    wantsRest && [...streamed].some((kind) => kind !== 'reasoning' && !counts.includes(kind));
  if (restIsMixed) return NOT_SEPARABLE;
  // With all that was streamed counted and no word of other reasoning, the total is the answer.
  if (wantsReasoning && wantsRest) return { tokens: total, reason: null };
  // Some servers always report zero (SGLang's default): shown reasoning proves that wrong.
  const reasoning =
    usage.reasoningTokens === 0 && streamed.has('reasoning') ? null : usage.reasoningTokens;
  if (reasoning === null) {
    return counted.length === streamed.size ? { tokens: total, reason: null } : NOT_SEPARABLE;
  }
  if (reasoning > total) return INCONSISTENT;
  return { tokens: wantsReasoning ? reasoning : total - reasoning, reason: null };
}

/** The tokens of the kinds in `counts` as a local tokenizer counted each kind's text. */
export function tokensFromLocal(
  output: OutputEvents,
  local: LocalTokens,
  counts: readonly OutputKind[],
): TokenCount {
  const counted = [...kindsOf(output)].filter((kind) => counts.includes(kind));
  if (counted.length === 0) return NO_OUTPUT_COUNTED;
  const tokens = counted.reduce((sum, kind) => sum + countedLocally(local, kind), 0);
  return { tokens, reason: null };
}

/** Tokens of all the text that was streamed: hidden reasoning and end marks have none. */
export function localOutputTokens(local: LocalTokens): number {
  return OUTPUT_KINDS.reduce((sum, kind) => sum + countedLocally(local, kind), 0);
}

function countedLocally(local: LocalTokens, kind: OutputKind): number {
  return local[`${kind}Tokens`];
}

/** Kinds come in long stretches. */
function kindsOf({ kind: kinds }: OutputEvents): ReadonlySet<OutputKind> {
  const streamed = new Set<OutputKind>();
  let last: OutputKind | null = null;
  for (const kind of kinds) {
    if (kind !== last) streamed.add(kind);
    last = kind;
  }
  return streamed;
}
