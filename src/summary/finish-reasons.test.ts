import { expect, test } from 'vitest';
import { recordOf } from '../../test/support/record-builder.ts';
import { pointSummaryOf } from '../../test/support/summary-builder.ts';

test('completed answers are counted by finish reason, the most frequent first', () => {
  const reasons = ['length', 'stop', 'stop', null] as const;
  const records = reasons.map((finishReason, scheduleIndex) =>
    recordOf({ scheduleIndex, finishReason }),
  );
  expect(pointSummaryOf(records).finishReasons).toEqual({ stop: 2, length: 1, none: 1 });
});
