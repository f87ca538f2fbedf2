import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dominates, middleDraw, type OperatingPoint, paretoFrontier, toRepeat } from './pareto.ts';

const point = (gain: number, latencyNs: number): OperatingPoint => ({ gain, latencyNs });

/** Small whole numbers, so that ties and equal points are common. */
const points = fc.array(fc.record({ gain: fc.nat({ max: 12 }), latencyNs: fc.nat({ max: 12 }) }), {
  maxLength: 30,
});

const byBoth = (a: OperatingPoint, b: OperatingPoint): number =>
  a.latencyNs - b.latencyNs || a.gain - b.gain;

describe('paretoFrontier', () => {
  it('keeps what each latency buys and drops what costs more for less', () => {
    const frontier = paretoFrontier([
      point(100, 30),
      point(80, 20),
      point(90, 25),
      point(70, 25),
      point(95, 40),
      point(40, 10),
    ]);
    expect(frontier).toEqual([point(40, 10), point(80, 20), point(90, 25), point(100, 30)]);
    expect(paretoFrontier([])).toEqual([]);
  });

  it('keeps just the points that no other dominates, equal ones once', () => {
    fc.assert(
      fc.property(points, (all) => {
        const kept = paretoFrontier(all);
        const undominated = all.filter((one) => !all.some((other) => dominates(other, one)));
        const unequal = undominated.filter(
          (one, at) =>
            undominated.findIndex(
              (other) => other.gain === one.gain && other.latencyNs === one.latencyNs,
            ) === at,
        );
        expect(kept).toEqual(unequal.toSorted(byBoth));
      }),
    );
  });

  it('does not depend on the order of the points', () => {
    const shuffled = points.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        expect(paretoFrontier(other)).toEqual(paretoFrontier(all));
      }),
    );
  });

  it('rises in gain with latency, and stays as it is when asked again', () => {
    fc.assert(
      fc.property(points, (all) => {
        const frontier = paretoFrontier(all);
        for (const [at, next] of frontier.slice(1).entries()) {
          expect(next.gain).toBeGreaterThan((frontier[at] as OperatingPoint).gain);
        }
        expect(paretoFrontier(frontier)).toEqual(frontier);
      }),
    );
  });
});

describe('toRepeat', () => {
  it('asks for the frontier first, then for those that a fallen point uncovers', () => {
    const lucky = { draws: [point(100, 10)] };
    const steady = { draws: [point(90, 12)] };
    const poor = { draws: [point(10, 50)] };
    expect(toRepeat([lucky, steady, poor], 2)).toEqual([lucky]);
    const fallen = { draws: [point(100, 10), point(60, 30)] };
    expect(middleDraw(fallen)).toEqual(point(60, 30));
    expect(middleDraw({ draws: [...fallen.draws, point(90, 20)] })).toEqual(point(90, 20));
    expect(toRepeat([fallen, steady, poor], 2)).toEqual([steady]);
  });

  it('ends with every point of the frontier drawn so often', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.array(
            fc.record({
              gain: fc.nat({ max: 100 }),
              latencyNs: fc.nat({ max: 100 }),
            }),
            { minLength: 3, maxLength: 3 },
          ),
          { maxLength: 12 },
        ),
        (fates) => {
          let drawn = fates.map((fate) => ({ fate, draws: fate.slice(0, 1) }));
          for (let again = toRepeat(drawn, 3); again.length > 0; again = toRepeat(drawn, 3)) {
            drawn = drawn.map((each) =>
              again.includes(each)
                ? { ...each, draws: each.fate.slice(0, each.draws.length + 1) }
                : each,
            );
          }
          const means = drawn.map((each) => ({ count: each.draws.length, ...middleDraw(each) }));
          expect(paretoFrontier(means).every(({ count }) => count === 3)).toBe(true);
        },
      ),
    );
  });
});
