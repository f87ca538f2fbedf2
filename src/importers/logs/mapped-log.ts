/** A log whose columns a mapping file names. */
import { NS_PER_US } from '../../base/index.ts';
import {
  NOTHING_LOGGED,
  unitNs,
  type CoveredField,
  type LoggedEnd,
  type LoggedRequest,
  type LogMapping,
  type TimeColumn,
} from '../../logs/index.ts';
import { derived, measured, type FieldOrigin, type LogFormat } from './log-format.ts';
import {
  between,
  errorOf,
  finishOf,
  instantAt,
  labelAt,
  numberAt,
  textAt,
  type LogObject,
} from './log-values.ts';

/** The format that a mapping describes. */
export function mappedFormat(mapping: LogMapping): LogFormat {
  return {
    name: 'mapping',
    title: 'columns by the mapping file',
    fields: fieldsOf(mapping),
    recognises: () => true,
    read: (row) => [read(row, mapping)],
  };
}

function read(row: LogObject, mapping: LogMapping): LoggedRequest {
  const startUs = at(row, mapping.start);
  const status = mapping.status === null ? null : numberAt(row, mapping.status);
  const end = endOf(row, mapping, status);
  const finish = mapping.finish;
  return {
    ...NOTHING_LOGGED,
    startUs,
    ttftNs: since(row, mapping.ttft, mapping.firstToken, startUs),
    e2eNs: since(row, mapping.e2e, mapping.end, startUs),
    promptTokens: mapping.promptTokens === null ? null : numberAt(row, mapping.promptTokens),
    outputTokens: mapping.outputTokens === null ? null : numberAt(row, mapping.outputTokens),
    end,
    failure: end === 'failed' ? 'httpStatus' : null,
    error: end === 'failed' ? errorOf(status, {}) : null,
    httpStatus: status,
    finishReason: finish === null ? (end === 'completed' ? 'stop' : null) : finishOf(row[finish]),
    model: mapping.model === null ? null : labelAt(row, mapping.model),
    tenant: mapping.tenant === null ? null : labelAt(row, mapping.tenant),
    class: mapping.class === null ? null : labelAt(row, mapping.class),
    logicalRequestId: mapping.request === null ? null : textAt(row, mapping.request),
    clock: mapping.clock,
    claimedTpotNs: since(row, mapping.timePerToken, null, null),
  };
}

function at(row: LogObject, time: TimeColumn | null): number | null {
  if (time === null) return null;
  return instantAt(
    row,
    time.column,
    time.unit === 'iso' ? Number.NaN : unitNs(time.unit) / NS_PER_US,
  );
}

function since(
  row: LogObject,
  duration: TimeColumn | null,
  instant: TimeColumn | null,
  startUs: number | null,
): number | null {
  if (duration !== null && duration.unit !== 'iso') {
    const value = numberAt(row, duration.column);
    return value === null ? null : Math.round(value * unitNs(duration.unit));
  }
  return between(startUs, at(row, instant));
}

function endOf(
  row: LogObject,
  { outcome, status: column }: LogMapping,
  status: number | null,
): LoggedEnd {
  if (outcome !== null) {
    const value = row[outcome.column];
    const word = typeof value === 'string' ? value : JSON.stringify(value ?? '');
    if (outcome.completed.includes(word)) return 'completed';
    if (outcome.timedOut.includes(word)) return 'timedOut';
    return outcome.cancelled.includes(word) ? 'cancelled' : 'failed';
  }
  if (column === null) return 'completed';
  return status !== null && status >= 1 && status < 400 ? 'completed' : 'failed';
}

function fieldsOf(mapping: LogMapping): Partial<Record<CoveredField, FieldOrigin>> {
  const named = (column: string | null): FieldOrigin | undefined =>
    column === null ? undefined : measured(column);
  const rule = mapping.outcome?.column ?? mapping.status;
  const fields: Record<string, FieldOrigin | undefined> = {
    startUs: named(mapping.start?.column ?? null),
    ttftNs: named((mapping.ttft ?? mapping.firstToken)?.column ?? null),
    e2eNs: named((mapping.e2e ?? mapping.end)?.column ?? null),
    promptTokens: named(mapping.promptTokens),
    outputTokens: named(mapping.outputTokens),
    finishReason:
      named(mapping.finish) ??
      derived(rule === null ? 'taken as finished' : `${rule} says completed; a cut cannot be seen`),
    httpStatus: named(mapping.status),
    model: named(mapping.model),
    tenant: named(mapping.tenant),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, origin]) => origin !== undefined));
}
