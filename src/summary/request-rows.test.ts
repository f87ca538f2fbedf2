import { expect, it } from 'vitest';
import { changedRow, RequestRows } from './request-rows.ts';
import type { RequestRow } from './request-row.ts';

const OBJECTIVES = [{ objective: 'ttft', state: 'met', reason: null }] as const;

function rowOf(index: number, changes: Partial<RequestRow> = {}): RequestRow {
  const row = {
    scheduleIndex: index,
    attempt: 1,
    outcome: 'completed',
    verdict: 'good',
    unjudgedReason: null,
    correctness: 'met',
    objectives: OBJECTIVES,
    dropReason: null,
    failure: null,
    finishReason: 'stop',
    promptBucket: '<4k',
    promptTokensFrom: 'usage',
    outputBucket: '<256',
    connection: 'none',
    address: null,
    tenant: null,
    class: index % 2 === 0 ? null : 'chat',
    plannedNs: 5e9 + index,
    dispatchedNs: 5e9 + index,
    endNs: 6e9 + index,
    releasedNs: null,
    inFlightCount: index % 7,
    ttftFromPlannedNs: 1e8,
    ttftFromDispatchNs: 1e8,
    tpotNs: 1e7 + 1 / 3,
    tpotBasis: 'observed',
    alignmentBroken: false,
    lostOnReuse: false,
    joinedTries: null,
    firstAnswerFromPlannedNs: null,
    firstAnswerFromDispatchNs: null,
    completionNs: 1e9,
    completionFromPlannedNs: 1e9,
    queueNs: 0,
    gapCount: 9,
    zeroGapCount: 0,
    promptTokens: 100,
    cachedPromptTokens: null,
    outputTokens: 10,
    outputTokensMax: 10,
    outputTokensInSteady: 2.5,
    ...changes,
  } as const satisfies Omit<RequestRow, 'doubt'>;
  const doubt = {
    kindest: row.verdict,
    harshest: row.verdict,
    errorNs: 0,
    firstErrorNs: 0,
    doneErrorNs: 0,
    tpotKindestNs: row.tpotNs,
    tpotHarshestNs: row.tpotNs,
    calmGapCount: row.gapCount,
    calmZeroGapCount: row.zeroGapCount,
  };
  return { doubt, ...row };
}

it('rows come back as they were, in their order, over many blocks', () => {
  const given = Array.from({ length: 2_500 }, (_, index) => rowOf(index));
  given.push(
    rowOf(1, { tenant: 'null', class: 'a/b', finishReason: 'a/', verdict: 'bad' }),
    rowOf(1, { tenant: 'a', class: '/b', finishReason: 'a', verdict: 'bad' }),
    rowOf(2, { objectives: [], outcome: 'dropped', dispatchedNs: null, tpotNs: null }),
    { ...rowOf(3), doubt: { ...rowOf(3).doubt, errorNs: 4, kindest: 'bad' } },
  );
  const rows = new RequestRows();
  for (const row of given) rows.push(row);
  expect(rows.length).toBe(given.length);
  expect(rows.views().map((view) => changedRow(view, {}))).toEqual(given);
});

it('a changed row keeps the rest', () => {
  const rows = new RequestRows();
  rows.push(rowOf(8));
  const [view] = rows.views() as [RequestRow];
  expect(changedRow(view, { verdict: 'bad' })).toEqual({ ...rowOf(8), verdict: 'bad' });
  expect(view.verdict).toBe('good');
});
