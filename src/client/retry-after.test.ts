import { describe, expect, test } from 'vitest';
import { NS_PER_SECOND } from '../base/index.ts';
import { retryAfterNs } from './retry-after.ts';

const NOW_MS = Date.UTC(2015, 9, 21, 7, 27, 0);
const seconds = (value: string, nowMs = NOW_MS): number | null =>
  retryAfterNs({ seconds: value, ms: null }, nowMs);

describe('Retry-After', () => {
  test('seconds', () => {
    expect(seconds('120')).toBe(120 * NS_PER_SECOND);
    expect(seconds(' 0 ')).toBe(0);
  });

  test.each([
    'Wed, 21 Oct 2015 07:28:00 GMT',
    'Wednesday, 21-Oct-15 07:28:00 GMT',
    'Wed Oct 21 07:28:00 2015',
  ])('the date forms of RFC 9110: %s', (value) => {
    expect(seconds(value)).toBe(60 * NS_PER_SECOND);
  });

  test('a day of one digit in asctime form', () => {
    expect(seconds('Thu Oct  1 07:28:00 2015', Date.UTC(2015, 9, 1, 7, 27))).toBe(
      60 * NS_PER_SECOND,
    );
  });

  test('a date that is past means now', () => {
    expect(seconds('Wed, 21 Oct 2015 07:26:00 GMT')).toBe(0);
    expect(seconds('Sunday, 06-Nov-94 08:49:37 GMT')).toBe(0);
  });

  test.each(['-1', '1.5', 'soon', '', '2015-10-21T07:28:00Z', '99999999', 'Wed, 21 Oct 2015'])(
    'junk is null: %s',
    (value) => {
      expect(seconds(value)).toBeNull();
    },
  );

  test.each([
    'Wed, 31 Feb 2015 07:28:00 GMT',
    'Wed, 21 Abc 2015 07:28:00 GMT',
    'Wed, 21 Oct 2015 25:00:00 GMT',
  ])('no such instant: %s', (value) => {
    expect(seconds(value)).toBeNull();
  });

  test('retry-after-ms is finer and comes first', () => {
    expect(retryAfterNs({ seconds: '1', ms: '250' }, NOW_MS)).toBe(250_000_000);
    expect(retryAfterNs({ seconds: '1', ms: 'x' }, NOW_MS)).toBe(NS_PER_SECOND);
    expect(retryAfterNs({ seconds: null, ms: null }, NOW_MS)).toBeNull();
  });
});
