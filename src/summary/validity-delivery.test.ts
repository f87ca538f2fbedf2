import { describe, expect, it } from 'vitest';
import { QUIET, records, severities, validityOf } from '../../test/support/made-validity.ts';
import type { RecordOptions } from '../../test/support/record-builder.ts';
import { pointOf } from '../../test/support/summary-builder.ts';
import { nsFromMs, nsFromSeconds } from '../base/index.ts';

describe('a path that bunches events', () => {
  /** 16 tokens, 20 ms apart, let through `together` at a time. */
  const bunched = (index: number, together: number): RecordOptions => ({
    arrivalsNs: Array.from({ length: 16 }, (_, token) =>
      nsFromMs(50 * index + 100 + 20 * together * Math.ceil((token + 1) / together)),
    ),
  });
  const checks = (together: number, points = [pointOf()]) =>
    validityOf(
      records(100, (index) => bunched(index, together)),
      { points },
    );

  it('is told by gaps of zero', () => {
    const validity = checks(8);
    expect(severities(validity)).toEqual({ bunching: 'warning' });
    expect(validity.reasons[0]?.message).toMatch(/^events arrive in bunches, 8\.0 in one read/);
    expect(validity.reasons[0]?.advice).toMatch(/proxy_buffering off/);
    expect(severities(checks(1))).toEqual({});
  });

  it('is not blamed for what the client read late', () => {
    const stalls = [{ fromNs: 0, toNs: nsFromSeconds(10), cause: 'loop' as const }];
    const validity = checks(8, [pointOf({ generator: { ...QUIET, stalls } })]);
    expect(severities(validity)['bunching']).toBeUndefined();
  });

  it('is not told from a machine that stood still for over a tenth of the time', () => {
    const stalls = (ms: number) =>
      Array.from({ length: 100 }, (_, at) => ({
        fromNs: nsFromMs(100 * at),
        toNs: nsFromMs(100 * at + ms),
        cause: 'host' as const,
      }));
    const withStalls = (ms: number) =>
      severities(checks(8, [pointOf({ generator: { ...QUIET, stalls: stalls(ms) } })]));
    expect(withStalls(9)['bunching']).toBe('warning');
    expect(withStalls(11)['bunching']).toBeUndefined();
  });
});
