/** An objective → what to write under `slo:`. */
import { canonicalJson, durationText, tokenCountText } from '../base/index.ts';
import {
  DEFAULT_COUNTS,
  DEFAULT_REFUSALS,
  objectiveText,
  parseObjective,
  quantileName,
  shareText,
  type BucketLimit,
  type LatencyMeasure,
  type Objective,
} from '../slo/index.ts';
import { checkTree } from './check-schema.ts';
import { withoutNulls } from './without-nulls.ts';

/**
 * One line where that says everything, else the full form as keys. `setsLength`: the workload sets
 * the answer length, so a reader adds `length` where the finish reasons are not written.
 */
export function objectiveValue(objective: Objective, setsLength: boolean): unknown {
  const line = objectiveText(objective);
  const parsed = parseObjective(line, { name: 'inline' });
  const isWhole =
    'objective' in parsed && canonicalJson(parsed.objective) === canonicalJson(objective);
  return isWhole && (!setsLength || line.includes('finish=')) ? line : objectiveTree(objective);
}

/** The full form as keys: the inverse of the schema. */
export function objectiveTree(objective: Objective): Record<string, unknown> {
  const { request, population } = objective;
  const { correctness } = request;
  const ofMeasure = (measure: LatencyMeasure): Record<string, string> | null => {
    const limits = population.quantiles.filter((quantile) => quantile.measure === measure);
    return limits.length === 0
      ? null
      : Object.fromEntries(
          limits.map(({ q, limitNs }) => [quantileName(q), durationText(limitNs)]),
        );
  };
  const isUsual = canonicalJson(objective.refusals) === canonicalJson(DEFAULT_REFUSALS);
  return withoutNulls({
    name: objective.name,
    request: withoutNulls({
      ttft: ttftValue(objective),
      firstAnswer: text(request.firstAnswerNs),
      [request.tpot?.basis === 'observed' ? 'tpotObserved' : 'tpot']: text(request.tpot?.limitNs),
      gapMax: text(request.gapMaxNs),
      gap:
        request.gapQuantile === null
          ? null
          : { [quantileName(request.gapQuantile.q)]: text(request.gapQuantile.limitNs) },
      e2e: text(request.e2eNs),
      output: request.outputTokensMax,
      finish: correctness.finish,
      needs: correctness.needs,
      strictTerminal: correctness.strictTerminal ? true : null,
      checks: correctness.checks.length > 0 ? correctness.checks.map(checkTree) : null,
    }),
    population: withoutNulls({
      attainment: share(population.attainmentShare),
      success: share(population.successShare),
      ttft: ofMeasure('ttft'),
      firstAnswer: ofMeasure('firstAnswer'),
      tpot: ofMeasure('tpot'),
      gap: ofMeasure('gap'),
      e2e: ofMeasure('e2e'),
      worst:
        population.worst === null
          ? null
          : { by: population.worst.by, attainment: share(population.worst.attainmentShare) },
      period: text(population.periodNs),
    }),
    refusals: isUsual ? null : objective.refusals.map((rule) => withoutNulls({ ...rule })),
    perspective: objective.perspective === 'operator' ? null : objective.perspective,
    timedOut: objective.timedOut === 'miss' ? null : objective.timedOut,
    owner: objective.owner,
    runbook: objective.runbook,
    rollback: objective.rollback,
  });
}

function ttftValue({ request }: Objective): unknown {
  const { ttft, from, counts } = request;
  const isUsual = from === 'planned' && canonicalJson(counts) === canonicalJson(DEFAULT_COUNTS);
  const only = ttft?.length === 1 ? (ttft[0]?.limitNs ?? null) : null;
  if (isUsual && (ttft === null || only !== null)) return text(only);
  return withoutNulls({
    from,
    counts,
    limit: text(only),
    buckets: ttft === null || only !== null ? null : bucketTree(ttft),
  });
}

/** Each key is where its bucket ends; the open one is written when its limit differs. */
function bucketTree(limits: readonly BucketLimit[]): Record<string, string> {
  const written = limits.filter(
    ({ toTokens, limitNs }, at) => toTokens !== null || limitNs !== limits[at - 1]?.limitNs,
  );
  return Object.fromEntries(
    written.map(({ fromTokens, toTokens, limitNs }) => [
      toTokens === null ? `${tokenCountText(fromTokens)}+` : tokenCountText(toTokens),
      durationText(limitNs),
    ]),
  );
}

function text(ns: number | null | undefined): string | null {
  return ns === null || ns === undefined ? null : durationText(ns);
}

function share(value: number | null): string | null {
  return value === null ? null : shareText(value);
}
