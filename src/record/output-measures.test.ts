import { describe, expect, test } from 'vitest';
import { NS_PER_MS, NS_PER_SECOND } from '../base/index.ts';
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
