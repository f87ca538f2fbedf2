import { describe, expect, it } from 'vitest';
import { records, severities, validityOf } from '../../test/support/made-validity.ts';
import { pointOf } from '../../test/support/summary-builder.ts';

describe('a cache that served what was to be unique', () => {
  const cached = (cachedPromptTokens: number, prefixCache: string) =>
    severities(
      validityOf(
        records(100, () => ({ usage: { promptTokens: 100, cachedPromptTokens } })),
        { prefixCache },
      ),
    );

  it('invalidates, unless no more than a chat template was cached or sharing was asked for', () => {
    expect(cached(26, 'unique')).toEqual({ cachedShare: 'invalid' });
    expect(cached(25, 'unique')).toEqual({});
    expect(cached(90, 'shared: 64 tokens, 1 group')).toEqual({});
  });
});

describe('one token per event', () => {
  it('warns where it was declared and the counts contradict it', () => {
    const declared = records(100, (index) => ({
      oneTokenPerEvent: true,
      usage: { completionTokens: index === 0 ? 7 : 3 },
    }));
    const validity = validityOf(declared);
    expect(severities(validity)).toEqual({ tokenAlignment: 'warning' });
    expect(validity.reasons[0]?.message).toMatch(/^1 of 100 answers/);
  });
});

describe('exact output lengths', () => {
  const withLengths = (off: number) =>
    records(200, (index) => ({
      outputTokensMax: 3,
      usage: { completionTokens: index < off ? 2 : 3 },
    }));

  it('must be as asked, within 1 %', () => {
    const severity = (off: number, exactOutput: boolean) =>
      severities(validityOf(withLengths(off), { exactOutput }))['outputLengths'];
    expect([severity(0, true), severity(2, true), severity(3, true)]).toEqual([
      undefined,
      'note',
      'invalid',
    ]);
    expect(severity(3, false)).toBeUndefined();
  });
});

describe('a cache that drifts', () => {
  const drifting = (from: number, to: number) =>
    records(90, (index) => ({
      usage: {
        promptTokens: 1_000,
        cachedPromptTokens: Math.round(1_000 * (from + ((to - from) * index) / 89)),
      },
    }));
  const prefixCache = 'shared: 512 tokens, 1 group';

  it('is a load that changes: a warning, invalid past 25 points; in a trace it may be wanted', () => {
    const severity = (from: number, to: number, kind: 'rate' | 'trace' = 'rate') =>
      severities(validityOf(drifting(from, to), { prefixCache, points: [pointOf({ kind })] }))[
        'cacheDrift'
      ];
    expect(severity(0.5, 0.6)).toBeUndefined();
    expect(severity(0.5, 0.75)).toBe('warning');
    expect(severity(0.1, 0.9)).toBe('invalid');
    expect(severity(0.9, 0.1)).toBe('invalid');
    expect(severity(0.1, 0.9, 'trace')).toBe('note');
  });

  it('is not seen in a cache that is merely uneven', () => {
    const uneven = records(90, (index) => ({
      usage: { promptTokens: 1_000, cachedPromptTokens: index % 2 === 0 ? 900 : 100 },
    }));
    expect(severities(validityOf(uneven, { prefixCache }))).toEqual({});
  });
});
