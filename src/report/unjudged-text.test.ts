import { describe, expect, it } from 'vitest';
import { summedReasons, unjudgedText } from './unjudged-text.ts';

describe('why requests are unjudged', () => {
  it('is a sentence with a way out, the most frequent first', () => {
    expect(unjudgedText({ 'tpot:tokensUnknown': 1240, 'correctness:cancelled': 3 })).toBe(
      '1,240: TPOT unknown, the server reports no token usage → judge the pace with gap<=… instead' +
        ' · 3: the run stopped them before any limit had passed → let answers end with a longer drain',
    );
  });

  it('is the machine word where there is no sentence for it', () => {
    expect(unjudgedText({ 'correctness:notChecked:json': 2 })).toBe(
      '2: correctness:notChecked:json',
    );
  });

  it('is nothing when every request was judged', () => {
    expect(unjudgedText({})).toBeNull();
  });

  it('is summed over the loads of a sweep', () => {
    const loads = [{ 'tpot:singleRead': 1 }, { 'ttft:notStreamed': 2 }, { 'tpot:singleRead': 4 }];
    expect(Object.entries(summedReasons(loads))).toEqual([
      ['tpot:singleRead', 5],
      ['ttft:notStreamed', 2],
    ]);
  });
});
