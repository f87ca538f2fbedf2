import { describe, expect, it } from 'vitest';
import { fenced, literal, table, textTable } from './markdown-text.ts';

describe('foreign text', () => {
  it.each([
    ['a|b', 'a\\|b'],
    ['<b>&', '&lt;b>&amp;'],
    ['[x](y)', '\\[x\\](y)'],
    ['*_`#~\\', '\\*\\_\\`\\#\\~\\\\'],
    ['https://a.example', 'https&#58;//a.example'],
    ['www.a.example', 'www&#46;a.example'],
    ['two\nlines\u001b', 'two\\\\u000alines\\\\u001b'],
  ])('%j is shown as itself: %j', (text, markdown) => {
    expect(literal(text)).toBe(markdown);
  });
});

describe('tables', () => {
  it('align numbers right and texts left', () => {
    expect(table(['a', 'b'], [['x', '1']])).toEqual(['| a | b |', '| --- | ---: |', '| x | 1 |']);
    expect(textTable(['a', 'b'], [['x', 'y']])).toEqual([
      '| a | b |',
      '| --- | --- |',
      '| x | y |',
    ]);
  });
});

describe('fences', () => {
  it('are longer than any run of backticks inside', () => {
    expect(fenced('yaml', 'a ```` b')).toEqual(['`````yaml', 'a ```` b', '`````']);
    expect(fenced('', 'plain')).toEqual(['```', 'plain', '```']);
  });
});
