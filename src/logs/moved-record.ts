/** A record on another origin, so that records of one log stand on one time axis. */
import type { RequestEnd, RequestRecord, Timeline } from '../record/index.ts';

/** The record with every instant `byNs` later. */
export function movedRecord(record: RequestRecord, byNs: number): RequestRecord {
  const { dispatch, timeline, end } = record;
  return {
    ...record,
    dispatch:
      dispatch.kind === 'sent'
        ? {
            ...dispatch,
            plannedNs: dispatch.plannedNs + byNs,
            dispatchedNs: dispatch.dispatchedNs + byNs,
          }
        : dispatch.plannedNs === null
          ? dispatch
          : { ...dispatch, plannedNs: dispatch.plannedNs + byNs },
    timeline: timeline === null ? null : movedTimeline(timeline, byNs),
    end: end === null ? null : movedEnd(end, byNs),
  };
}

function movedTimeline(timeline: Timeline, byNs: number): Timeline {
  const at = (instantNs: number | null): number | null =>
    instantNs === null ? null : instantNs + byNs;
  return {
    ...timeline,
    connectedNs: at(timeline.connectedNs),
    tlsDoneNs: at(timeline.tlsDoneNs),
    writtenNs: at(timeline.writtenNs),
    firstByteNs: at(timeline.firstByteNs),
    firstEventNs: at(timeline.firstEventNs),
    lastChoicesEventNs: at(timeline.lastChoicesEventNs),
    usageAtNs: at(timeline.usageAtNs),
    finishNs: at(timeline.finishNs),
    terminalNs: at(timeline.terminalNs),
    doneNs: at(timeline.doneNs),
    bodyEndNs: at(timeline.bodyEndNs),
    output: { ...timeline.output, atNs: timeline.output.atNs.map((ns) => ns + byNs) },
  };
}

function movedEnd(end: RequestEnd, byNs: number): RequestEnd {
  switch (end.kind) {
    case 'timedOut':
      return { ...end, deadlineNs: end.deadlineNs + byNs };
    case 'cancelled':
      return { ...end, atNs: end.atNs + byNs };
    default:
      return end;
  }
}
