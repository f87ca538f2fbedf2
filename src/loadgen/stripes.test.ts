import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scheduleOf } from '../../test/support/point-run.ts';
import type { Release, Schedule } from '../workload/index.ts';
import { sharesOf, stripesMax, stripesOf } from './stripes.ts';

const at = (atNs: number): Release => ({ kind: 'at', atNs });
const after = (index: number | null): Release => ({ kind: 'after', index, thinkNs: 1 });
const SLOT: Release = { kind: 'slot' };

function placesOf(stripes: readonly Schedule[]): number[][] {
  return stripes.map(({ requests }) => requests.map(({ index }) => index));
}

/** Requests that wait for an earlier one, for a slot or for their instant, in sessions or not. */
const schedules = fc
  .array(
    fc.record({
      back: fc.option(fc.nat({ max: 5 })),
      session: fc.option(fc.constantFrom('a', 'b', 'c')),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((shapes): Schedule => {
    const schedule = scheduleOf(
      shapes.map(({ back }, index) =>
        back === null ? at(index) : after(back < index ? index - back - 1 : null),
      ),
    );
    const requests = schedule.requests.map((request, index) => ({
      ...request,
      session: shapes[index]?.session ?? null,
    }));
    return { ...schedule, requests };
  });

describe('stripesOf', () => {
  it('deals arrivals round robin', () => {
    const stripes = stripesOf(scheduleOf([0, 1, 2, 3, 4].map(at)), 2);
    expect(placesOf(stripes)).toEqual([
      [0, 2, 4],
      [1, 3],
    ]);
  });

  it('keeps the chain of a user in one stripe', () => {
    const chains = [null, null, null, 0, 1, 2, 3].map(after);
    expect(placesOf(stripesOf(scheduleOf(chains), 2))).toEqual([
      [0, 2, 3, 5, 6],
      [1, 4],
    ]);
  });

  it('splits slots exactly, and the requests that wait for them in proportion', () => {
    const schedule = scheduleOf(
      Array.from({ length: 50 }, () => SLOT),
      { slots: 5 },
    );
    const stripes = stripesOf(schedule, 3);
    expect(stripes.map(({ slots }) => slots)).toEqual([2, 2, 1]);
    expect(stripes.map(({ requests }) => requests.length)).toEqual([20, 20, 10]);
  });

  it('refuses more generators than slots', () => {
    expect(() => stripesOf(scheduleOf([SLOT], { slots: 1 }), 2)).toThrow('cannot be dealt');
    expect(stripesMax(scheduleOf([SLOT, SLOT, SLOT], { slots: 2 }))).toBe(2);
  });

  it('loses no request, doubles none, and tears nothing apart', () => {
    fc.assert(
      fc.property(schedules, fc.integer({ min: 1, max: 7 }), (schedule, count) => {
        const stripes = stripesOf(schedule, count);
        const places = placesOf(stripes);
        expect(places.flat().toSorted((a, b) => a - b)).toEqual(
          schedule.requests.map(({ index }) => index),
        );
        for (const stripe of stripes) {
          const own = new Set(stripe.requests.map(({ index }) => index));
          for (const { release } of stripe.requests) {
            if (release.kind === 'after' && release.index !== null)
              expect(own).toContain(release.index);
          }
        }
        for (const session of ['a', 'b', 'c']) {
          const holders = stripes.filter(({ requests }) =>
            requests.some((r) => r.session === session),
          );
          expect(holders.length).toBeLessThanOrEqual(1);
        }
        // Every group goes to the next generator, so none is idle while there is a group for it.
        const used = places.filter((stripe) => stripe.length > 0).length;
        expect(used).toBe(Math.min(count, stripesMax(schedule)));
      }),
    );
  });
});

it('sharesOf gives whole parts of the whole', () => {
  expect(sharesOf(10, 3)).toEqual([4, 3, 3]);
  expect(sharesOf(2, 3)).toEqual([1, 1, 0]);
  expect(sharesOf(0, 2)).toEqual([0, 0]);
});
