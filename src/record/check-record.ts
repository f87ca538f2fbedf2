/** The invariants of a record that its types cannot say. */
import type { OutputEvents, RequestEnd, RequestRecord, Timeline, Usage } from './request-record.ts';

/**
 * Every invariant the record breaks, as sentences; empty when it is sound. Whoever writes records
 * is held to this by tests, and whoever reads them from a file checks it once.
 */
export function checkRecord(record: RequestRecord): string[] {
  const { dispatch, timeline, end } = record;
  const problems: string[] = [];
  if (record.attempt < 1) problems.push(`attempt ${record.attempt} is below 1`);
  if (dispatch.plannedNs !== null) problems.push(...notWhole('plannedNs', dispatch.plannedNs));
  if (dispatch.kind !== 'sent') {
    if (record.nextTryNs !== null) problems.push(`${dispatch.kind}, yet tried again`);
    if (timeline !== null || end !== null) problems.push(`${dispatch.kind}, yet it has an answer`);
    return problems;
  }
  problems.push(...notWhole('dispatchedNs', dispatch.dispatchedNs));
  if (dispatch.dispatchedNs < dispatch.plannedNs) problems.push('dispatched before it was planned');
  if (timeline === null || end === null) {
    return [...problems, 'sent, yet without a timeline or an end'];
  }
  return [
    ...problems,
    ...checkInstants(timeline, dispatch.dispatchedNs),
    ...checkColumns(timeline.output),
    ...checkOrder(timeline),
    ...checkUsage(timeline.usage),
    ...checkDraft(timeline.draft),
    ...checkNextTry(record.nextTryNs, end),
    ...checkEnd(timeline, end, dispatch.dispatchedNs),
  ];
}

/** Every instant of the timeline is whole and not before dispatch. */
function checkInstants(timeline: Timeline, dispatchedNs: number): string[] {
  const problems: string[] = [];
  for (const [name, atNs] of instantsOf(timeline)) {
    if (atNs === null) continue;
    problems.push(...notWhole(name, atNs));
    if (atNs < dispatchedNs) problems.push(`${name} is before dispatch`);
  }
  return problems;
}

function instantsOf(timeline: Timeline): readonly (readonly [string, number | null])[] {
  return [
    ['connectedNs', timeline.connectedNs],
    ['tlsDoneNs', timeline.tlsDoneNs],
    ['writtenNs', timeline.writtenNs],
    ['firstByteNs', timeline.firstByteNs],
    ['firstEventNs', timeline.firstEventNs],
    ['first output', timeline.output.atNs[0] ?? null],
    ['lastChoicesEventNs', timeline.lastChoicesEventNs],
    ['usageAtNs', timeline.usageAtNs],
    ['finishNs', timeline.finishNs],
    ['terminalNs', timeline.terminalNs],
    ['doneNs', timeline.doneNs],
    ['bodyEndNs', timeline.bodyEndNs],
  ];
}

/** Columns are of one length, arrivals never decrease, and events of one read share a stamp. */
function checkColumns(output: OutputEvents): string[] {
  const { atNs, kind, bytes, tokens, readId } = output;
  const lengths = [atNs, kind, bytes, tokens, readId].map((column) => column.length);
  if (lengths.some((length) => length !== atNs.length)) {
    return [`output columns differ in length: ${lengths.join(', ')}`];
  }
  for (let index = 0; index < atNs.length; index += 1) {
    const at = atNs[index] as number;
    const read = readId[index] as number;
    if (!Number.isSafeInteger(at)) return [`output event ${index} has no whole instant`];
    if ((bytes[index] as number) < 1) return [`output event ${index} is empty`];
    if ((tokens[index] ?? 0) < 0) return [`output event ${index} has a negative token count`];
    if (index === 0) continue;
    const earlier = atNs[index - 1] as number;
    const earlierRead = readId[index - 1] as number;
    if (at < earlier) return [`output event ${index} arrived before the one ahead of it`];
    if (read < earlierRead) return [`output event ${index} is of an earlier read`];
    if (read === earlierRead && at !== earlier) return [`read ${read} has two arrival instants`];
  }
  return [];
}

/** First byte, first event, first output and last output, done: in this order. */
function checkOrder(timeline: Timeline): string[] {
  const firstOutputNs = timeline.output.atNs[0] ?? null;
  const lastOutputNs = timeline.output.atNs.at(-1) ?? null;
  const { firstByteNs, firstEventNs, terminalNs, doneNs } = timeline;
  const problems: string[] = [];
  if (isAfter(firstByteNs, firstEventNs)) problems.push('first event before the first byte');
  if (isAfter(firstByteNs, firstOutputNs)) problems.push('output before the first byte');
  if (isAfter(firstEventNs, firstOutputNs)) problems.push('output before the first event');
  if (isAfter(lastOutputNs, doneNs)) problems.push('done before the last output');
  if (terminalNs !== null && doneNs !== terminalNs) problems.push('done is not the end mark');
  return problems;
}

function checkUsage(usage: Usage | null): string[] {
  if (usage === null) return [];
  return Object.entries(usage).flatMap(([name, count]: [string, number | null]) =>
    count === null ? [] : notWhole(`usage ${name}`, count),
  );
}

function checkDraft(draft: Timeline['draft']): string[] {
  return draft !== null && draft.acceptedTokens > draft.proposedTokens
    ? ['more draft tokens accepted than proposed']
    : [];
}

/** What was answered, or stopped by the run, is not tried again. */
function checkNextTry(nextTryNs: number | null, { kind }: RequestEnd): string[] {
  return nextTryNs !== null && (kind === 'completed' || kind === 'cancelled')
    ? [`${kind}, yet tried again`]
    : [];
}

function checkEnd(timeline: Timeline, end: RequestEnd, dispatchedNs: number): string[] {
  switch (end.kind) {
    case 'completed':
      return timeline.doneNs === null ? ['completed, yet never done'] : [];
    case 'timedOut':
      return end.deadlineNs < dispatchedNs ? ['timed out before dispatch'] : [];
    case 'cancelled':
      return end.atNs < dispatchedNs ? ['cancelled before dispatch'] : [];
    default:
      return [];
  }
}

function isAfter(atNs: number | null, otherNs: number | null): boolean {
  return atNs !== null && otherNs !== null && atNs > otherNs;
}

function notWhole(name: string, value: number): string[] {
  return Number.isSafeInteger(value) && value >= 0
    ? []
    : [`${name} ${value} is not a whole number from 0`];
}
