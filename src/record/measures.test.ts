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
