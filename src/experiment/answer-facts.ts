/** What one probe answer shows of a server's way of streaming. */
import { localOutputTokens, type SendResult } from '../record/index.ts';

export interface AnswerFacts {
  /** First output, from dispatch; `null` without output and where the answer came as a whole. */
  readonly ttftNs: number | null;
  readonly completionNs: number | null;
  readonly events: number;
  /** Output events that came in the same socket read as the one before. */
  readonly eventsInSharedReads: number;
  readonly outputTokens: number | null;
  /** Tokens of its text by the local tokenizer; `null` without one. */
  readonly localOutputTokens: number | null;
  readonly promptTokens: number | null;
  readonly cachedPromptTokens: number | null;
  readonly reasoningEvents: number;
  /** Whether every output event said how many tokens it added. */
  readonly perEventUsage: boolean;
  /** Mean tokens an event; `null` without usage or events. */
  readonly tokensPerEvent: number | null;
  readonly finishReason: string | null;
  /** Time from the first to the last output event as a share of completion; `null` below two. */
  readonly outputSpanShare: number | null;
  readonly queueTold: boolean;
}

/** `streamed` is how the answer was asked for. */
export function answerFacts(result: SendResult, streamed: boolean): AnswerFacts {
  const { timeline, dispatchedNs } = result;
  const { output, usage, doneNs } = timeline;
  const firstNs = output.atNs[0] ?? null;
  const lastNs = output.atNs.at(-1) ?? null;
  const events = output.atNs.length;
  const outputTokens = usage?.completionTokens ?? null;
  const completionNs = doneNs === null ? null : doneNs - dispatchedNs;
  const shared = output.readId.filter((id, at) => at > 0 && id === output.readId[at - 1]).length;
  return {
    ttftNs: firstNs === null || !streamed ? null : firstNs - dispatchedNs,
    completionNs,
    events,
    eventsInSharedReads: shared,
    outputTokens,
    localOutputTokens: timeline.local === null ? null : localOutputTokens(timeline.local),
    promptTokens: usage?.promptTokens ?? null,
    cachedPromptTokens: usage?.cachedPromptTokens ?? null,
    reasoningEvents: output.kind.filter((kind) => kind === 'reasoning').length,
    perEventUsage: events > 0 && output.tokens.every((tokens) => tokens !== null),
    tokensPerEvent: outputTokens === null || events === 0 ? null : outputTokens / events,
    finishReason: timeline.finishReason,
    outputSpanShare:
      firstNs === null || lastNs === null || events < 2 || !completionNs
        ? null
        : (lastNs - firstNs) / completionNs,
    queueTold: result.queueNs !== null,
  };
}
