import { expect, it } from 'vitest';
import { textScatter } from './text-scatter.ts';

const OPTIONS = {
  width: 11,
  height: 3,
  xName: 'ms',
  yName: 'tok/s',
  xText: String,
  yText: String,
};

it('puts the lowest left below and the highest right above', () => {
  const marks = [
    { x: 0, y: 0, glyph: 'a', rank: 0 },
    { x: 10, y: 200, glyph: 'b', rank: 0 },
    { x: 5, y: 100, glyph: 'c', rank: 0 },
  ];
  expect(textScatter(marks, OPTIONS)).toEqual([
    'tok/s',
    '  200 │          b',
    '      │     c',
    '    0 │a',
    '      └───────────',
    '       0        10  ms',
  ]);
});

it('shows the higher rank where two meet, whatever their order', () => {
  const marks = [
    { x: 1, y: 1, glyph: '●', rank: 2 },
    { x: 1, y: 1, glyph: '·', rank: 1 },
  ];
  expect(textScatter(marks, OPTIONS).join('')).toContain('●');
  expect(textScatter(marks.toReversed(), OPTIONS).join('')).not.toContain('·');
});

it('draws nothing of nothing', () => {
  expect(textScatter([], OPTIONS)).toEqual([]);
});
