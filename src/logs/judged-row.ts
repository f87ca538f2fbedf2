/**
 * A record as one flat row of what a judge looks at: what SQL judges, and what Parquet holds. The
 * columns of answers (`ttft…`, `tpot…`, `gap…`) follow the output kinds that count.
 */
import { NS_PER_US } from '../base/index.ts';
import { measureRecord, type RequestRecord } from '../record/index.ts';
import type { Objective } from '../slo/index.ts';
import { sampleQuantile } from '../stats/index.ts';

/** SQL types of the columns, by name. A column that a table lacks is `NULL` in every row. */
export const JUDGED_COLUMNS = {
  /** Microseconds since 1970 UTC. */
  start_us: 'BIGINT',
  /** completed, failed, timedOut, cancelled, dropped, notReached: before refusal rules. */
  outcome: 'VARCHAR',
  http_status: 'INTEGER',
  has_error: 'BOOLEAN',
  error_status: 'INTEGER',
  error_code: 'VARCHAR',
  error_type: 'VARCHAR',
  /** Evidence words of the error, with blanks around each. */
  error_evidence: 'VARCHAR',
  ttft_planned_ns: 'BIGINT',
  ttft_dispatch_ns: 'BIGINT',
  e2e_planned_ns: 'BIGINT',
  e2e_dispatch_ns: 'BIGINT',
  /** From the start, or the last content, to where the client gave up. */
  waited_planned_ns: 'BIGINT',
  waited_dispatch_ns: 'BIGINT',
  waited_content_ns: 'BIGINT',
  tpot_ns: 'DOUBLE',
  tpot_basis: 'VARCHAR',
  tpot_reason: 'VARCHAR',
  gap_max_ns: 'BIGINT',
  gap_quantile_ns: 'BIGINT',
  gap_reason: 'VARCHAR',
  prompt_tokens: 'BIGINT',
  output_tokens: 'BIGINT',
  finish: 'VARCHAR',
  terminal: 'BOOLEAN',
  /** Output kinds seen, with blanks around each; '' when none. */
  kinds: 'VARCHAR',
  imported: 'BOOLEAN',
  /** Names of checks, with line feeds around each. */
  checks_passed: 'VARCHAR',
  checks_failed: 'VARCHAR',
  tenant: 'VARCHAR',
  class: 'VARCHAR',
  model: 'VARCHAR',
} as const;

export type JudgedColumn = keyof typeof JUDGED_COLUMNS;
export type JudgedRow = { readonly [Name in JudgedColumn]: string | number | boolean | null };

/**
 * The row of a record, measured as the objective asks (its `counts` and gap quantile).
 * `originUs`: microseconds since 1970 at the record's instant 0.
 */
export function judgedRowOf(
  record: RequestRecord,
  objective: Objective,
  originUs: number,
): JudgedRow {
  const { request } = objective;
  const measures = measureRecord(record, { counts: request.counts });
  const { dispatch, timeline, end } = record;
  const sent = dispatch.kind === 'sent' ? dispatch : null;
  const error = end?.kind === 'failed' ? end.error : null;
  const gaps = measures.chunkGapsNs;
  const stopNs =
    end?.kind === 'cancelled' ? end.atNs : end?.kind === 'timedOut' ? end.deadlineNs : null;
  const waited = (fromNs: number | null): number | null =>
    stopNs === null || fromNs === null ? null : stopNs - fromNs;
  const contentNs =
    sent === null || measures.lastContentNs === null
      ? null
      : sent.dispatchedNs + measures.lastContentNs;
  const names = (passed: boolean): string =>
    around(
      record.checks.filter((check) => check.passed === passed).map(({ name }) => name),
      '\n',
    );
  return {
    start_us: originUs + Math.floor((dispatch.plannedNs ?? 0) / NS_PER_US),
    outcome: end?.kind ?? dispatch.kind,
    http_status: record.httpStatus,
    has_error: error !== null,
    error_status: error?.httpStatus ?? null,
    error_code: error?.code ?? null,
    error_type: error?.type ?? null,
    error_evidence: around(error?.evidence ?? [], ' '),
    ttft_planned_ns: measures.ttftFromPlannedNs,
    ttft_dispatch_ns: measures.ttftFromDispatchNs,
    e2e_planned_ns: measures.completionFromPlannedNs,
    e2e_dispatch_ns: measures.completionNs,
    waited_planned_ns: waited(sent?.plannedNs ?? null),
    waited_dispatch_ns: waited(sent?.dispatchedNs ?? null),
    waited_content_ns: waited(contentNs),
    tpot_ns: measures.tpotNs,
    tpot_basis: measures.tpotBasis,
    tpot_reason: measures.reasons.tpot,
    gap_max_ns: gaps.length === 0 ? null : gaps.reduce((a, b) => Math.max(a, b)),
    gap_quantile_ns:
      gaps.length === 0 || request.gapQuantile === null
        ? null
        : sampleQuantile(gaps, request.gapQuantile.q, 'nearestRank'),
    gap_reason: measures.reasons.chunkGaps,
    prompt_tokens: measures.promptTokens ?? record.promptTokensPlanned,
    output_tokens: measures.outputTokens,
    finish: timeline?.finishReason ?? null,
    terminal: timeline !== null && timeline.terminalNs !== null,
    kinds: around([...new Set(timeline?.output.kind)], ' '),
    imported: record.source === 'imported',
    checks_passed: names(true),
    checks_failed: names(false),
    tenant: record.labels.tenant,
    class: record.labels.class,
    model: record.labels.model,
  };
}

/** Each word with the separator before and after it, so that a search finds only whole words. */
function around(words: readonly string[], separator: string): string {
  return words.length === 0 ? '' : `${separator}${words.join(separator)}${separator}`;
}
