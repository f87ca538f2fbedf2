import { describe, expect, it } from 'vitest';
import { canonicalJson, contentHash, uuidOf } from './canonical.ts';
import { randomStream } from './rng.ts';

function draw(seed: number, name: string, count: number): number[] {
  const random = randomStream(seed, name);
  return Array.from({ length: count }, () => random());
}

describe('randomStream', () => {
  it('is a pure function of seed and name', () => {
    expect(draw(7, 'arrivals', 5)).toEqual(draw(7, 'arrivals', 5));
    expect(draw(7, 'arrivals', 5)).not.toEqual(draw(7, 'lengths', 5));
    expect(draw(7, 'arrivals', 5)).not.toEqual(draw(8, 'arrivals', 5));
  });

  it('is the same on every machine', () => {
    expect(draw(1, 'golden', 3)).toMatchInlineSnapshot(`
      [
        0.5349414883939428,
        0.7939849460752955,
        0.442475989183012,
      ]
    `);
  });

  it('draws uniformly from [0, 1)', () => {
    const values = draw(3, 'uniform', 100_000);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...values)).toBeLessThan(1);
    // Five standard errors: 0.2887/√n for the mean, about 0.0745/√n for the variance.
    expect(Math.abs(mean - 0.5)).toBeLessThan((5 * 0.2887) / Math.sqrt(values.length));
    expect(Math.abs(variance - 1 / 12)).toBeLessThan((5 * 0.0745) / Math.sqrt(values.length));
  });
});

describe('contentHash', () => {
  it('does not depend on the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: 2, c: 3 }], a: null })).toBe(
      '{"a":null,"b":[1,{"c":3,"d":2}]}',
    );
    expect(contentHash({ a: 1, b: 2 })).toBe(contentHash({ b: 2, a: 1 }));
    expect(contentHash({ a: 1 })).not.toBe(contentHash({ a: 2 }));
  });
});

describe('uuidOf', () => {
  it('is a function of the name, in the form of a random UUID', () => {
    expect(uuidOf('a')).toBe(uuidOf('a'));
    expect(uuidOf('a')).not.toBe(uuidOf('b'));
    expect(uuidOf('run/0/17')).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });
});
