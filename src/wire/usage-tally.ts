/** Adds up the usage a server reports: once, twice, as running totals, or per choice. */
import type { Usage } from '../record/index.ts';
import { asCount, asObject, type JsonObject } from './json-object.ts';

/**
 * The counts of one OpenAI-style usage object. `null` when it holds none.
 * Reasoning and cached counts are looked for where OpenAI, SGLang, Together and DeepSeek put them.
 */
export function usageOf(value: unknown): Usage | null {
  const usage = asObject(value);
  if (usage === null) return null;
  const ofCompletion = asObject(usage['completion_tokens_details']);
  const ofPrompt = asObject(usage['prompt_tokens_details']);
  const counts: Usage = {
    promptTokens: asCount(usage['prompt_tokens']),
    completionTokens: asCount(usage['completion_tokens']),
    reasoningTokens:
      asCount(ofCompletion?.['reasoning_tokens']) ?? asCount(usage['reasoning_tokens']),
    cachedPromptTokens:
      asCount(ofPrompt?.['cached_tokens']) ??
      asCount(usage['cached_tokens']) ??
      asCount(usage['prompt_cache_hit_tokens']),
  };
  return counts.promptTokens === null && counts.completionTokens === null ? null : counts;
}

/** Time in the server's queue (Groq: seconds); `null` when not told. */
export function queueSecondsOf(chunk: JsonObject): number | null {
  const own = asObject(chunk['usage']) ?? asObject(asObject(chunk['x_groq'])?.['usage']);
  const seconds = own?.['queue_time'];
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}

const NOTHING: Usage = {
  promptTokens: null,
  completionTokens: null,
  reasoningTokens: null,
  cachedPromptTokens: null,
};

/**
 * Usage of one answer. Repeated reports and running totals count once: the largest value of each
 * field. A report of its own (no choices beside it) that follows a finished choice is that
 * choice's, and those are summed, because llama.cpp sends one per choice and OpenAI one for all.
 */
export class UsageTally {
  #running: Usage | null = null;
  readonly #perChoice = new Map<number, Usage>();

  /** `finishedChoice`: the choice this report closes; `null` beside choices or before a finish. */
  add(usage: Usage, finishedChoice: number | null): void {
    if (finishedChoice === null) {
      const known = this.#running;
      // As a running total mostly is.
      const isAhead = known === null || isAtLeast(usage, known);
      this.#running = isAhead ? usage : merged(known, usage, larger);
      return;
    }
    const known = this.#perChoice.get(finishedChoice) ?? NOTHING;
    this.#perChoice.set(finishedChoice, merged(known, usage, larger));
  }

  /** `null` when the server never said. */
  total(): Usage | null {
    if (this.#perChoice.size === 0) return this.#running;
    const own = [...this.#perChoice.values()];
    const summed: Usage = {
      ...own.reduce((all, usage) => merged(all, usage, sum)),
      // All choices share one prompt.
      promptTokens: own.map((usage) => usage.promptTokens).reduce(larger),
      cachedPromptTokens: own.map((usage) => usage.cachedPromptTokens).reduce(larger),
    };
    return this.#running === null ? summed : merged(this.#running, summed, larger);
  }
}

type Combine = (a: number | null, b: number | null) => number | null;

const larger: Combine = (a, b) => (a === null || b === null ? (a ?? b) : Math.max(a, b));
const sum: Combine = (a, b) => (a === null || b === null ? (a ?? b) : a + b);

/** Whether every count of `a` is at least that of `b`, so that of the two `a` is the larger. */
function isAtLeast(a: Usage, b: Usage): boolean {
  return (
    reaches(a.promptTokens, b.promptTokens) &&
    reaches(a.completionTokens, b.completionTokens) &&
    reaches(a.reasoningTokens, b.reasoningTokens) &&
    reaches(a.cachedPromptTokens, b.cachedPromptTokens)
  );
}

function reaches(a: number | null, b: number | null): boolean {
  return b === null || (a !== null && a >= b);
}

function merged(a: Usage, b: Usage, combine: Combine): Usage {
  return {
    promptTokens: combine(a.promptTokens, b.promptTokens),
    completionTokens: combine(a.completionTokens, b.completionTokens),
    reasoningTokens: combine(a.reasoningTokens, b.reasoningTokens),
    cachedPromptTokens: combine(a.cachedPromptTokens, b.cachedPromptTokens),
  };
}
