import { describe, expect, it } from 'vitest';
import { recordOf } from '../../test/support/record-builder.ts';
import { nsFromMs } from '../base/index.ts';
import { parseObjective } from '../slo/index.ts';
import { SpanIndex } from './join-spans.ts';
import type { ServerSpan } from './server-span.ts';
import { TimePartsBuilder } from './time-parts.ts';

const ID = '0b8f6c1e-55aa-4e0f-9d1c-2f6a7c3b9e10';

function spanOf(told: Partial<ServerSpan> = {}): ServerSpan {
  return {
    requestId: `chatcmpl-${ID}`,
    traceId: null,
    service: 'vllm',
    ttftNs: nsFromMs(80),
    queueNs: nsFromMs(30),
    prefillNs: nsFromMs(45),
    decodeNs: nsFromMs(40),
    e2eNs: nsFromMs(120),
    outputTokens: 3,
    ...told,
  };
}

function objectiveOf(text: string) {
  const parsed = parseObjective(text);
  if (!('objective' in parsed)) throw new Error(text);
  return parsed.objective;
}

const OBJECTIVE = objectiveOf('ttft<=90ms');

/** Sent 5 ms late, first output after 100 ms, three events 20 ms apart. */
const RECORD = recordOf({
  requestId: ID,
  plannedNs: 0,
  dispatchedNs: nsFromMs(5),
  arrivalsNs: [105, 125, 145].map(nsFromMs),
});

function partsOf(record = RECORD, span: ServerSpan | null = spanOf(), objective = OBJECTIVE) {
  const builder = new TimePartsBuilder(objective);
  builder.add(record, span);
  return builder.finish();
}

describe('joining', () => {
  it.each([ID, `chatcmpl-${ID}`, `cmpl-${ID}-0`, ID.toUpperCase()])('knows %s', (requestId) => {
    const index = new SpanIndex();
    index.add(spanOf({ requestId }));
    expect(index.spanOf(RECORD)).toMatchObject({ requestId });
  });

  it('joins by trace where the id was rewritten on the way, and no stranger', () => {
    const index = new SpanIndex();
    const traceId = 'ab'.repeat(16);
    index.add(spanOf({ requestId: 'chatcmpl-1', traceId }));
    expect(index.spanOf({ ...RECORD, traceId: traceId.toUpperCase() })?.traceId).toBe(traceId);
    expect(index.spanOf(RECORD)).toBeNull();
  });

  it('takes the span that tells more, whichever came first', () => {
    const gateway = spanOf({ service: 'gateway', queueNs: null, prefillNs: null, decodeNs: null });
    for (const spans of [
      [gateway, spanOf()],
      [spanOf(), gateway],
    ]) {
      const index = new SpanIndex();
      for (const span of spans) index.add(span);
      expect(index.spanOf(RECORD)?.service).toBe('vllm');
    }
  });
});

describe('parts', () => {
  it('add up to the TTFT that the client saw', () => {
    const { parts, clientTtft } = partsOf();
    const ms = Object.fromEntries(
      Object.entries(parts).map(([part, figures]) => [part, (figures?.meanNs ?? 0) / 1e6]),
    );
    expect(ms).toEqual({ late: 5, way: 20, queue: 30, prefill: 45, unnamed: 5 });
    const sum = Object.values(ms).reduce((total, part) => total + part, 0);
    expect(sum).toBe((clientTtft?.meanNs ?? 0) / 1e6);
  });

  it('blame what alone would have saved the request', () => {
    // 105 ms against 90: without the way (20), the queue (30) or prefill (45) it would have met.
    expect(partsOf().blame).toEqual({
      missed: 1,
      serverAlone: 0,
      metWithout: { late: 0, way: 1, queue: 1, prefill: 1, unnamed: 0 },
    });
    expect(partsOf(RECORD, spanOf(), objectiveOf('ttft<=70ms')).blame).toMatchObject({
      serverAlone: 1,
    });
    expect(partsOf(RECORD, spanOf(), objectiveOf('tpot<=1s')).blame).toBeNull();
  });

  it('blame no late start where the clock begins at the dispatch', () => {
    const fromDispatch = objectiveOf('ttft<=97ms, from=dispatch');
    expect(partsOf(RECORD, spanOf(), fromDispatch).blame?.metWithout).toMatchObject({
      late: 0,
      way: 1,
    });
  });

  it('find what the way adds to every token', () => {
    // 40 ms for two tokens on either side.
    expect(partsOf().tpotAdded?.meanNs).toBe(0);
    const slower = spanOf({ decodeNs: nsFromMs(30) });
    expect(partsOf(RECORD, slower).tpotAdded?.meanNs).toBe(nsFromMs(5));
  });

  it('see an answer that was held back and came at once', () => {
    const bunched = recordOf({ requestId: ID, arrivalsNs: [120, 120, 121].map(nsFromMs) });
    expect(partsOf(bunched).heldBack).toBe(1);
    expect(partsOf().heldBack).toBe(0);
  });

  it('count what contradicts itself, and what has no span', () => {
    expect(partsOf(RECORD, spanOf({ ttftNs: nsFromMs(200) })).contradictory).toBe(1);
    expect(partsOf(RECORD, null)).toMatchObject({ sent: 1, joined: 0, clientTtft: null });
    expect(partsOf(recordOf({ dropped: 'late' }), spanOf()).sent).toBe(0);
  });
});
