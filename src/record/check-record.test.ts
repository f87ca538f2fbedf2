import { expect, test } from 'vitest';
import { failedEnd, recordOf } from '../../test/support/record-builder.ts';
import { checkRecord } from './check-record.ts';
import type { RequestRecord } from './request-record.ts';

const sound: readonly (readonly [string, RequestRecord])[] = [
  ['completed', recordOf()],
  ['late', recordOf({ plannedNs: 10, dispatchedNs: 500 })],
  ['dropped', recordOf({ dropped: 'late' })],
  ['not reached', recordOf({ notReached: true })],
  ['failed before any byte', recordOf({ end: failedEnd('connect'), arrivalsNs: [], doneNs: null })],
  ['cancelled', recordOf({ end: { kind: 'cancelled', atNs: 7 }, arrivalsNs: [], doneNs: null })],
  ['one body', recordOf({ streamed: false, arrivalsNs: [50], doneNs: 50 })],
];

test.each(sound)('a record that is %s is sound', (_name, record) => {
  expect(checkRecord(record)).toEqual([]);
});

const MS = 1_000_000;
const base = recordOf();
const answered = base.timeline!;
const broken: readonly (readonly [string, RequestRecord])[] = [
  ['plannedNs -1 is not', recordOf({ plannedNs: -1, dispatchedNs: 0 })],
  ['dispatchedNs 0.5 is not', recordOf({ dispatchedNs: 0.5 })],
  ['dispatched before', recordOf({ plannedNs: 20, dispatchedNs: 10 })],
  ['dropped, yet', { ...recordOf({ dropped: 'late' }), end: { kind: 'completed' } }],
  ['notReached, yet', { ...recordOf({ notReached: true }), timeline: answered }],
  ['sent, yet without', { ...base, timeline: null }],
  ['sent, yet without', { ...base, end: null }],
  ['attempt 0 is below 1', recordOf({ attempt: 0 })],
  ['firstByteNs is before dispatch', recordOf({ dispatchedNs: 10, timeline: { firstByteNs: 5 } })],
  ['doneNs NaN is not', recordOf({ doneNs: Number.NaN })],
  ['terminalNs Infinity is not', recordOf({ timeline: { terminalNs: Number.POSITIVE_INFINITY } })],
  ['event 1 has no whole instant', recordOf({ arrivalsNs: [100, Number.NaN, 300] })],
  ['event 1 arrived before', recordOf({ arrivalsNs: [100, 90, 300] })],
  ['event 2 is of an earlier read', recordOf({ arrivalsNs: [1, 2, 3], readIds: [0, 2, 1] })],
  ['read 0 has two arrival', recordOf({ arrivalsNs: [1, 2], readIds: [0, 0] })],
  ['differ in length: 2, 3', withOutput({ atNs: [100 * MS, 120 * MS] })],
  ['event 1 is empty', withOutput({ bytes: [4, 0, 4] })],
  ['event 0 has a negative', recordOf({ tokensPerEvent: [-1, 1, 1] })],
  ['usage completionTokens -3', recordOf({ usage: { completionTokens: -3 } })],
  ['usage promptTokens 1.5', recordOf({ usage: { promptTokens: 1.5 } })],
  ['first event before the first byte', recordOf({ timeline: { firstByteNs: 101 * MS } })],
  ['output before the first byte', recordOf({ timeline: { firstByteNs: 101 * MS } })],
  ['output before the first event', recordOf({ timeline: { firstEventNs: 110 * MS } })],
  ['done before the last output', recordOf({ doneNs: 130 * MS })],
  ['done is not the end mark', recordOf({ timeline: { terminalNs: 140 * MS } })],
  ['completed, yet never done', recordOf({ doneNs: null })],
  ['timed out before', recordOf({ dispatchedNs: 9, end: { kind: 'timedOut', deadlineNs: 8 } })],
  ['cancelled before', recordOf({ dispatchedNs: 9, end: { kind: 'cancelled', atNs: 8 } })],
];

test.each(broken)('finds: %s', (sentence, record) => {
  expect(checkRecord(record).join('; ')).toContain(sentence);
});

function withOutput(columns: Partial<typeof answered.output>): RequestRecord {
  return { ...base, timeline: { ...answered, output: { ...answered.output, ...columns } } };
}
