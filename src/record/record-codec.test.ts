import { describe, expect, test } from 'vitest';
import { failedEnd, recordOf } from '../../test/support/record-builder.ts';
import { isCutLine, isRecordProblem, parseRecordLine } from './record-codec.ts';
import { recordLine } from './record-line.ts';

const PLACE = { file: 'records-0.ndjson', line: 7 };

const read = (line: string) => parseRecordLine(line, PLACE);

function messageOf(line: string): string {
  const parsed = read(line);
  return isRecordProblem(parsed) ? parsed.message : 'no problem';
}

/** The default record's line with a part of its text replaced. */
function edited(from: string, to: string): string {
  const line = recordLine(recordOf());
  expect(line).toContain(from);
  return line.replace(from, to);
}

describe('reading back what was written', () => {
  const records = {
    completed: recordOf({ tokensPerEvent: [1, null, 2], queueNs: 5 }),
    dropped: recordOf({ dropped: 'ceiling' }),
    notReached: {
      ...recordOf({ notReached: true }),
      dispatch: { kind: 'notReached', plannedNs: null, reason: 'stopped' },
    },
    failed: recordOf({
      end: failedEnd('httpStatus', { httpStatus: 429, code: 'quota', evidence: ['quota'] }),
      httpStatus: 429,
      arrivalsNs: [],
      usage: null,
      finishReason: null,
    }),
    timedOut: recordOf({ end: { kind: 'timedOut', deadlineNs: 9 }, doneNs: null }),
    cancelled: recordOf({ end: { kind: 'cancelled', atNs: 9 }, doneNs: null }),
    checked: recordOf({ checks: [{ name: 'json', passed: false }] }),
  } as const;

  test.each(Object.entries(records))('%s', (_name, record) => {
    const line = recordLine(record);
    expect(line).not.toContain('\n');
    expect(read(line)).toEqual(record);
  });

  test('a carriage return at the end of a line is no harm', () => {
    expect(isRecordProblem(read(`${recordLine(recordOf())}\r`))).toBe(false);
  });
});

describe('refusing', () => {
  test('a later format, with what to do about it', () => {
    expect(read(edited('"schemaVersion":1', '"schemaVersion":2'))).toEqual({
      code: 'E_RECORD_FORMAT',
      message: 'the record is of format 2, and this version reads up to 1',
      hint: 'read it with the version of goodput that wrote it, or a later one',
      place: { file: 'records-0.ndjson', line: 7, column: 1 },
    });
    // A later format may look like anything else.
    expect(messageOf('{"schemaVersion":3,"rows":[]}')).toContain('format 3');
  });

  test.each([
    ['schemaVersion is not 1', edited('"schemaVersion":1', '"schemaVersion":0')],
    ['schemaVersion is missing', edited('"schemaVersion":1,', '')],
    ['attempt is missing', edited('"attempt":1,', '')],
    ['attemptCount is not a known field', edited('{"schema', '{"attemptCount":1,"schema')],
    ['__proto__ is not a known field', edited('{"schema', '{"__proto__":{},"schema')],
    ['streamed is not true or false', edited('"streamed":true', '"streamed":"yes"')],
    ['source is not one of measured, simulated', edited('"measured"', '"guessed"')],
    ['labels.model is not text', edited('"test-model"', '5')],
    ['dispatch.kind is not one of sent, dropped, notReached', edited('"sent"', '"lost"')],
    ['dispatch.plannedNs is not a whole number', edited('"plannedNs":0', '"plannedNs":0.5')],
    ['timeline.output.kind.1 is not one of answer', edited('"answer","answer"', '"answer","chat"')],
    ['timeline.output.bytes.0 is not a whole number', edited('"bytes":[4', '"bytes":["4"')],
    [
      'timeline.usage.reasoningTokens is not',
      edited('"reasoningTokens":null', '"reasoningTokens":-1'),
    ],
    ['timeline.output.readId is not a list', edited('"readId":[0,1,2]', '"readId":{}')],
    ['end.kind is not one of completed', edited('{"kind":"completed"}', '{"kind":"done"}')],
    ['end.kind is missing', edited('{"kind":"completed"}', '{}')],
    ['the record is not an object', '[]'],
    ['the record is not an object', 'null'],
    ['the line is not JSON', 'hello'],
    ['the line is not JSON', ''],
    ['the line is not JSON', `${recordLine(recordOf())}}`],
  ])('%s', (message, line) => {
    expect(messageOf(line)).toContain(message);
  });

  test('a record that breaks an invariant', () => {
    expect(messageOf(edited('"dispatchedNs":0', '"dispatchedNs":200000000'))).toContain(
      'the record is unsound: writtenNs is before dispatch',
    );
  });

  test('without quoting the line, which could hold anything', () => {
    const secret = 'sk-12345';
    for (const line of [`{"${'x'.repeat(500)}":1`, secret, edited('"stop"', `"${secret}"`)]) {
      expect(messageOf(line)).not.toContain(secret);
      expect(messageOf(line).length).toBeLessThan(200);
    }
  });
});

describe('a line cut by a crash', () => {
  const line = recordLine(recordOf({ requestId: 'one " quote', logicalRequestId: '{[\\' }));

  test('is told from a line that was never a record, wherever it was cut', () => {
    for (let length = 1; length < line.length; length += 1) {
      const cut = line.slice(0, length);
      expect(isCutLine(cut)).toBe(true);
      expect(messageOf(cut)).toContain('cut short');
    }
    expect(isCutLine(line)).toBe(false);
    expect(isCutLine('nonsense')).toBe(false);
  });
});
