import { describe, expect, it } from 'vitest';
import { nsFromMs, nsFromSeconds } from '../base/index.ts';
import {
  countFigure,
  durationFigure,
  levelFigure,
  rateFigure,
  shareFigure,
  shareRange,
  tokenRateFigure,
} from './figures.ts';

describe('durations', () => {
  it.each([
    [0, '0 ms'],
    [12, '12.0 ns'],
    [nsFromMs(0.0451), '45.1 µs'],
    [nsFromMs(5), '5.00 ms'],
    [nsFromMs(45.04), '45.0 ms'],
    [nsFromMs(611.2), '611 ms'],
    [nsFromMs(999.4), '999 ms'],
    [nsFromMs(999.6), '1.00 s'],
    [nsFromMs(9.996), '10.0 ms'],
    [nsFromSeconds(62.34), '62.3 s'],
    [nsFromSeconds(1_234.5), '1,235 s'],
    [null, '–'],
  ])('%d ns reads %s', (ns, text) => {
    expect(durationFigure(ns)).toBe(text);
  });
});

describe('rates and counts', () => {
  it('have three significant digits and a unit', () => {
    expect(rateFigure(4)).toBe('4.00/s');
    expect(rateFigure(0)).toBe('0/s');
    expect(rateFigure(0.01234)).toBe('0.0123/s');
    expect(tokenRateFigure(1_950.4)).toBe('1,950 tok/s');
    expect(levelFigure(99.96)).toBe('100');
    expect(countFigure(1_234_567)).toBe('1,234,567');
    expect([rateFigure(null), tokenRateFigure(null), levelFigure(null)]).toEqual(['–', '–', '–']);
  });
});

describe('shares', () => {
  it.each([
    [0.956, '95.6 %'],
    [1, '100.0 %'],
    [0, '0.0 %'],
    [0.9999, '99.99 %'],
    [1 - 1e-8, '> 99.9999 %'],
    [0.0001, '0.01 %'],
    [-3e-17, '0.0 %'],
    [-0.05, '-5.0 %'],
    [null, '–'],
  ])('%d reads %s', (share, text) => {
    expect(shareFigure(share)).toBe(text);
  });

  it('never rounds a single miss away', () => {
    expect(shareFigure(99_999 / 100_000)).toBe('99.999 %');
  });

  it('name their unit once in a range', () => {
    expect(shareRange(0.537, 0.66)).toBe('53.7–66.0 %');
  });
});
