import { expect, test } from 'vitest';
import { failedEnd, recordOf } from '../../test/support/record-builder.ts';
import { observeRun } from './observed-run.ts';

const MS = 1_000_000;

test('requests are told from the first one’s dispatch, in order of arrival', () => {
  const { requests, leftOutCount } = observeRun('run', [
    recordOf({ plannedNs: 60 * MS, dispatchedNs: 70 * MS }),
    recordOf({ plannedNs: 50 * MS, dispatchedNs: 50 * MS }),
  ]);
  expect(leftOutCount).toBe(0);
  expect(requests).toEqual([
    { atNs: 0, promptTokens: 100, outputTokens: 3, firstNs: 100 * MS, lastNs: 140 * MS },
    { atNs: 20 * MS, promptTokens: 100, outputTokens: 3, firstNs: 120 * MS, lastNs: 160 * MS },
  ]);
});

test('what failed, has no output or no counts is left out and counted; what was not sent is not', () => {
  const { requests, leftOutCount } = observeRun('run', [
    recordOf(),
    recordOf({ end: failedEnd('socket') }),
    recordOf({ arrivalsNs: [] }),
    recordOf({ usage: null }),
    recordOf({ dropped: 'ceiling' }),
    recordOf({ notReached: true }),
  ]);
  expect(requests).toHaveLength(1);
  expect(leftOutCount).toBe(3);
});

test('planned prompt tokens stand in for those the server did not report', () => {
  const usage = { promptTokens: null, completionTokens: 3 };
  const read = observeRun('run', [
    recordOf({ usage, promptTokensPlanned: 77 }),
    recordOf({ usage }),
  ]);
  expect(read.requests.map(({ promptTokens }) => promptTokens)).toEqual([77]);
  expect(read.leftOutCount).toBe(1);
});
