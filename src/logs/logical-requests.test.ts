import { describe, expect, it } from 'vitest';
import { measureRecord, type RequestRecord } from '../record/index.ts';
import { NOTHING_LOGGED, type LoggedRequest } from './logged-request.ts';
import { LogicalRequests, RETRY_HORIZON_US, type JoinedTries } from './logical-requests.ts';
import { recordOfLogged } from './record-of-logged.ts';

const SECOND_US = 1_000_000;

interface Joined extends JoinedTries {
  readonly records: readonly RequestRecord[];
  readonly startsUs: readonly number[];
}

/** Tries in the order of the log: id, start in seconds, and what else is told. */
function join(
  tries: readonly (readonly [string | null, number, Partial<LoggedRequest>?])[],
  openLimit?: number,
): Joined {
  const records: RequestRecord[] = [];
  const startsUs: number[] = [];
  const requests = new LogicalRequests((record, startUs) => {
    records.push(record);
    startsUs.push(startUs);
  }, openLimit);
  for (const [index, [logicalRequestId, atS, told]] of tries.entries()) {
    const startUs = atS * SECOND_US;
    const row = { ...NOTHING_LOGGED, logicalRequestId, startUs, ...told };
    requests.add(recordOfLogged(row, { index, originUs: startUs }), startUs);
  }
  return { ...requests.finish(), records, startsUs };
}

const FAILED = { end: 'failed', failure: 'httpStatus', httpStatus: 503 } as const;

describe('LogicalRequests', () => {
  it('counts from the first try to the final outcome', () => {
    const answer = { ttftNs: 400e6, e2eNs: 2_000e6, outputTokens: 41 };
    const { records, startsUs, ...counts } = join([
      ['a', 10, FAILED],
      ['b', 11, answer],
      ['a', 13, FAILED],
      ['a', 15, answer],
    ]);
    expect(counts).toEqual({ tries: 4, requests: 2, retried: 1, cutOff: 0 });
    expect(startsUs).toEqual([11e6, 10e6]);
    const [once, thrice] = records.map((record) => measureRecord(record, { counts: ['answer'] }));
    expect(once?.ttftFromPlannedNs).toBe(400e6);
    expect(thrice).toMatchObject({ ttftFromPlannedNs: 5_400e6, completionNs: 7_000e6 });
    // The speed of the answer is that of the try that gave it.
    expect(thrice?.tpotNs).toBe(40e6);
    expect(records[1]?.attempt).toBe(3);
  });

  it('ends a request with its first answer: a conversation of one id is no retry', () => {
    expect(
      join([
        ['a', 0],
        ['a', 5],
        ['a', 9],
      ]),
    ).toMatchObject({ requests: 3, retried: 0 });
  });

  it('joins no rows without an id, and none beyond the horizon', () => {
    const late = RETRY_HORIZON_US / SECOND_US + 1;
    expect(
      join([
        [null, 0, FAILED],
        [null, 1],
      ]),
    ).toMatchObject({ requests: 2, retried: 0 });
    expect(
      join([
        ['a', 0, FAILED],
        ['a', late],
      ]),
    ).toMatchObject({ requests: 2, retried: 0 });
    expect(
      join([
        ['a', 0, FAILED],
        ['a', late - 1],
      ]),
    ).toMatchObject({ requests: 1, retried: 1 });
  });

  it('keeps a bounded number of unfinished requests, and says how many it cut off', () => {
    const rows = ['a', 'b', 'c'].map((id, at) => [id, at, FAILED] as const);
    const joined = join([...rows, ['a', 4], ['c', 5]], 2);
    expect(joined).toMatchObject({ tries: 5, requests: 4, retried: 1, cutOff: 1 });
  });
});
