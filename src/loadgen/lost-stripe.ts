/** What becomes of the requests of a generator process that died in the middle of its stripe. */
import { assertNever } from '../base/index.ts';
import type { RequestRecord } from '../record/index.ts';
import type { Schedule, ScheduledRequest } from '../workload/index.ts';
import {
  droppedRecord,
  faultResult,
  notReachedRecord,
  type RecordTemplate,
  sentRecord,
  type StartedRequest,
  tryIdsOf,
} from './point-records.ts';

/** A stripe as far as it was told, and when its generator was found dead. */
export interface LostStripe {
  readonly template: RecordTemplate;
  readonly schedule: Schedule;
  readonly startNs: number;
  /** End of the whole point's starts. */
  readonly stopNs: number;
  readonly lostNs: number;
  /** Whether the request of this place was started, recorded or both. */
  readonly isTold: (index: number) => boolean;
  /** Whether a turn of this session had failed: none of its turns would have started any more. */
  readonly isOver: (session: string) => boolean;
  readonly inFlightCount: number;
  /** Whether a request may be tried again. */
  readonly isRetried: boolean;
}

/** Sent and never seen again: neither for nor against the service. */
export function lostInFlightRecord(
  template: RecordTemplate,
  started: StartedRequest,
  lostNs: number,
): RequestRecord {
  const atNs = Math.max(lostNs, started.handedNs);
  return sentRecord(template, started, faultResult(started.handedNs, atNs, 'generatorLost'));
}

/**
 * Records of the requests that were never started, in order of their places: dropped where they were
 * due before the stop, so that no load is silently lower than the one asked for; not reached where
 * they would have waited for others of the stripe that were not started either, or where their
 * session was over.
 */
export function unsentRecords(lost: LostStripe): RequestRecord[] {
  const { template, schedule, startNs, stopNs, isTold } = lost;
  let freeSlots = lost.inFlightCount;
  const dueNs = ({ release }: ScheduledRequest): number | null => {
    switch (release.kind) {
      case 'at':
        return startNs + release.atNs;
      case 'slot':
        freeSlots -= 1;
        return freeSlots >= 0 ? lost.lostNs : null;
      case 'after':
        if (release.index === null) return startNs + release.thinkNs;
        return isTold(release.index) ? lost.lostNs + release.thinkNs : null;
      case 'turn':
        if (!release.after.every(({ index }) => isTold(index))) return null;
        return Math.max(
          startNs + release.notBeforeNs,
          ...release.after.map(({ thinkNs }) => lost.lostNs + thinkNs),
        );
      default:
        return assertNever(release);
    }
  };
  const records: RequestRecord[] = [];
  for (const request of schedule.requests) {
    if (isTold(request.index)) continue;
    const { release, session } = request;
    const isOver = release.kind === 'turn' && session !== null && lost.isOver(session);
    const plannedNs = isOver ? null : dueNs(request);
    const ids = tryIdsOf(template, request, { attempt: 1, isRetried: lost.isRetried });
    records.push(
      plannedNs === null || plannedNs >= stopNs
        ? notReachedRecord(template, request, ids, {
            startNs,
            reason: isOver ? 'sessionOver' : 'stopped',
          })
        : droppedRecord(template, request, ids, { plannedNs, reason: 'generatorLost' }),
    );
  }
  return records;
}
