import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FlightCount } from './flight-count.ts';

interface Stay {
  readonly fromNs: number;
  readonly toNs: number;
  readonly generator: number;
}

/** Stays with starts and ends of their own: what ends at the instant of a start has made room. */
const stays = fc.array(
  fc
    .record({
      fromNs: fc.nat({ max: 50 }),
      lengthNs: fc.integer({ min: 1, max: 30 }),
      generator: fc.nat({ max: 2 }),
    })
    .map(({ fromNs, lengthNs, generator }): Stay => ({
      fromNs,
      toNs: fromNs + lengthNs,
      generator,
    })),
  { maxLength: 40 },
);

/** Tells each generator's news when told so, and returns what was counted at every start. */
function counted(
  all: readonly Stay[],
  tellAtNs: readonly number[][],
): { counts: number[]; max: number } {
  const flights = new FlightCount(3);
  for (const [generator, instants] of tellAtNs.entries()) {
    let toldNs = -1;
    for (const untilNs of [...instants.toSorted((a, b) => a - b), Number.POSITIVE_INFINITY]) {
      for (const [id, stay] of all.entries()) {
        if (stay.generator !== generator) continue;
        if (stay.fromNs > toldNs && stay.fromNs <= untilNs)
          flights.started(String(id), stay.fromNs);
        if (stay.toNs > toldNs && stay.toNs <= untilNs) flights.ended(stay.toNs);
      }
      toldNs = untilNs;
      flights.heard(generator, untilNs);
    }
  }
  return { counts: all.map((_, id) => flights.takeAtStart(String(id)) ?? -1), max: flights.max };
}

describe('FlightCount', () => {
  it('counts over generators as one would, whoever tells first', () => {
    fc.assert(
      fc.property(
        stays,
        fc.array(fc.array(fc.nat({ max: 90 }), { maxLength: 5 }), { minLength: 3, maxLength: 3 }),
        (all, tellAtNs) => {
          const { counts, max } = counted(all, tellAtNs);
          const truth = all.map(
            (stay) =>
              all.filter(({ fromNs, toNs }) => fromNs <= stay.fromNs && toNs > stay.fromNs).length,
          );
          // Starts of one instant follow one another, so only the last of them meets all others.
          for (const [id, stay] of all.entries()) {
            const atOnce = all.flatMap((other, each) =>
              other.fromNs === stay.fromNs ? [counts[each]] : [],
            );
            expect(Math.max(...(atOnce as number[]))).toBe(truth[id]);
          }
          expect(max).toBe(Math.max(0, ...truth));
        },
      ),
    );
  });

  it('does not count a start while a generator may tell of something before it', () => {
    const flights = new FlightCount(2);
    flights.started('a', 10);
    flights.heard(0, 20);
    expect(flights.takeAtStart('a')).toBeNull();
    flights.started('b', 5);
    flights.heard(1, 11);
    expect(flights.takeAtStart('b')).toBe(1);
    expect(flights.takeAtStart('a')).toBe(2);
    expect(flights.takeAtStart('a')).toBeNull();
  });
});
