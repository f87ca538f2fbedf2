import { describe, expect, it } from 'vitest';
import { failedEnd, recordOf, type RecordOptions } from '../../test/support/record-builder.ts';
import { nsFromMs } from '../base/index.ts';
import { measureRecord } from '../record/index.ts';
import { plainObjective } from './objective-defaults.ts';
import { objectiveText } from './objective-expression.ts';
import { readableAbove, suggestObjective, type SuggestOptions } from './suggest.ts';

const OPTIONS: SuggestOptions = {
  base: plainObjective('suggested'),
  attainmentShare: 0.9,
  headroomShare: 0,
};

/** One answer of three tokens: its TTFT and the gap after it, in ms. */
const answer = (ttftMs: number, gapMs: number, more: RecordOptions = {}): RecordOptions => ({
  arrivalsNs: [ttftMs, ttftMs + gapMs, ttftMs + 2 * gapMs].map((ms) => nsFromMs(ms)),
  ...more,
});

function suggest(records: readonly RecordOptions[], options: Partial<SuggestOptions> = {}) {
  const samples = records.map((record) => {
    const built = recordOf(record);
    return {
      record: built,
      measures: measureRecord(built, { counts: OPTIONS.base.request.counts }),
    };
  });
  const suggestion = suggestObjective(samples, { ...OPTIONS, ...options });
  return {
    ...suggestion,
    text: suggestion.objective === null ? null : objectiveText(suggestion.objective),
  };
}

const times = <T>(n: number, make: (index: number) => T): T[] =>
  Array.from({ length: n }, (_, index) => make(index));

describe('a suggested objective', () => {
  it('holds jointly: when slow starts and slow paces are different requests, limits loosen', () => {
    // 8 of 100 start slowly, another 8 pace slowly. At 92 % each limit alone would do, together
    // they would keep 84 % good.
    const records = times(100, (index) =>
      index < 8 ? answer(900, 10) : index < 16 ? answer(100, 90) : answer(100, 10),
    );
    const { text, achievedShare } = suggest(records);
    expect(achievedShare).toBe(1);
    expect(text).toBe('ttft<=1s, tpot<=100ms, gap<=100ms, attainment>=90%');
  });

  it('is no looser than the target needs', () => {
    const records = times(100, (index) => (index < 10 ? answer(900, 90) : answer(100, 10)));
    const { text, achievedShare } = suggest(records);
    expect(text).toBe('ttft<=100ms, tpot<=10ms, gap<=10ms, attainment>=90%');
    expect(achievedShare).toBe(0.9);
  });

  it('adds headroom to what was achieved and rounds up to what people write', () => {
    const records = times(100, () => answer(110, 11));
    const { text } = suggest(records, { headroomShare: 0.2 });
    expect(text).toBe('ttft<=150ms, tpot<=15ms, gap<=15ms, attainment>=90%');
  });

  it('sets TTFT by prompt length where a bucket has enough answers, and joins it where not', () => {
    const sized = (promptTokens: number, ttftMs: number) =>
      answer(ttftMs, 10, { usage: { promptTokens } });
    const records = [
      ...times(60, () => sized(500, 100)),
      ...times(10, () => sized(2_000, 150)),
      ...times(60, () => sized(10_000, 400)),
      ...times(3, () => sized(70_000, 500)),
    ];
    const { text, objective } = suggest(records, { attainmentShare: 0.99 });
    expect(text).toContain('ttft[0-1k]<=100ms, ttft[1k+]<=500ms');
    expect(objective?.request.ttft).toHaveLength(2);
  });

  it('never asks more of a longer prompt than of a shorter one', () => {
    const sized = (promptTokens: number, ttftMs: number) =>
      answer(ttftMs, 10, { usage: { promptTokens } });
    const records = [...times(60, () => sized(500, 300)), ...times(60, () => sized(2_000, 100))];
    expect(suggest(records).text).toContain('ttft[0-1k]<=300ms, ttft[1k+]<=300ms');
  });

  it('counts failures against the target, and gives up when they alone exceed it', () => {
    const failed: RecordOptions = { end: failedEnd('socket'), arrivalsNs: [] };
    const some = suggest([...times(95, () => answer(100, 10)), ...times(5, () => failed)]);
    expect(some.achievedShare).toBe(0.95);
    const many = suggest([...times(80, () => answer(100, 10)), ...times(20, () => failed)]);
    expect(many).toMatchObject({ objective: null, achievedShare: 0.8 });
    expect(suggest([])).toMatchObject({ objective: null, achievedShare: null });
  });

  it('leaves out a limit that too few answers would show, and says so', () => {
    const silent = times(100, () => answer(100, 10, { usage: null }));
    const { text, leftOut, achievedShare } = suggest(silent);
    expect(leftOut).toEqual(['tpot']);
    expect(text).toBe('ttft<=100ms, gap<=10ms, attainment>=90%');
    expect(achievedShare).toBe(1);
  });

  it('judges what it can of answers whose prompt length nobody told', () => {
    const unknown = times(60, () => answer(100, 10, { usage: { promptTokens: null } }));
    expect(suggest(unknown).text).toContain('ttft<=100ms');
  });
});

it.each([
  [1, 1_000_000],
  [1_000_000, 1_000_000],
  [1_000_001, 1_200_000],
  [41_000_000, 50_000_000],
  [613_000_000, 800_000_000],
  [9_100_000_000, 10_000_000_000],
  [10_000_000_000, 10_000_000_000],
])('%i ns reads, rounded up, as %i', (ns, readable) => {
  expect(readableAbove(ns)).toBe(readable);
});
