import { describe, expect, it } from 'vitest';
import { atSeconds, fateOf, scheduleOf } from '../../test/support/point-run.ts';
import { NS_PER_SECOND } from '../base/index.ts';
import type { Release, Schedule } from '../workload/index.ts';
import { lostInFlightRecord, unsentRecords } from './lost-stripe.ts';

const TEMPLATE = {
  source: 'measured',
  clock: 'client',
  experimentHash: 'e',
  runId: 'run',
  pointIndex: 0,
  labels: { model: 'm', tenant: null, region: null },
  streamed: true,
  oneTokenPerEvent: false,
} as const;

function unsent(schedule: Schedule, told: readonly number[], inFlightCount = 0, over = '') {
  return unsentRecords({
    template: TEMPLATE,
    schedule,
    startNs: 0,
    stopNs: 10 * NS_PER_SECOND,
    lostNs: 2 * NS_PER_SECOND,
    isTold: (index) => told.includes(index),
    isOver: (session) => session === over,
    inFlightCount,
    isRetried: false,
  }).map((record) => [record.scheduleIndex, fateOf(record)]);
}

describe('unsentRecords', () => {
  it('drops every arrival that was due before the stop', () => {
    expect(unsent(scheduleOf(atSeconds(0, 1, 3, 9, 11)), [0])).toEqual([
      [1, 'generatorLost'],
      [2, 'generatorLost'],
      [3, 'generatorLost'],
      [4, 'notReached'],
    ]);
  });

  it('drops what was next for a user, and leaves the rest of the chain unreached', () => {
    const after = (index: number | null): Release => ({ kind: 'after', index, thinkNs: 1 });
    expect(unsent(scheduleOf([after(null), after(0), after(1)]), [0])).toEqual([
      [1, 'generatorLost'],
      [2, 'notReached'],
    ]);
  });

  it('leaves the turns of a session that was over where they would have been', () => {
    const after: Release = {
      kind: 'turn',
      after: [{ index: 0, thinkNs: NS_PER_SECOND }],
      notBeforeNs: 0,
    };
    const { requests, ...rest } = scheduleOf([...atSeconds(0), after]);
    const session = { ...rest, requests: requests.map((each) => ({ ...each, session: 's' })) };
    expect(unsent(session, [0])).toEqual([[1, 'generatorLost']]);
    expect(unsent(session, [0], 0, 's')).toEqual([[1, 'notReached']]);
  });

  it('drops one request for each slot that was busy', () => {
    const slots = scheduleOf(
      Array.from({ length: 5 }, (): Release => ({ kind: 'slot' })),
      { slots: 2 },
    );
    expect(unsent(slots, [0, 1], 2)).toEqual([
      [2, 'generatorLost'],
      [3, 'generatorLost'],
      [4, 'notReached'],
    ]);
  });
});

it('what was in flight counts neither for nor against the service', () => {
  const [request] = scheduleOf(atSeconds(1)).requests;
  const record = lostInFlightRecord(
    TEMPLATE,
    {
      request: request!,
      requestId: 'r',
      logicalRequestId: 'r',
      attempt: 1,
      plannedNs: 5,
      handedNs: 7,
      inFlightAtDispatch: 3,
      traceId: null,
    },
    9,
  );
  expect(record).toMatchObject({
    dispatch: { kind: 'sent', plannedNs: 5, dispatchedNs: 7 },
    end: { kind: 'cancelled', atNs: 9 },
    timeline: { notes: ['generatorLost'], writtenNs: null },
    inFlightAtDispatch: 3,
  });
});
