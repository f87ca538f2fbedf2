import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantAt } from './log-values.ts';

const read = (text: string): number | null => instantAt({ at: text }, 'at');

describe('instants of logs', () => {
  it('are those of the platform, whatever the form', () => {
    const instants = fc.date({
      min: new Date('1971-01-01T00:00:00Z'),
      max: new Date('2100-01-01T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, (date) => {
        const text = date.toISOString();
        const us = date.getTime() * 1e3;
        expect(read(text)).toBe(us);
        expect(read(text.replace('T', ' ').replace('Z', ''))).toBe(us);
        expect(read(text.replace('Z', '+02:00'))).toBe(us - 7_200e6);
        expect(read(text.replace('Z', '456Z'))).toBe(us + 456);
        expect(read(text.replace('Z', '456789Z'))).toBe(us + 457);
        expect(read(text.replace(/\.\d+Z/, 'Z'))).toBe(Math.floor(us / 1e6) * 1e6);
      }),
    );
  });

  it.each(['2026-11-20T25:00:00Z', '2026-11-20T10:61:00Z', '2026-13-40T10:00:00Z', 'yesterday'])(
    'are broken: %s',
    (text) => expect(read(text)).toBeNaN(),
  );
});
