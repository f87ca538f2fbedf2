import { describe, expect, test } from 'vitest';
import { NS_PER_MS, NS_PER_SECOND } from '../base/index.ts';
import { failedEnd, recordOf, type RecordOptions } from '../../test/support/record-builder.ts';
import { measureRecord, type Measures } from './measures.ts';
import type { OutputKind } from './request-record.ts';

const DEFAULT_COUNTS: readonly OutputKind[] = ['answer', 'reasoning', 'refusal'];

function measured(options: RecordOptions = {}, counts = DEFAULT_COUNTS): Measures {
  return measureRecord(recordOf(options), { counts });
}

const ms = (...values: number[]): number[] => values.map((value) => value * NS_PER_MS);
const everyMs = (count: number, stepMs: number, firstMs = 100): number[] =>
  Array.from({ length: count }, (_, i) => (firstMs + i * stepMs) * NS_PER_MS);

describe('instants', () => {
  test('planned and dispatched origins are kept apart, so a late generator flatters nobody', () => {
    const [planned, dispatched, first, last, done] = ms(10, 40, 100, 160, 170) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const measures = measured({
      plannedNs: planned,
      dispatchedNs: dispatched,
      arrivalsNs: [first, last],
      doneNs: done,
    });
    expect(measures).toMatchObject({
      ttftFromPlannedNs: 90 * NS_PER_MS,
      ttftFromDispatchNs: 60 * NS_PER_MS,
      firstAnswerFromPlannedNs: 90 * NS_PER_MS,
      firstAnswerFromDispatchNs: 60 * NS_PER_MS,
      scheduleLagNs: 30 * NS_PER_MS,
      lastContentNs: 120 * NS_PER_MS,
      completionNs: 130 * NS_PER_MS,
      completionFromPlannedNs: 160 * NS_PER_MS,
    });
  });

  test('headers, role events and usage are not the first token', () => {
    const [headers, role, first] = ms(5, 6, 100) as [number, number, number];
    const measures = measured({
      arrivalsNs: [first],
      timeline: { firstByteNs: headers, firstEventNs: role },
    });
    expect(measures.ttftFromDispatchNs).toBe(first);
  });

  test('what counts is the caller’s choice; the first answer is kept as well', () => {
    const events: RecordOptions = {
      arrivalsNs: ms(50, 60, 300),
      kinds: ['reasoning', 'reasoning', 'answer'],
    };
    expect(measured(events)).toMatchObject({
      ttftFromDispatchNs: 50 * NS_PER_MS,
      firstAnswerFromDispatchNs: 300 * NS_PER_MS,
    });
    expect(measured(events, ['answer']).ttftFromDispatchNs).toBe(300 * NS_PER_MS);
  });

  test('a tool-call-only answer has no TTFT unless tool calls count', () => {
    const call: RecordOptions = { kinds: 'toolCall', finishReason: 'toolCalls' };
    expect(measured(call)).toMatchObject({
      ttftFromDispatchNs: null,
      chunkGapsNs: [],
      tpotNs: null,
      countedTokens: null,
      reasons: {
        ttft: 'noCountedOutput',
        firstAnswer: 'noAnswer',
        tpot: 'noCountedOutput',
        completion: null,
      },
    });
    expect(measured(call, ['answer', 'toolCall']).ttftFromDispatchNs).toBe(100 * NS_PER_MS);
  });

  test('a request that was never sent has no measure at all', () => {
    for (const unsent of [recordOf({ dropped: 'ceiling' }), recordOf({ notReached: true })]) {
      const { reasons, chunkGapsNs, zeroGapCount, alignment, ...values } = measureRecord(unsent, {
        counts: DEFAULT_COUNTS,
      });
      expect(Object.values(values).every((value) => value === null)).toBe(true);
      expect(Object.values(reasons).every((reason) => reason === 'notSent')).toBe(true);
      expect({ chunkGapsNs, zeroGapCount, alignment }).toEqual({
        chunkGapsNs: [],
        zeroGapCount: 0,
        alignment: 'notAligned',
      });
    }
  });

  test('an answer cut off keeps its TTFT and gaps, and has no completion', () => {
    const measures = measured({ end: failedEnd('truncated'), usage: null, finishReason: null });
    expect(measures).toMatchObject({
      ttftFromDispatchNs: 100 * NS_PER_MS,
      chunkGapsNs: ms(20, 20),
      completionNs: null,
      completionFromPlannedNs: null,
      requestTps: null,
      reasons: { ttft: null, completion: 'notCompleted', requestTps: 'notCompleted' },
    });
  });

  test('one body: nothing inside it was seen to arrive, only its end', () => {
    const measures = measured({
      streamed: false,
      arrivalsNs: ms(500),
      doneNs: 500 * NS_PER_MS,
      usage: { completionTokens: 50 },
    });
    expect(measures).toMatchObject({
      ttftFromPlannedNs: null,
      firstAnswerFromPlannedNs: null,
      lastContentNs: null,
      chunkGapsNs: [],
      tpotNs: null,
      completionNs: 500 * NS_PER_MS,
      outputTokens: 50,
      countedTokens: 50,
      requestTps: 100,
      reasons: {
        ttft: 'notStreamed',
        firstAnswer: 'notStreamed',
        chunkGaps: 'notStreamed',
        tpot: 'notStreamed',
        itl: 'notStreamed',
      },
    });
  });
});

describe('gaps', () => {
  test('events of one read are zero apart, and are counted', () => {
    const measures = measured({ arrivalsNs: ms(100, 100, 100, 160) });
    expect(measures.chunkGapsNs).toEqual(ms(0, 0, 60));
    expect(measures.zeroGapCount).toBe(2);
  });

  test('run between counted events only', () => {
    const measures = measured({
      arrivalsNs: ms(100, 130, 160),
      kinds: ['answer', 'toolCall', 'answer'],
    });
    expect(measures.chunkGapsNs).toEqual(ms(60));
  });

  test('need two events', () => {
    expect(measured({ arrivalsNs: ms(100) })).toMatchObject({
      chunkGapsNs: [],
      itlNs: null,
      reasons: { chunkGaps: 'singleEvent', itl: 'singleEvent' },
    });
  });
});

describe('TPOT', () => {
  test('counts the tokens after the first event, one if its own are not told', () => {
    // 11 tokens over 100 ms: ten after the first.
    const measures = measured({ arrivalsNs: everyMs(6, 20), usage: { completionTokens: 11 } });
    expect(measures.tpotNs).toBe(10 * NS_PER_MS);
    expect(measures.tpotBasis).toBe('estimated');
    expect(measures.outputPhaseTps).toBe(100);
  });

  test('takes out a first event that held many tokens', () => {
    const measures = measured({ arrivalsNs: ms(100, 200), tokensPerEvent: [8, 2] });
    expect(measures.tpotNs).toBe(50 * NS_PER_MS);
  });

  test('ends at the last content, not at the end of the response', () => {
    const measures = measured({ arrivalsNs: ms(100, 120), doneNs: NS_PER_SECOND });
    expect(measures.tpotNs).toBe(20 * NS_PER_MS);
  });

  test('is not applicable to one token, and unknown for a longer answer in one event', () => {
    const one = ms(100);
    expect(measured({ arrivalsNs: one }).reasons.tpot).toBe('oneToken');
    expect(measured({ arrivalsNs: one, usage: { completionTokens: 10 } })).toMatchObject({
      tpotNs: null,
      tpotBasis: null,
      outputPhaseTps: null,
      reasons: { tpot: 'singleEvent', outputPhaseTps: 'singleEvent' },
    });
    expect(measured({ arrivalsNs: one, usage: null }).reasons.tpot).toBe('singleEvent');
  });

  test('is unknown without a count: never from the number of events', () => {
    expect(measured({ usage: null }).reasons.tpot).toBe('tokensUnknown');
    expect(measured({ usage: { completionTokens: null } }).reasons.tpot).toBe('tokensUnknown');
  });

  test('a count of none or one for several events is wrong, not "one token"', () => {
    for (const completionTokens of [0, 1]) {
      expect(measured({ usage: { completionTokens } }).reasons.tpot).toBe('tokensInconsistent');
    }
  });

  test('is unknown when all events came in one read: a proxy held them, no pace was seen', () => {
    const measures = measured({ arrivalsNs: ms(900, 900, 900), usage: { completionTokens: 10 } });
    expect(measures).toMatchObject({ tpotNs: null, reasons: { tpot: 'singleRead' } });
    expect(measures.chunkGapsNs).toEqual([0, 0]);
  });

  test('is zero, and its rate none, when separate reads share a stamp', () => {
    expect(measured({ arrivalsNs: ms(900, 900), readIds: [0, 1] })).toMatchObject({
      tpotNs: 0,
      outputPhaseTps: null,
      reasons: { tpot: null, outputPhaseTps: 'noTime' },
    });
  });
});

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

describe('token alignment', () => {
  test('needs a declaration or a count per event: equal totals alone never make ITL', () => {
    const measures = measured({ usage: { completionTokens: 3 } });
    expect(measures).toMatchObject({
      alignment: 'notAligned',
      itlNs: null,
      tpotBasis: 'estimated',
      reasons: { itl: 'notAligned' },
    });
  });

  test('declared, and the total agrees: the gaps are ITL and TPOT is observed', () => {
    const measures = measured({ oneTokenPerEvent: true });
    expect(measures).toMatchObject({ alignment: 'aligned', tpotBasis: 'observed' });
    expect(measures.itlNs).toEqual(ms(20, 20));
    expect(measures.reasons.itl).toBeNull();
  });

  test('declared, and one token more in total: nothing says that it is the end token', () => {
    const measures = measured({ oneTokenPerEvent: true, usage: { completionTokens: 4 } });
    expect(measures.alignment).toBe('mismatch');
  });

  test('declared, and the total disagrees: a mismatch, with TPOT estimated', () => {
    const measures = measured({ oneTokenPerEvent: true, usage: { completionTokens: 5 } });
    expect(measures).toMatchObject({
      alignment: 'mismatch',
      itlNs: null,
      tpotNs: 10 * NS_PER_MS,
      tpotBasis: 'estimated',
      reasons: { itl: 'countMismatch' },
    });
  });

  test('declared, and no total to confirm it: not taken on trust', () => {
    expect(measured({ oneTokenPerEvent: true, usage: null })).toMatchObject({
      alignment: 'notAligned',
      reasons: { itl: 'tokensUnknown' },
    });
  });

  test('told one token for every event: aligned, the end token beside them allowed', () => {
    for (const completionTokens of [3, 4]) {
      expect(measured({ tokensPerEvent: 1, usage: { completionTokens } })).toMatchObject({
        alignment: 'aligned',
        tpotNs: 20 * NS_PER_MS,
        tpotBasis: 'observed',
      });
    }
    expect(measured({ tokensPerEvent: 1, usage: null }).alignment).toBe('aligned');
  });

  test('told one token for every event, yet many more in total: a mismatch', () => {
    const measures = measured({ tokensPerEvent: 1, usage: { completionTokens: 9 } });
    expect(measures).toMatchObject({ alignment: 'mismatch', tpotBasis: 'estimated' });
  });

  test('told more than one token for an event: not aligned, or a declaration broken', () => {
    const told: RecordOptions = { tokensPerEvent: [1, 2, 1], usage: { completionTokens: 4 } };
    expect(measured(told).alignment).toBe('notAligned');
    expect(measured({ ...told, oneTokenPerEvent: true }).alignment).toBe('mismatch');
    expect(measured({ ...told, usage: null, oneTokenPerEvent: true }).alignment).toBe('mismatch');
  });

  test('an even sum does not hide uneven events', () => {
    const told: RecordOptions = { tokensPerEvent: [2, 0, 1], usage: { completionTokens: 3 } };
    expect(measured(told).alignment).toBe('notAligned');
  });
});

describe('counts and rates', () => {
  test('come from the server; unknown stays unknown, not zero', () => {
    expect(measured({ usage: null })).toMatchObject({
      outputTokens: null,
      promptTokens: null,
      cachedPromptTokens: null,
      requestTps: null,
      queueDelayNs: null,
      reasons: {
        outputTokens: 'tokensUnknown',
        promptTokens: 'tokensUnknown',
        cachedPromptTokens: 'notReported',
        requestTps: 'tokensUnknown',
        queueDelay: 'notReported',
      },
    });
    const told = measured({
      usage: { promptTokens: 900, completionTokens: 20, cachedPromptTokens: 0 },
      queueNs: 5,
    });
    expect(told).toMatchObject({
      outputTokens: 20,
      promptTokens: 900,
      cachedPromptTokens: 0,
      queueDelayNs: 5,
    });
  });

  test('the output-phase rate and the request rate are two rates', () => {
    const measures = measured({
      arrivalsNs: ms(500, 750, 1000),
      doneNs: NS_PER_SECOND,
      usage: { completionTokens: 3 },
    });
    expect(measures.outputPhaseTps).toBe(4);
    expect(measures.requestTps).toBe(3);
  });
});
