/**
 * A mapping as SQL: from a table with the user's columns to one of {@link JUDGED_COLUMNS}, with the
 * meaning that `recordOfLogged` gives a row. Broken rows get their `fault` instead of being judged.
 */
import { NS_PER_US } from '../base/index.ts';
import { CLAIM_TOLERANCE, HALF_TOLERANCE } from './identity-check.ts';
import { unitNs, type LogMapping, type TimeColumn } from './log-mapping.ts';
import { quoted } from './objective-sql.ts';

/** A name from outside as an identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** `SELECT` of the judged columns, of `fault` (NULL where the row is sound) and of what is `kept`. */
export function mappedSql(
  table: string,
  mapping: LogMapping,
  kept: readonly string[] = [],
): string {
  const start = instantSql(mapping.start);
  const ttft = sinceSql(mapping.ttft, mapping.firstToken, start);
  const e2e = sinceSql(mapping.e2e, mapping.end, start);
  return `
    SELECT *,
      CASE WHEN start_us < 0 OR start_broken THEN 'its start is no instant'
        WHEN ttft_ns < 0 OR ttft_broken THEN 'its time to first token is no duration'
        WHEN e2e_ns < 0 OR e2e_broken THEN 'its end is before its start, or no duration'
        WHEN prompt_tokens < 0 OR prompt_broken THEN 'its prompt tokens are no count'
        WHEN output_tokens < 0 OR output_broken THEN 'its output tokens are no count'
        WHEN ttft_ns > e2e_ns + 1000000 THEN 'its first token is after its end' END AS fault,
      ttft_ns AS ttft_planned_ns, ttft_ns AS ttft_dispatch_ns,
      CASE WHEN outcome = 'completed' THEN ${LAST} END AS e2e_planned_ns,
      CASE WHEN outcome = 'completed' THEN ${LAST} END AS e2e_dispatch_ns,
      CASE WHEN outcome IN ('timedOut', 'cancelled') THEN COALESCE(e2e_ns, 0) END AS waited_planned_ns,
      CASE WHEN outcome IN ('timedOut', 'cancelled') THEN COALESCE(e2e_ns, 0) END AS waited_dispatch_ns,
      CASE WHEN output_tokens > 1 THEN
        CAST(${LAST} - ttft_ns AS DOUBLE) / (output_tokens - 1) END AS tpot_ns,
      'estimated' AS tpot_basis,
      CASE WHEN output_tokens = 1 AND ttft_ns IS NOT NULL THEN 'oneToken' ELSE 'unknown' END AS tpot_reason,
      'notReported' AS gap_reason,
      CASE WHEN output_tokens = 0 THEN ''
        WHEN ttft_ns IS NOT NULL OR (output_tokens IS NOT NULL AND e2e_ns IS NOT NULL) THEN ' answer '
        ELSE '' END AS kinds,
      CAST(NULL AS INTEGER) AS error_status, CAST(NULL AS VARCHAR) AS error_code,
      CAST(NULL AS VARCHAR) AS error_type, CAST(NULL AS BIGINT) AS waited_content_ns,
      CAST(NULL AS BIGINT) AS gap_max_ns, CAST(NULL AS BIGINT) AS gap_quantile_ns,
      FALSE AS terminal, TRUE AS imported, outcome = 'failed' AS has_error,
      '' AS error_evidence, '' AS checks_passed, '' AS checks_failed
    FROM (SELECT
      ${start} AS start_us, ${brokenTime(mapping.start, start)} AS start_broken,
      ${ttft} AS ttft_ns, ${brokenTime(mapping.ttft ?? mapping.firstToken, ttft)} AS ttft_broken,
      ${e2e} AS e2e_ns, ${brokenTime(mapping.e2e ?? mapping.end, e2e)} AS e2e_broken,
      ${countSql(mapping.promptTokens)} AS prompt_tokens, ${brokenCount(mapping.promptTokens)} AS prompt_broken,
      ${countSql(mapping.outputTokens)} AS output_tokens, ${brokenCount(mapping.outputTokens)} AS output_broken,
      CAST(${countSql(mapping.status)} AS INTEGER) AS http_status,
      ${outcomeSql(mapping)} AS outcome, ${finishSql(mapping)} AS finish,
      ${labelSql(mapping.model)} AS model, ${labelSql(mapping.tenant)} AS tenant,
      ${[`${labelSql(mapping.class)} AS class`, ...kept].join(', ')}
    FROM ${table})`;
}

/**
 * The identity check over a Parquet log, by {@link claimFault}'s rules: `fault`, rows, mean ratio;
 * `fault` NULL where the claim fits. `null` without a claim to check.
 */
export function claimsSql(table: string, mapping: LogMapping): string | null {
  const { timePerToken } = mapping;
  if (timePerToken === null || timePerToken.unit === 'iso') return null;
  const claim = `${scaledSql(identifier(timePerToken.column), unitNs(timePerToken.unit))} AS claim_ns`;
  const near = (ns: string, tolerance: number): string =>
    `abs(claim_ns - ${ns}) <= ${tolerance} * ${ns}`;
  return `
    SELECT CASE
        WHEN ${near('true_ns', CLAIM_TOLERANCE)} THEN NULL
        WHEN ${near('e2e_ns / output_tokens', CLAIM_TOLERANCE)} THEN 'tpotIncludesTtft'
        WHEN ${near('e2e_ns', CLAIM_TOLERANCE)} THEN 'tpotIsWholeAnswer'
        WHEN ${near('true_ns / 2', HALF_TOLERANCE)} THEN 'tpotHalf'
        ELSE 'tpotDiffers' END AS finding,
      count(*) AS n, avg(claim_ns / true_ns) AS ratio
    FROM (SELECT *, (e2e_ns - ttft_ns) / (output_tokens - 1) AS true_ns
      FROM (${mappedSql(table, mapping, [claim])})
      WHERE fault IS NULL AND outcome = 'completed' AND output_tokens > 1 AND claim_ns IS NOT NULL)
    WHERE true_ns > 0 GROUP BY finding ORDER BY n DESC`;
}

/** Within the slack of the fault rule an end may be before the first token: then it is there. */
const LAST = '(CASE WHEN e2e_ns < ttft_ns THEN ttft_ns ELSE e2e_ns END)';

function instantSql(time: TimeColumn | null): string {
  if (time === null) return 'CAST(NULL AS BIGINT)';
  const column = identifier(time.column);
  if (time.unit === 'iso') return `epoch_us(TRY_CAST(${column} AS TIMESTAMP))`;
  return scaledSql(column, unitNs(time.unit) / NS_PER_US);
}

/** Nanoseconds from the start: told as such, or as another instant. */
function sinceSql(duration: TimeColumn | null, at: TimeColumn | null, start: string): string {
  if (duration !== null && duration.unit !== 'iso') {
    return scaledSql(identifier(duration.column), unitNs(duration.unit));
  }
  return at === null ? 'CAST(NULL AS BIGINT)' : `(${instantSql(at)} - ${start}) * ${NS_PER_US}`;
}

function scaledSql(column: string, unit: number): string {
  return `CAST(round(TRY_CAST(${column} AS DOUBLE) * ${unit}) AS BIGINT)`;
}

function countSql(column: string | null): string {
  return column === null ? 'CAST(NULL AS BIGINT)' : `TRY_CAST(${identifier(column)} AS BIGINT)`;
}

/** Written, but not readable. */
function brokenTime(time: TimeColumn | null, sql: string): string {
  return time === null ? 'FALSE' : `(${identifier(time.column)} IS NOT NULL AND ${sql} IS NULL)`;
}

function brokenCount(column: string | null): string {
  return column === null
    ? 'FALSE'
    : `(${identifier(column)} IS NOT NULL AND ${countSql(column)} IS NULL)`;
}

function labelSql(column: string | null): string {
  return column === null ? 'CAST(NULL AS VARCHAR)' : `CAST(${identifier(column)} AS VARCHAR)`;
}

function outcomeSql({ outcome, status }: LogMapping): string {
  if (outcome !== null) {
    const column = `CAST(${identifier(outcome.column)} AS VARCHAR)`;
    const is = (words: readonly string[], word: string): string =>
      words.length === 0
        ? ''
        : `WHEN ${column} IN (${words.map(quoted).join(', ')}) THEN '${word}' `;
    return (
      `CASE ${is(outcome.completed, 'completed')}${is(outcome.timedOut, 'timedOut')}` +
      `${is(outcome.cancelled, 'cancelled')}ELSE 'failed' END`
    );
  }
  if (status === null) return "'completed'";
  return `CASE WHEN ${countSql(status)} BETWEEN 1 AND 399 THEN 'completed' ELSE 'failed' END`;
}

function finishSql(mapping: LogMapping): string {
  if (mapping.finish === null)
    return `CASE WHEN ${outcomeSql(mapping)} = 'completed' THEN 'stop' END`;
  const column = `lower(CAST(${identifier(mapping.finish)} AS VARCHAR))`;
  const cases = Object.entries(FINISH_WORDS).map(
    ([reason, words]) => `WHEN ${column} IN (${words.map(quoted).join(', ')}) THEN '${reason}'`,
  );
  return `CASE WHEN ${column} IS NULL OR ${column} = '' THEN NULL ${cases.join(' ')} ELSE 'other' END`;
}

/** Finish reasons as servers and gateways write them. */
export const FINISH_WORDS = {
  stop: ['stop', 'end_turn', 'eos', 'stop_sequence', 'completed'],
  length: ['length', 'max_tokens'],
  toolCalls: ['tool_calls', 'tool_use', 'function_call'],
  contentFilter: ['content_filter', 'safety'],
} as const;
