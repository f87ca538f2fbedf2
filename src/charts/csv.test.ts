import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { csvText } from './csv.ts';

it('says what was not observed with nothing, and quotes what needs it', () => {
  const text = csvText({
    columns: ['load', 'good, /s'],
    rows: [
      ['a "b"', 1.5],
      ['c', null],
    ],
  });
  expect(text).toBe('load,"good, /s"\n"a ""b""",1.5\nc,\n');
  expect(parse(text)).toEqual([
    ['load', 'good, /s'],
    ['a "b"', '1.5'],
    ['c', ''],
  ]);
});

it('hands a spreadsheet no formula and a reader no second line', () => {
  const rows = [['=HYPERLINK("http://x")'], ['+1'], ['-1'], ['@x'], ['a\nb']];
  const lines: string[][] = parse(csvText({ columns: ['x'], rows }));
  const cells = lines.flat();
  expect(cells.slice(1)).toEqual([`'=HYPERLINK("http://x")`, `'+1`, `'-1`, `'@x`, 'a\\u000ab']);
  expect(csvText({ columns: ['x'], rows: [[-1]] })).toBe('x\n-1\n');
});
