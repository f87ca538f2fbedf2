/** Says of one request whether it was good: it met every part of the objective. */
import { measureRecord, type Measures, type RequestRecord } from '../record/index.ts';
import { classifyOutcome, matchingRefusal } from './classify-outcome.ts';
import { judgeCorrectness } from './judge-correctness.ts';
import { judgeLatency } from './judge-latency.ts';
import type { Judgement, ObjectiveResult, Verdict } from './judgement.ts';
import { DEFAULT_PROMPT_BUCKETS, promptBucketOf, type LengthBucket } from './length-bucket.ts';
import type { Objective } from './objective.ts';

/** Judges one record against an objective. */
export function judge(record: RequestRecord, objective: Objective): Judgement {
  const measures = measureRecord(record, { counts: objective.request.counts });
  return judgeMeasured(record, measures, objective);
}

/** As {@link judge}, with measures already made by the objective's `counts`. */
export function judgeMeasured(
  record: RequestRecord,
  measures: Measures,
  objective: Objective,
): Judgement {
  const { request } = objective;
  const outcome = classifyOutcome(record, objective.refusals);
  const prompt = promptLength(record);
  const known = {
    outcome,
    promptBucket: promptBucketOf(prompt.tokens, promptBucketsOf(objective)),
    promptTokensFrom: prompt.from,
  };
  switch (outcome) {
    case 'notReached':
      return { ...known, verdict: 'excluded', reason: 'notReached', objectives: [] };
    case 'dropped':
      return { ...known, verdict: 'bad', reason: dropReason(record), objectives: [] };
    case 'refused': {
      const verdict = objective.perspective === 'operator' ? 'excluded' : 'bad';
      return { ...known, verdict, reason: refusalReason(record, objective), objectives: [] };
    }
    default: {
      const completed = outcome === 'completed';
      const objectives = [
        judgeCorrectness(record, outcome, objective),
        ...judgeLatency({ record, measures, completed, promptTokens: prompt.tokens, request }),
      ];
      return { ...known, ...verdictOf(objectives), objectives };
    }
  }
}

/** The buckets results are split by: those of the TTFT limits where they differ by length. */
export function promptBucketsOf(objective: Objective | null): readonly LengthBucket[] {
  const limits = objective?.request.ttft ?? [];
  return limits.length > 1 ? limits : DEFAULT_PROMPT_BUCKETS;
}

/** One miss is enough to be bad; without one, one unknown is enough not to be good. */
function verdictOf(results: readonly ObjectiveResult[]): {
  readonly verdict: Verdict;
  readonly reason: string | null;
} {
  const missed = results.find((result) => result.state === 'missed');
  if (missed !== undefined) return { verdict: 'bad', reason: reasonOf(missed) };
  const unknown = results.find((result) => result.state === 'unknown');
  if (unknown !== undefined) return { verdict: 'unjudged', reason: reasonOf(unknown) };
  return { verdict: 'good', reason: null };
}

function reasonOf(result: ObjectiveResult): string {
  return `${result.objective}:${result.reason ?? result.state}`;
}

function dropReason(record: RequestRecord): string {
  return record.dispatch.kind === 'dropped' ? `dropped:${record.dispatch.reason}` : 'dropped';
}

/** Names the evidence, so that every rule's exclusions can be counted. */
function refusalReason(record: RequestRecord, objective: Objective): string {
  const rule = matchingRefusal(record, objective.refusals);
  return `refused:${rule?.code ?? rule?.body ?? 'unknown'}`;
}

function promptLength(record: RequestRecord): {
  readonly tokens: number | null;
  readonly from: Judgement['promptTokensFrom'];
} {
  const used = record.timeline?.usage?.promptTokens ?? null;
  if (used !== null) return { tokens: used, from: 'usage' };
  const planned = record.promptTokensPlanned;
  return planned === null
    ? { tokens: null, from: 'unknown' }
    : { tokens: planned, from: 'planned' };
}
