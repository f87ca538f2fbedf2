import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateOfDay, dayNumber, instantText, parseInstantMs } from './calendar-time.ts';

describe('an instant', () => {
  it('is read as the system reads it', () => {
    for (const text of [
      '2024-02-29T23:59:59Z',
      '2026-11-03T10:30:00+01:00',
      '1969-12-31T00:00:00Z',
    ]) {
      expect(parseInstantMs(text), text).toBe(Date.parse(text));
    }
    expect(parseInstantMs('2026-11-03Z')).toBe(Date.parse('2026-11-03T00:00:00Z'));
  });

  it('needs a zone, and a day that exists', () => {
    for (const text of [
      '2026-11-03T10:30:00',
      '2026-02-29T00:00:00Z',
      '2026-13-01Z',
      'today',
      '',
    ]) {
      expect(parseInstantMs(text), text).toBeNull();
    }
  });

  it('is written so that it reads back, and as the system writes it', () => {
    fc.assert(
      fc.property(fc.integer({ min: -3e12, max: 9e12 }), (ms) => {
        expect(parseInstantMs(instantText(ms))).toBe(ms);
        expect(instantText(ms)).toBe(new Date(ms).toISOString().replace('.000Z', 'Z'));
        const { year, month, day } = dateOfDay(Math.floor(ms / 86_400_000));
        expect(dayNumber(year, month, day)).toBe(Math.floor(ms / 86_400_000));
      }),
    );
  });
});
