import { describe, expect, test } from 'vitest';
import { NS_PER_MS } from '../base/index.ts';
import { recordOf, type RecordOptions } from '../../test/support/record-builder.ts';
import { measureRecord, type Measures } from './measures.ts';
import type { OutputKind } from './request-record.ts';

const DEFAULT_COUNTS: readonly OutputKind[] = ['answer', 'reasoning', 'refusal'];

function measured(options: RecordOptions = {}, counts = DEFAULT_COUNTS): Measures {
  return measureRecord(recordOf(options), { counts });
}

const ms = (...values: number[]): number[] => values.map((value) => value * NS_PER_MS);
const everyMs = (count: number, stepMs: number, firstMs = 100): number[] =>
  Array.from({ length: count }, (_, i) => (firstMs + i * stepMs) * NS_PER_MS);

describe('tokens that count', () => {
  const reasoningThenAnswer: RecordOptions = {
    arrivalsNs: everyMs(5, 20),
    kinds: ['reasoning', 'reasoning', 'reasoning', 'answer', 'answer'],
  };

  test('reasoning shown and counted: the whole completion', () => {
    const usage = { completionTokens: 100, reasoningTokens: 60 };
    expect(measured({ ...reasoningThenAnswer, usage }).countedTokens).toBe(100);
  });

  test('reasoning shown and not counted: the rest, if the server tells them apart', () => {
    const told = { completionTokens: 100, reasoningTokens: 60 };
    expect(measured({ ...reasoningThenAnswer, usage: told }, ['answer']).countedTokens).toBe(40);
    for (const reasoningTokens of [null, 0]) {
      const usage = { completionTokens: 100, reasoningTokens };
      expect(measured({ ...reasoningThenAnswer, usage }, ['answer'])).toMatchObject({
        countedTokens: null,
        tpotNs: null,
        outputTokens: 100,
        reasons: { countedTokens: 'kindsNotSeparable', tpot: 'kindsNotSeparable' },
      });
    }
  });

  test('only reasoning counted: the reasoning tokens', () => {
    const usage = { completionTokens: 100, reasoningTokens: 60 };
    expect(measured({ ...reasoningThenAnswer, usage }, ['reasoning']).countedTokens).toBe(60);
  });

  test('hidden reasoning was never streamed and is left out', () => {
    const usage = { completionTokens: 1003, reasoningTokens: 1000 };
    expect(measured({ usage })).toMatchObject({
      countedTokens: 3,
      outputTokens: 1003,
      tpotNs: 20 * NS_PER_MS,
    });
  });

  test('more reasoning than completion is a contradiction', () => {
    const usage = { completionTokens: 3, reasoningTokens: 5 };
    expect(measured({ usage }).reasons.countedTokens).toBe('tokensInconsistent');
  });

  test('tool-call arguments that do not count cannot be told apart, save event by event', () => {
    const mixed: RecordOptions = {
      arrivalsNs: ms(100, 120, 200),
      kinds: ['answer', 'answer', 'toolCall'],
      usage: { completionTokens: 12 },
    };
    expect(measured(mixed).reasons.tpot).toBe('kindsNotSeparable');
    expect(measured({ ...mixed, tokensPerEvent: [1, 2, 9] })).toMatchObject({
      countedTokens: 3,
      tpotNs: 10 * NS_PER_MS,
    });
    expect(measured(mixed, ['answer', 'toolCall']).countedTokens).toBe(12);
  });

  test('nor by taking out the reasoning, which is another pool', () => {
    const usage = { completionTokens: 12, reasoningTokens: 2 };
    const hidden: RecordOptions = { kinds: ['answer', 'answer', 'toolCall'], usage };
    const shown: RecordOptions = { kinds: ['reasoning', 'answer', 'toolCall'], usage };
    expect(measured(hidden).reasons.countedTokens).toBe('kindsNotSeparable');
    expect(measured(shown).reasons.countedTokens).toBe('kindsNotSeparable');
  });

  test('an answer with nothing that counts has no counted tokens to speak of', () => {
    const usage = { completionTokens: 12, reasoningTokens: 2 };
    for (const options of [{ kinds: 'toolCall', usage } as const, { arrivalsNs: [], usage }]) {
      expect(measured(options)).toMatchObject({
        countedTokens: null,
        outputTokens: 12,
        reasons: { countedTokens: 'noCountedOutput' },
      });
    }
  });

  test('per-event counts with a hole fall back on the total', () => {
    const usage = { completionTokens: 5 };
    expect(measured({ tokensPerEvent: [1, null, 3], usage }).countedTokens).toBe(5);
  });
});

describe('tokens counted here', () => {
  const LOCAL = {
    tokenizer: 'o200k_base',
    judged: true,
    answerTokens: 20,
    reasoningTokens: 30,
    refusalTokens: 0,
    toolCallTokens: 8,
  };
  const mixed: RecordOptions = {
    arrivalsNs: everyMs(4, 20),
    kinds: ['reasoning', 'answer', 'answer', 'toolCall'],
    usage: null,
  };

  test('each kind by itself: what counts is always known', () => {
    const all = measured({ ...mixed, timeline: { local: LOCAL } });
    expect(all).toMatchObject({ countedTokens: 50, outputTokens: 58, tpotBasis: 'estimated' });
    // From the first event at 100 ms to the last counted one at 140 ms, all but the first token.
    expect(all.tpotNs).toBeCloseTo(ms(40)[0]! / 49);
    const answers = measured({ ...mixed, timeline: { local: LOCAL } }, ['answer']);
    expect(answers).toMatchObject({ countedTokens: 20, reasons: { tpot: null } });
  });

  test('stand beside the server’s where that is judged', () => {
    const local = { ...LOCAL, judged: false };
    const beside = measured({ ...mixed, timeline: { local } });
    expect(beside).toMatchObject({ outputTokens: null, tpotNs: null });
    expect(beside.reasons.tpot).toBe('tokensUnknown');
    const usage = { completionTokens: 7 };
    expect(measured({ arrivalsNs: everyMs(3, 20), usage, timeline: { local } }).outputTokens).toBe(
      7,
    );
  });

  test('are never mixed with counts that a server tells after all', () => {
    const options = { arrivalsNs: everyMs(3, 20), timeline: { local: LOCAL } };
    const told = measured({ ...options, usage: { completionTokens: 7 }, tokensPerEvent: 1 });
    expect(told).toMatchObject({ outputTokens: 58, countedTokens: 20, alignment: 'notAligned' });
  });

  test('one token per event, declared and found here, is observed', () => {
    const options = { arrivalsNs: everyMs(20, 10), usage: null, oneTokenPerEvent: true };
    const found = measured({ ...options, timeline: { local: LOCAL } });
    expect(found).toMatchObject({ alignment: 'aligned', tpotBasis: 'observed' });
    const other = { ...LOCAL, answerTokens: 21 };
    expect(measured({ ...options, timeline: { local: other } }).alignment).toBe('mismatch');
  });
});
