/** What an objective says where its author said nothing. One place for YAML, flags and presets. */
import type { FinishReason, OutputKind } from '../record/index.ts';
import type { Objective, PopulationObjective, RefusalRule, RequestObjective } from './objective.ts';

/** Tool-call arguments are not answer tokens, so they count only when asked for. */
export const DEFAULT_COUNTS: readonly OutputKind[] = ['answer', 'reasoning', 'refusal'];

/**
 * Evidence of a published limit: a quota named in a 429, a prompt longer than the context. A 429
 * without it is overload, hence a failure.
 */
export const DEFAULT_REFUSALS: readonly RefusalRule[] = [
  { status: 429, body: 'quota', code: null },
  { status: 400, body: null, code: 'context_length_exceeded' },
  { status: 400, body: 'contextLength', code: null },
];

/** No target over the population: results are shown without a verdict. */
export const NO_POPULATION_TARGET: PopulationObjective = {
  attainmentShare: null,
  successShare: null,
  quantiles: [],
  worst: null,
  periodNs: null,
};

/** Finish reasons allowed by default: `stop`, and `toolCalls` where tool calls count. */
export function defaultFinish(counts: readonly OutputKind[]): FinishReason[] {
  return counts.includes('toolCall') ? ['stop', 'toolCalls'] : ['stop'];
}

/** What an answer must hold by default: an answer, or a tool call where those count. */
export function defaultNeeds(counts: readonly OutputKind[]): OutputKind[] {
  return counts.includes('toolCall') ? ['answer', 'toolCall'] : ['answer'];
}

/** A request objective without limits: only correctness, by the defaults that `counts` implies. */
export function requestWithoutLimits(
  counts: readonly OutputKind[] = DEFAULT_COUNTS,
): RequestObjective {
  return {
    counts,
    from: 'planned',
    ttft: null,
    firstAnswerNs: null,
    tpot: null,
    gapMaxNs: null,
    gapQuantile: null,
    e2eNs: null,
    outputTokensMax: null,
    correctness: {
      finish: defaultFinish(counts),
      needs: defaultNeeds(counts),
      strictTerminal: false,
      checks: [],
    },
  };
}

/** Correctness alone, nothing asked of latency or of the population. */
export function plainObjective(name = 'plain'): Objective {
  return {
    name,
    request: requestWithoutLimits(),
    population: NO_POPULATION_TARGET,
    refusals: DEFAULT_REFUSALS,
    perspective: 'operator',
    timedOut: 'miss',
    owner: null,
    runbook: null,
    rollback: null,
  };
}

/**
 * The objective with one more finish reason allowed. A workload that fixes answer lengths adds
 * `length`: there, running into the limit is the plan and not a cut answer.
 */
export function allowingFinish(objective: Objective, reason: FinishReason): Objective {
  const { correctness } = objective.request;
  if (correctness.finish.includes(reason)) return objective;
  return {
    ...objective,
    request: {
      ...objective.request,
      correctness: { ...correctness, finish: [...correctness.finish, reason] },
    },
  };
}
