import { describe, expect, it } from 'vitest';
import { aligned, atMost, labelled, wrapped } from './layout.ts';

describe('wrapping', () => {
  it('breaks at blanks and never exceeds the width', () => {
    expect(wrapped('one two three four', 9)).toEqual(['one two', 'three', 'four']);
  });

  it('cuts a word that no line can hold', () => {
    expect(wrapped('ab abcdefghij', 4)).toEqual(['ab', 'abcd', 'efgh', 'ij']);
  });

  it('puts the label on the first line only', () => {
    expect(labelled('Good', 'one two three', 18)).toEqual(['Good     one two', '         three']);
  });

  it('says where it cut', () => {
    expect(atMost(1, ['one two', 'three'], 9)).toEqual(['one two …']);
    expect(atMost(2, ['one', 'two'], 9)).toEqual(['one', 'two']);
  });
});

describe('columns', () => {
  it('align names left and numbers right', () => {
    expect(
      aligned([
        ['', 'p50', 'n'],
        ['TTFT', '9 ms', '7'],
        ['gap', '12 ms', '1,000'],
      ]),
    ).toEqual(['        p50      n', 'TTFT   9 ms      7', 'gap   12 ms  1,000']);
  });

  it('show control characters instead of obeying them', () => {
    expect(aligned([['a\u001b[2J', '1']])).toEqual(['a\\u001b[2J  1']);
  });
});
