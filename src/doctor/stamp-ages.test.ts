import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordOf } from '../../test/support/record-builder.ts';
import {
  emittedByRequest,
  meanStreams,
  readStreamOf,
  sentEvents,
  serverLatenessNs,
  spanQuantiles,
  stampAges,
  startLatenessNs,
} from './stamp-ages.ts';

const sent = (requestId: string, index: number, emittedNs: number, plannedNs = emittedNs) => ({
  requestId,
  index,
  plannedNs,
  emittedNs,
});
const stream = (requestId: string, atNs: number[], plannedNs = 0, dispatchedNs = plannedNs) => ({
  requestId,
  plannedNs,
  dispatchedNs,
  atNs,
});

describe('stampAges', () => {
  const emitted = emittedByRequest([sent('a', 1, 1_040), sent('a', 0, 1_000), sent('b', 0, 1_100)]);
  const always = { emitted, offsetNs: 900, fromNs: 0, toNs: Infinity, stallAt: () => 0 };

  it('is the stamp on the shared clock less the sending of the same event', () => {
    // On the client's clock 900 ns less: 'a' was sent at 100 and 140, 'b' at 200.
    const ages = stampAges({ ...always, streams: [stream('a', [105, 152]), stream('b', [230])] });
    expect(ages.allNs).toEqual([5, 12, 30]);
    expect(ages.calmNs).toEqual([5, 12, 30]);
    expect(ages.stampCount).toBe(3);
  });

  it('leaves out what is not of the span, its end included', () => {
    const ages = stampAges({
      ...always,
      fromNs: 105,
      toNs: 152,
      streams: [stream('a', [105, 152])],
    });
    expect(ages.allNs).toEqual([5]);
  });

  it('counts stamps of events that nobody sent, and compares them with nothing', () => {
    const ages = stampAges({
      ...always,
      streams: [stream('a', [105, 152, 160]), stream('c', [1])],
    });
    expect(ages.allNs).toEqual([5, 12]);
    expect(ages.stampCount).toBe(4);
  });

  it('knows which stamps fell in a stall that the client saw itself', () => {
    const stallAt = (atNs: number) => (atNs > 150 ? 40 : 0);
    const ages = stampAges({ ...always, stallAt, streams: [stream('a', [105, 152])] });
    expect(ages.calmNs).toEqual([5]);
    expect(ages.allNs).toEqual([5, 12]);
  });

  it('gives back the ages that stamps were made with', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 0, max: 1e6 })), {
          minLength: 1,
        }),
        (offsetNs, steps) => {
          let atNs = 0;
          const events = steps.map(([gapNs, ageNs], index) => {
            atNs += gapNs;
            return { event: sent('r', index, atNs), ageNs };
          });
          const ages = stampAges({
            streams: [
              stream(
                'r',
                events.map(({ event, ageNs }) => event.emittedNs + ageNs - offsetNs),
              ),
            ],
            emitted: emittedByRequest(events.map(({ event }) => event)),
            offsetNs,
            fromNs: -Infinity,
            toNs: Infinity,
            stallAt: () => 0,
          });
          expect(ages.allNs).toEqual(events.map(({ ageNs }) => ageNs));
        },
      ),
    );
  });
});

it('reads an emission log and passes over faults and a line that was cut', () => {
  const log =
    '{"requestId":"a","index":0,"tokens":1,"plannedNs":1,"emittedNs":2}\n' +
    '{"requestId":"b","fault":"x","kind":"hang"}\n' +
    '{"requestId":"a","index":1,"tokens":1,"plan';
  expect([...sentEvents(log)]).toMatchObject([{ requestId: 'a', index: 0, emittedNs: 2 }]);
});

it('keeps of a record what is compared, and nothing of one that never left', () => {
  const record = recordOf({ plannedNs: 10, dispatchedNs: 12, arrivalsNs: [20, 30] });
  expect(readStreamOf(record)).toMatchObject({ plannedNs: 10, dispatchedNs: 12, atNs: [20, 30] });
  expect(readStreamOf(recordOf({ dropped: 'late' }))).toBeNull();
});

it('takes the lateness of starts that were due in the span', () => {
  const streams = [stream('a', [], 0, 5), stream('b', [], 10, 13), stream('c', [], 20, 29)];
  expect(startLatenessNs(streams, { fromNs: 10, toNs: 20 })).toEqual([3]);
});

it('takes the lateness of the server from the first event of each instant', () => {
  const events = [sent('a', 0, 103, 100), sent('b', 0, 101, 100), sent('a', 1, 200, 200)];
  expect(serverLatenessNs(events)).toEqual([1, 0]);
});

it('counts streams by the time that each was read', () => {
  const streams = [stream('a', [50, 100], 0), stream('b', [150], 50)];
  expect(meanStreams(streams, { fromNs: 0, toNs: 100 })).toBe(1.5);
});

it('ranks by nearest rank, and has nothing to say of nothing', () => {
  const values = Array.from({ length: 200 }, (_, at) => 200 - at);
  expect(spanQuantiles(values)).toEqual({ sampleCount: 200, p50Ns: 100, p99Ns: 198, maxNs: 200 });
  expect(spanQuantiles([])).toEqual({ sampleCount: 0, p50Ns: null, p99Ns: null, maxNs: null });
});
