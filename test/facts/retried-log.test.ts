/** A log with retries: judged by try, and by what the user waited for. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readLog } from '../../src/cli/read-log.ts';
import { LogTally, LogViews, type WindowSpec } from '../../src/logs/index.ts';
import { objectiveOf } from '../support/summary-builder.ts';

const BY: WindowSpec = { windowUs: null, keys: [] };
const OBJECTIVE = objectiveOf('ttft<=1s');
const folder = mkdtempSync(join(tmpdir(), 'goodput-retries-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A row of LiteLLM's spend log: seconds of start and first token, or a failure. */
function row(trace: string | null, startS: number, firstS: number | null): string {
  const iso = (atS: number): string =>
    new Date(Date.UTC(2026, 10, 20, 10, 0, 0, atS * 1e3)).toISOString();
  return JSON.stringify({
    request_id: `${trace}-${startS}`,
    ...(trace === null ? {} : { trace_id: trace }),
    call_type: 'acompletion',
    startTime: iso(startS),
    endTime: iso(startS + 5),
    ...(firstS === null
      ? {
          status: 'failure',
          error_information: { error_code: '503', error_class: 'ServiceUnavailableError' },
        }
      : { status: 'success', completionStartTime: iso(firstS) }),
    prompt_tokens: 100,
    completion_tokens: 50,
  });
}

async function views(rows: readonly string[]) {
  const file = join(folder, 'spend.ndjson');
  writeFileSync(file, rows.map((line) => `${line}\n`).join(''));
  const both = new LogViews([OBJECTIVE], BY);
  const plain = new LogTally(OBJECTIVE, BY);
  await readLog(file, { format: null, rejects: null, windowed: true }, (record, startUs) => {
    both.add(record, startUs);
    plain.add(record, startUs);
  });
  const { byTry, byRequest } = both.finish();
  const total = (slices: readonly { good: number; bad: number }[]) => ({
    good: slices.reduce((sum, { good }) => sum + good, 0),
    bad: slices.reduce((sum, { bad }) => sum + bad, 0),
  });
  expect(total(byTry[0]?.slices ?? [])).toEqual(total(plain.counts().slices));
  return {
    byTry: total(byTry[0]?.slices ?? []),
    byRequest: byRequest && { ...byRequest, counts: total(byRequest.counts.slices) },
  };
}

it('a fast retry is a good try, and for the user a late first token', async () => {
  const rows = [
    row('once', 0, 0.5),
    row(null, 0, 0.5),
    // The second try answers in 0.2 s, 3.2 s after the user asked.
    row('late', 1, null),
    row('late', 4, 4.2),
    // Tried again at once: good for the user too.
    row('early', 6, null),
    row('early', 6.1, 6.5),
  ];
  expect(await views(rows)).toEqual({
    byTry: { good: 4, bad: 2 },
    byRequest: {
      joined: { tries: 5, requests: 3, retried: 2, cutOff: 0 },
      counts: { good: 3, bad: 1 },
    },
  });
});

it('without a joined try there is one view', async () => {
  expect((await views([row('a', 0, 0.5), row(null, 1, null)])).byRequest).toBeNull();
});
