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
  /** The prompt's bucket as a small number, which groups faster than its label. */
  readonly bucketCode: string;
  /** The label of a bucket's number. */
  readonly bucketLabel: (code: string) => string;
  /** Columns of TTFT and TPOT, in ns. */
  readonly ttftNs: string;
  readonly tpotNs: string;
  /** Whether TTFT is within its limit, over the table of `verdict`. NULL also without a limit. */
  readonly ttftMet: string;
  /** Whether TPOT is within its limit; `null` without one. */
  readonly tpotMet: string | null;
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
  const buckets = promptBucketsOf(objective);
  return {
    parts,
    ended: outcomeSql(objective.refusals),
    verdict:
      `CASE ended WHEN 'notReached' THEN NULL WHEN 'dropped' THEN 'bad' ` +
      `WHEN 'refused' THEN '${objective.perspective === 'operator' ? 'excluded' : 'bad'}' ` +
      `ELSE CASE WHEN ${all} THEN 'good' WHEN NOT (${all}) THEN 'bad' ELSE 'unjudged' END END`,
    bucketCode: bucketCodeSql(buckets),
    bucketLabel: (code) => bucketLabelSql(buckets, code),
    ttftNs: `ttft_${from}_ns`,
    tpotNs: 'tpot_ns',
    ttftMet: request.ttft === null ? 'NULL' : `CASE WHEN ended = 'completed' THEN ttft END`,
    tpotMet:
      request.tpot === null
        ? null
        : `CASE WHEN outcome = 'completed' THEN tpot_ns END <= ${request.tpot.limitNs}`,
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

/** The limit of a prompt's length; the strictest where the length is not known. */
function limitSql(limits: readonly BucketLimit[]): string {
  const strictest = Math.min(...limits.map((limit) => limit.limitNs));
  // Falling, so that the lowest cases, which are mostly the strictest, need not be asked.
  const cases = falling(limits).map(({ fromTokens, limitNs }) => ({ fromTokens, limitNs }));
  while (cases.at(-1)?.limitNs === strictest) cases.pop();
  if (cases.length === 0) return String(strictest);
  const whens = cases.map(
    ({ fromTokens, limitNs }) => `WHEN prompt_tokens >= ${fromTokens} THEN ${limitNs}`,
  );
  return `CASE ${whens.join(' ')} ELSE ${strictest} END`;
}

/** Buckets hold every length once, so that the first whose start is reached is the one. */
function falling<Bucket extends LengthBucket>(buckets: readonly Bucket[]): readonly Bucket[] {
  return buckets.toSorted((a, b) => b.fromTokens - a.fromTokens);
}

function bucketCodeSql(buckets: readonly LengthBucket[]): string {
  const cases = falling(buckets).map(
    (bucket) => `WHEN prompt_tokens >= ${bucket.fromTokens} THEN ${buckets.indexOf(bucket)}`,
  );
  return `CASE ${cases.join(' ')} ELSE ${buckets.length} END`;
}

function bucketLabelSql(buckets: readonly LengthBucket[], code: string): string {
  const cases = buckets.map((bucket, at) => `WHEN ${at} THEN ${quoted(bucketLabel(bucket))}`);
  return `CASE ${code} ${cases.join(' ')} ELSE '${UNKNOWN_LENGTH}' END`;
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
