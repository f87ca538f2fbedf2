/**
 * An objective as SQL over {@link JUDGED_COLUMNS}. Each part is a boolean of three values: TRUE met
 * or not applicable, FALSE missed, NULL unknown. SQL's own AND over them is then the judge's rule:
 * one miss is enough to be bad; without one, one unknown is enough not to be good.
 *
 * Standard SQL, but for `contains`; text literals are quoted here.
 */
import { assert } from '../base/index.ts';
import {
  bucketLabel,
  namesEvidence,
  promptBucketsOf,
  UNKNOWN_LENGTH,
  type BucketLimit,
  type LengthBucket,
  type Objective,
  type ObjectiveName,
  type RefusalRule,
} from '../slo/index.ts';
import { rowQuantiles } from './slice-counts.ts';

interface PartSql {
  readonly name: ObjectiveName;
  readonly sql: string;
}

/** The parts that are set, by name, and what follows from them. Expressions without alias. */
export interface ObjectiveSql {
  readonly parts: readonly PartSql[];
  /** completed, failed, refused, …: after the refusal rules. */
  readonly ended: string;
  /**
   * good, bad, unjudged, excluded; NULL for requests that were not reached. Over a table in which
   * `ended` and each part is a column of that name, so that none is computed twice.
   */
  readonly verdict: string;
  readonly bucket: string;
  /** Observed TTFT and TPOT of completed requests, in ns, and whether within the limit. */
  readonly ttft: string;
  readonly ttftMet: string;
  readonly tpot: string;
  readonly tpotMet: string;
  /** For each quantile target of the rows: whether a completed request is within; NULL unseen. */
  readonly quantiles: readonly string[];
}

/** Compiles an objective. */
export function objectiveSql(objective: Objective): ObjectiveSql {
  const { request } = objective;
  const from = request.from === 'planned' ? 'planned' : 'dispatch';
  const parts: readonly PartSql[] = [
    { name: 'correctness' as const, sql: correctnessSql(objective) },
    part('ttft', request.ttft, (limits) => ttftSql(limits, from)),
    part('tpot', request.tpot, tpotSql),
    part('gapMax', request.gapMaxNs, gapMaxSql),
    part('gapQuantile', request.gapQuantile, gapQuantileSql),
    part('e2e', request.e2eNs, (limitNs) => waitingSql(`e2e_${from}_ns`, limitNs, from)),
    part('outputTokens', request.outputTokensMax, outputSql),
  ].filter((one) => one !== null);
  const all = parts.map(({ name }) => name).join(' AND ');
  const ttft = `CASE WHEN outcome = 'completed' THEN ttft_${from}_ns END`;
  const tpot = `CASE WHEN outcome = 'completed' THEN tpot_ns END`;
  return {
    parts,
    ended: outcomeSql(objective.refusals),
    verdict:
      `CASE ended WHEN 'notReached' THEN NULL WHEN 'dropped' THEN 'bad' ` +
      `WHEN 'refused' THEN '${objective.perspective === 'operator' ? 'excluded' : 'bad'}' ` +
      `ELSE CASE WHEN ${all} THEN 'good' WHEN NOT (${all}) THEN 'bad' ELSE 'unjudged' END END`,
    bucket: bucketSql(promptBucketsOf(objective)),
    ttft,
    ttftMet: request.ttft === null ? 'NULL' : `${ttft} <= ${limitSql(request.ttft)}`,
    tpot,
    tpotMet: request.tpot === null ? 'NULL' : `${tpot} <= ${request.tpot.limitNs}`,
    quantiles: rowQuantiles(objective).map(({ measure, limitNs }) => {
      const ns = measure === 'tpot' ? 'tpot_ns' : `${measure}_${from}_ns`;
      return `CASE WHEN outcome = 'completed' THEN ${ns} <= ${limitNs} END`;
    }),
  };
}

/** A part of the objective that is asked; `null` when it is not. */
function part<Asked>(
  name: ObjectiveName,
  asked: Asked | null,
  compile: (asked: Asked) => string,
): PartSql | null {
  return asked === null ? null : { name, sql: compile(asked) };
}

/** A text literal. */
export function quoted(text: string): string {
  assert(!text.includes('\0'), 'a text literal with a zero character');
  return `'${text.replaceAll("'", "''")}'`;
}

function outcomeSql(rules: readonly RefusalRule[]): string {
  const matches = rules.filter(namesEvidence).map(ruleSql);
  if (matches.length === 0) return 'outcome';
  return (
    `CASE WHEN outcome = 'failed' AND has_error AND kinds = '' ` +
    `AND (${matches.join(' OR ')}) THEN 'refused' ELSE outcome END`
  );
}

function ruleSql({ status, body, code }: RefusalRule): string {
  const tests: string[] = [];
  if (status !== null)
    tests.push(`COALESCE(COALESCE(error_status, http_status) = ${status}, FALSE)`);
  if (body !== null) tests.push(holds('error_evidence', body, ' '));
  if (code !== null) {
    const text = quoted(code);
    tests.push(`(COALESCE(error_code = ${text}, FALSE) OR COALESCE(error_type = ${text}, FALSE))`);
  }
  return `(${tests.join(' AND ')})`;
}

/** Whether a list column holds a word. */
function holds(column: string, word: string, separator: string): string {
  return `contains(${column}, ${quoted(`${separator}${word}${separator}`)})`;
}

function limitSql(limits: readonly BucketLimit[]): string {
  const strictest = Math.min(...limits.map((limit) => limit.limitNs));
  const cases = limits.map(
    ({ fromTokens, toTokens, limitNs }) => `WHEN ${inRange(fromTokens, toTokens)} THEN ${limitNs}`,
  );
  return limits.every((limit) => limit.limitNs === strictest)
    ? String(strictest)
    : `CASE ${cases.join(' ')} ELSE ${strictest} END`;
}

function inRange(fromTokens: number, toTokens: number | null): string {
  const low = `prompt_tokens >= ${fromTokens}`;
  return toTokens === null ? low : `${low} AND prompt_tokens < ${toTokens}`;
}

function bucketSql(buckets: readonly LengthBucket[]): string {
  const cases = buckets.map(
    (bucket) =>
      `WHEN ${inRange(bucket.fromTokens, bucket.toTokens)} THEN ${quoted(bucketLabel(bucket))}`,
  );
  return `CASE ${cases.join(' ')} ELSE '${UNKNOWN_LENGTH}' END`;
}

/** An instant that may have passed its limit before the answer was cut. */
function waitingSql(column: string, limit: number | string, from: string): string {
  return `COALESCE(${column} <= ${limit}, CASE WHEN waited_${from}_ns > ${limit} THEN FALSE END)`;
}

function ttftSql(limits: readonly BucketLimit[], from: string): string {
  return waitingSql(`ttft_${from}_ns`, `(${limitSql(limits)})`, from);
}

function tpotSql({ limitNs, basis }: { limitNs: number; basis: 'any' | 'observed' }): string {
  const seen = basis === 'observed' ? ` WHEN tpot_basis <> 'observed' THEN NULL` : '';
  return (
    `CASE WHEN outcome <> 'completed' THEN NULL ` +
    `WHEN tpot_ns IS NULL THEN CASE WHEN tpot_reason = 'oneToken' THEN TRUE END${seen} ` +
    `ELSE tpot_ns <= ${limitNs} END`
  );
}

const NO_GAP = `CASE WHEN gap_reason IN ('singleEvent', 'oneToken') THEN TRUE END`;

function gapMaxSql(limitNs: number): string {
  return (
    `CASE WHEN gap_max_ns > ${limitNs} THEN FALSE ` +
    `WHEN outcome = 'completed' THEN CASE WHEN gap_max_ns IS NULL THEN ${NO_GAP} ELSE TRUE END ` +
    `WHEN waited_content_ns > ${limitNs} THEN FALSE END`
  );
}

function gapQuantileSql({ limitNs }: { readonly limitNs: number }): string {
  return (
    `CASE WHEN outcome <> 'completed' THEN NULL WHEN gap_quantile_ns IS NULL THEN ${NO_GAP} ` +
    `ELSE gap_quantile_ns <= ${limitNs} END`
  );
}

function outputSql(limit: number): string {
  return (
    `CASE WHEN output_tokens > ${limit} THEN FALSE ` +
    `WHEN outcome = 'completed' AND output_tokens IS NOT NULL THEN TRUE END`
  );
}

/** What a measured record lacks was not sent; an imported one may only not have logged it. */
const ABSENT = `CASE WHEN imported THEN NULL ELSE FALSE END`;

function correctnessSql({ request, timedOut }: Objective): string {
  const { finish, needs, strictTerminal, checks } = request.correctness;
  const allowed = finish.map(quoted).join(', ');
  const findings = [
    `CASE WHEN finish IS NULL THEN CASE WHEN terminal THEN FALSE ELSE ${ABSENT} END ` +
      `ELSE finish IN (${allowed === '' ? 'NULL' : allowed}) END`,
    `CASE WHEN ${needs.map((kind) => holds('kinds', kind, ' ')).join(' OR ')} THEN TRUE ` +
      `WHEN kinds = '' THEN ${ABSENT} ELSE FALSE END`,
    ...(strictTerminal ? [`CASE WHEN terminal THEN TRUE ELSE ${ABSENT} END`] : []),
    ...checks.map(
      ({ name }) =>
        `CASE WHEN ${holds('checks_failed', name, '\n')} THEN FALSE ` +
        `WHEN ${holds('checks_passed', name, '\n')} THEN TRUE END`,
    ),
  ];
  const stopped = timedOut === 'censored' ? `'cancelled', 'timedOut'` : `'cancelled'`;
  return (
    `CASE WHEN outcome = 'completed' THEN ${findings.map((sql) => `(${sql})`).join(' AND ')} ` +
    `WHEN outcome IN (${stopped}) THEN NULL ELSE FALSE END`
  );
}
