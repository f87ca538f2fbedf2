import { describe, expect, test } from 'vitest';
import { ProblemList } from './problem-list.ts';
import {
  earliest,
  inOrderOfTime,
  nsSince,
  numericStamp,
  parseWallStamp,
  requireOneClock,
  type TraceStamp,
} from './trace-time.ts';

function wall(text: string): TraceStamp {
  const stamp = parseWallStamp(text);
  if (stamp === null) throw new Error(`${text} was not read`);
  return stamp;
}

describe('wall time', () => {
  test.each([
    ['1970-01-01 00:00:00', 0],
    ['2000-02-29 12:00:00', 951_825_600],
    ['2023-11-16 18:17:03', 1_700_158_623],
    ['2024-12-31T23:59:59Z', 1_735_689_599],
    ['2024-05-10 02:00:00+02:00', 1_715_299_200],
    ['2024-05-09 18:30:00-05:30', 1_715_299_200],
  ])('%s is %d s after 1970', (text, seconds) => {
    expect(wall(text).seconds).toBe(seconds);
    // The language's own calendar agrees.
    const zoned = /Z|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`;
    expect(Date.parse(zoned.replace(' ', 'T')) / 1_000).toBe(seconds);
  });

  test('keeps every digit of the fraction', () => {
    expect(wall('2023-11-16 18:17:03.9799601').fractionNs).toBe(979_960_100);
    expect(wall('2023-11-16 18:17:03.000000001').fractionNs).toBe(1);
    expect(wall('2023-11-16 18:17:03.5').fractionNs).toBe(500_000_000);
  });

  test.each([
    '2023-02-29 00:00:00',
    '1900-02-29 00:00:00',
    '2023-13-01 00:00:00',
    '2023-00-10 00:00:00',
    '2023-04-31 00:00:00',
    '2023-04-30 24:00:00',
    '2023-04-30 23:60:00',
    '2023-04-30',
    '16/11/2023 18:17:03',
    '1700158623.97',
    '2023-11-16 18:17:03.',
    '',
  ])('%j is no time', (text) => {
    expect(parseWallStamp(text)).toBeNull();
  });
});

describe('numbers', () => {
  test('seconds and milliseconds since the start, or since the epoch', () => {
    expect(numericStamp(3_000.25, 1_000)).toEqual({
      clock: 'relative',
      seconds: 3,
      fractionNs: 250_000,
    });
    expect(numericStamp(1_757_000_000_123, 1_000)).toEqual({
      clock: 'epoch',
      seconds: 1_757_000_000,
      fractionNs: 123_000_000,
    });
    expect(numericStamp(1.7e9, 1).clock).toBe('epoch');
  });
});

describe('one origin', () => {
  const stamped = (...texts: string[]) =>
    texts.map((text, i) => ({ line: i + 2, stamp: wall(text) }));

  test('differences are exact across seconds', () => {
    const rows = stamped('2023-11-16 18:17:05.0000001', '2023-11-16 18:17:04.9999999');
    const origin = earliest(rows);
    expect(rows.map(({ stamp }) => nsSince(stamp, origin))).toEqual([200, 0]);
  });

  test('rows of another clock are named, the first of them only', () => {
    const problems = new ProblemList('t.csv');
    requireOneClock(
      stamped('2023-11-16 18:17:05', '2023-11-16 18:17:05Z', '2023-11-16 18:17:06Z'),
      problems,
    );
    expect(problems.toProblems()).toMatchObject([
      { code: 'E_TRACE_ROW', place: { file: 't.csv', line: 3, column: 1 } },
    ]);
  });

  test('sorting is stable and counts what stood behind a later one', () => {
    const rows = [
      { atNs: 5, name: 'a' },
      { atNs: 9, name: 'b' },
      { atNs: 5, name: 'c' },
      { atNs: 7, name: 'd' },
      { atNs: 9, name: 'e' },
    ];
    const sorted = inOrderOfTime(rows);
    expect(sorted.rows.map(({ name }) => name).join('')).toBe('acdbe');
    expect(sorted.outOfOrder).toBe(2);
  });
});
