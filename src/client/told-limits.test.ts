import { describe, expect, it } from 'vitest';
import { nsFromMs, nsFromSeconds } from '../base/index.ts';
import { toldLimits } from './told-limits.ts';

const NOW_MS = Date.UTC(2026, 10, 30, 12, 0, 0);

describe('toldLimits', () => {
  it('reads what OpenAI sends', () => {
    // The example of OpenAI's own "Rate limits" page.
    const headers = {
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-limit-tokens': '150000',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-remaining-tokens': '149984',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-reset-tokens': '6m0s',
    };
    expect(toldLimits(headers, NOW_MS)).toEqual([
      {
        of: 'requests',
        per: 'minute',
        limitCount: 60,
        remainingCount: 59,
        resetNs: nsFromSeconds(1),
      },
      {
        of: 'tokens',
        per: 'minute',
        limitCount: 150_000,
        remainingCount: 149_984,
        resetNs: nsFromSeconds(360),
      },
    ]);
  });

  it('takes the requests of Groq for those of a day', () => {
    const headers = {
      'x-groq-region': 'us-west-1',
      'x-ratelimit-limit-requests': '14400',
      'x-ratelimit-remaining-requests': '14370',
      'x-ratelimit-reset-requests': '2m59.56s',
      'x-ratelimit-limit-tokens': '18000',
      'x-ratelimit-remaining-tokens': '17997',
      'x-ratelimit-reset-tokens': '7.66s',
    };
    expect(toldLimits(headers, NOW_MS)).toEqual([
      {
        of: 'requests',
        per: 'day',
        limitCount: 14_400,
        remainingCount: 14_370,
        resetNs: nsFromMs(179_560),
      },
      {
        of: 'tokens',
        per: 'minute',
        limitCount: 18_000,
        remainingCount: 17_997,
        resetNs: nsFromMs(7_660),
      },
    ]);
  });

  it('reads what Azure leaves of it, resets in seconds', () => {
    const headers = {
      'x-ratelimit-remaining-requests': '9',
      'x-ratelimit-remaining-tokens': '-12',
      'x-ratelimit-reset-tokens': '11',
    };
    expect(toldLimits(headers, NOW_MS)).toEqual([
      { of: 'requests', per: 'minute', limitCount: null, remainingCount: 9, resetNs: null },
      {
        of: 'tokens',
        per: 'minute',
        limitCount: null,
        remainingCount: 0,
        resetNs: nsFromSeconds(11),
      },
    ]);
  });

  it('reads what Anthropic sends, resets as instants', () => {
    const headers = {
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '49',
      'anthropic-ratelimit-requests-reset': '2026-11-30T12:00:02Z',
      'anthropic-ratelimit-output-tokens-limit': '8000',
      'anthropic-ratelimit-output-tokens-remaining': '8000',
      'anthropic-ratelimit-output-tokens-reset': '2026-11-30T11:59:59Z',
    };
    expect(toldLimits(headers, NOW_MS)).toEqual([
      {
        of: 'requests',
        per: 'minute',
        limitCount: 50,
        remainingCount: 49,
        resetNs: nsFromSeconds(2),
      },
      { of: 'outputTokens', per: 'minute', limitCount: 8_000, remainingCount: 8_000, resetNs: 0 },
    ]);
  });

  it('takes nothing for what is no number, and never throws', () => {
    const junk = ['', 'soon', '1e3', '0x10', 'NaN', '9'.repeat(40), '-', 'Tue, 1 Jan'];
    for (const value of junk) {
      const headers = {
        'x-ratelimit-limit-requests': value,
        'x-ratelimit-remaining-requests': '5',
        'x-ratelimit-reset-requests': value,
      };
      expect(toldLimits(headers, NOW_MS), value).toEqual([
        { of: 'requests', per: 'minute', limitCount: null, remainingCount: 5, resetNs: null },
      ]);
    }
    expect(toldLimits({}, NOW_MS)).toEqual([]);
  });
});
