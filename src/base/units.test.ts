import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  durationText,
  parseDurationNs,
  parseShare,
  parseTokenCount,
  tokenCountText,
} from './units.ts';

describe('parseDurationNs', () => {
  it.each([
    ['500ms', 500_000_000],
    ['30s', 30_000_000_000],
    ['1.5m', 90_000_000_000],
    ['1h30m', 5_400_000_000_000],
    ['.5s', 500_000_000],
    ['2min', 120_000_000_000],
    ['30d', 2_592_000_000_000_000],
    ['250us', 250_000],
  ])('reads %s', (text, ns) => {
    expect(parseDurationNs(text)).toBe(ns);
  });

  it.each(['', '30', 's', '-5s', '5 s', '1e3s', '5x', '10ms3', '999999999h'])(
    'refuses %j, which is no duration with a unit in range',
    (text) => {
      expect(parseDurationNs(text)).toBeNull();
    },
  );

  it('reads back whatever durationText writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 52 }), (ns) => {
        expect(parseDurationNs(durationText(ns))).toBe(ns);
      }),
    );
  });
});

describe('parseShare', () => {
  it.each([
    ['95%', 0.95],
    ['99.9%', 0.999],
    ['0.95', 0.95],
    ['100%', 1],
    ['0', 0],
  ])('reads %s', (text, share) => {
    expect(parseShare(text)).toBe(share);
  });

  it.each(['95', '101%', '-1%', '', 'NaN', '1e2%'])('refuses %j rather than guess', (text) => {
    expect(parseShare(text)).toBeNull();
  });
});

describe('token counts', () => {
  it('reads k as 1,000, as bucket edges are meant', () => {
    expect(parseTokenCount('4k')).toBe(4000);
    expect(parseTokenCount('1.5k')).toBe(1500);
    expect(parseTokenCount('1024')).toBe(1024);
  });

  it('refuses parts of a token', () => {
    expect(parseTokenCount('1.0005k')).toBeNull();
    expect(parseTokenCount('-1')).toBeNull();
  });

  it('writes what it reads', () => {
    fc.assert(
      fc.property(fc.nat(), (tokens) => {
        expect(parseTokenCount(tokenCountText(tokens))).toBe(tokens);
      }),
    );
  });
});
