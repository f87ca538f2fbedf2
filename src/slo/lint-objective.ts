/** Objectives that can be judged but will mislead: warnings, each with what to do instead. */
import type { BucketLimit, Objective } from './objective.ts';

export interface ObjectiveWarning {
  /** Machine word of the rule. */
  readonly rule:
    | 'endToEndOnStream'
    | 'noMissAllowed'
    | 'ttftForAllLengths'
    | 'stallsUnseen'
    | 'marginalsOnly'
    | 'limitNeverBinds'
    | 'latenessForgiven'
    | 'ruleWithoutEvidence';
  readonly message: string;
  readonly advice: string;
}

/** The prompt lengths the objective will meet, where they are known. */
export interface PromptMix {
  readonly medianTokens: number;
  readonly p99Tokens: number;
}

/** A p99 prompt this many times the median one is a long tail: prefill differs as much. */
const LONG_TAIL_RATIO = 4;

/** Everything about an objective that will mislead, in a fixed order. */
export function lintObjective(
  objective: Objective,
  mix: PromptMix | null = null,
): ObjectiveWarning[] {
  const { request, population } = objective;
  const streamed = request.ttft !== null || request.tpot !== null;
  const warnings: ObjectiveWarning[] = [];
  if (request.e2eNs !== null && streamed) {
    warnings.push({
      rule: 'endToEndOnStream',
      message: 'end-to-end time depends mostly on how long the answer is',
      advice: 'judge a stream by ttft and tpot; keep e2e for batch work',
    });
  }
  if (population.attainmentShare === 1 || population.successShare === 1) {
    warnings.push({
      rule: 'noMissAllowed',
      message: 'a target of 100 % leaves no error budget: one miss in a lifetime breaks it',
      advice: 'ask for the share users need, such as 97 % or 99.5 %',
    });
  }
  if (request.ttft?.length === 1 && mix !== null && hasLongTail(mix)) {
    warnings.push({
      rule: 'ttftForAllLengths',
      message: `one TTFT limit for prompts whose p99 (${mix.p99Tokens} tokens) is far above the median (${mix.medianTokens})`,
      advice: 'set it by length: ttft[0-4k]<=1s, ttft[4k+]<=4s',
    });
  }
  if (request.tpot !== null && request.gapMaxNs === null && request.gapQuantile === null) {
    warnings.push({
      rule: 'stallsUnseen',
      message: 'a mean pace hides stalls: 600 ms of silence fits into a good TPOT',
      advice: 'add gap<=1s if stalls matter to the use',
    });
  }
  if (population.quantiles.length > 0 && population.attainmentShare === null) {
    warnings.push({
      rule: 'marginalsOnly',
      message: 'quantiles of separate measures can all pass while many requests miss one of them',
      advice: 'judge each request: ttft<=…, tpot<=…, attainment>=95%',
    });
  }
  warnings.push(...limitsThatNeverBind(objective));
  if (request.from === 'dispatch') {
    warnings.push({
      rule: 'latenessForgiven',
      message: 'from=dispatch starts the clock late whenever the load generator is late',
      advice: 'judge from the planned instant and read both',
    });
  }
  for (const refusal of objective.refusals) {
    if (refusal.body !== null || refusal.code !== null) continue;
    warnings.push({
      rule: 'ruleWithoutEvidence',
      message: `the refusal rule for status ${refusal.status ?? 'any'} names no evidence and never matches`,
      advice: 'name the body evidence or the error code: a bare status may be overload',
    });
  }
  return warnings;
}

/** Limits that another one implies. */
function limitsThatNeverBind({ request }: Objective): ObjectiveWarning[] {
  const warnings: ObjectiveWarning[] = [];
  const { tpot, gapMaxNs, e2eNs, ttft } = request;
  if (tpot !== null && gapMaxNs !== null && gapMaxNs <= tpot.limitNs) {
    warnings.push({
      rule: 'limitNeverBinds',
      message: 'no gap may exceed what the mean may be, so the TPOT limit never decides',
      advice: 'raise the gap limit or drop the TPOT limit',
    });
  }
  if (e2eNs !== null && ttft !== null && e2eNs <= strictest(ttft)) {
    warnings.push({
      rule: 'limitNeverBinds',
      message: 'the whole answer is due before its first token is, so the TTFT limit never decides',
      advice: 'raise the e2e limit or drop the TTFT limit',
    });
  }
  return [...warnings, ...answerBeforeOutput(request)];
}

/** The first answer is an output: where both count it, it cannot come before the first one. */
function answerBeforeOutput({ firstAnswerNs, ttft, counts }: Objective['request']) {
  const isIdle = firstAnswerNs !== null && ttft !== null && firstAnswerNs <= strictest(ttft);
  return isIdle && counts.includes('answer')
    ? [
        {
          rule: 'limitNeverBinds',
          message:
            'the first answer is due before the first output, so the TTFT limit never decides',
          advice: 'raise the firstAnswer limit or drop the TTFT limit',
        } as const,
      ]
    : [];
}

function strictest(limits: readonly BucketLimit[]): number {
  return Math.min(...limits.map((limit) => limit.limitNs));
}

function hasLongTail(mix: PromptMix): boolean {
  return mix.p99Tokens >= LONG_TAIL_RATIO * mix.medianTokens;
}
