import { expect, test } from 'vitest';
import { failedEnd, recordOf } from '../../test/support/record-builder.ts';
import { nsFromMs } from '../base/index.ts';
import { parseObjective } from '../slo/index.ts';
import type { Schedule, ScheduledRequest } from '../workload/index.ts';
import { DEFAULT_BREAKERS, judgedPart, WindowWatch } from './window-watch.ts';

const parsed = parseObjective('ttft<=500ms, attainment>=95%');
if ('problems' in parsed) throw new Error('the objective reads');
const { objective } = parsed;

/** Ten arrivals a second: 2 s of warm-up, 12 s judged. */
const PART = judgedPart({ warmupSeconds: 2, seconds: 12 });
const requests = Array.from({ length: 140 }, (_, index): ScheduledRequest => ({
  index,
  release: { kind: 'at', atNs: index * nsFromMs(100) },
  promptTokens: 100,
  outputTokensMax: 10,
  prompt: { kind: 'synthetic', seed: index, tokens: 100, sharedId: null, sharedTokens: 0 },
  session: null,
  class: null,
  priority: 0,
}));
const schedule: Schedule = { requests, stopNs: PART.toNs, slots: null, hash: 'none' };

function watchOf(stopsEarly = true): WindowWatch {
  return new WindowWatch({
    objective,
    targetShare: 0.95,
    schedule,
    ...PART,
    stopsEarly,
    breakers: DEFAULT_BREAKERS,
  });
}

/** An answer whose first token comes after `ttftMs`. */
function answer(index: number, ttftMs: number) {
  const plannedNs = index * nsFromMs(100);
  const arrivalsNs = [plannedNs + nsFromMs(ttftMs), plannedNs + nsFromMs(ttftMs + 20)];
  return recordOf({ scheduleIndex: index, plannedNs, arrivalsNs });
}

function failure(index: number) {
  const plannedNs = index * nsFromMs(100);
  const end = failedEnd('httpStatus');
  return recordOf({ scheduleIndex: index, plannedNs, end, httpStatus: 500, arrivalsNs: [] });
}

test('ends where all is plain, after whole batches, and counts the judged part alone', () => {
  const watch = watchOf();
  let seen = 0;
  for (; watch.stopped === null && seen < 140; seen += 1) watch.add(answer(seen, 900));
  expect(watch.stopped).toMatchObject({ ending: 'clearlyMissed' });
  // 20 requests of warm-up and whole batches of 10.
  expect((seen - 20) % 10).toBe(0);
  expect(watch.counts).toEqual({ good: 0, offered: seen - 20 });
  expect([watch.stopStarts.aborted, watch.cancelAll.aborted]).toEqual([true, true]);
});

test('a batch whose slowest answers are still out is not looked at', () => {
  const watch = watchOf();
  for (let index = 20; index < 140; index += 1) if (index !== 25) watch.add(answer(index, 900));
  expect(watch.stopped).toBeNull();
  watch.add(answer(25, 900));
  // All batches are complete now, so there is nothing left to save.
  expect(watch.stopped).toBeNull();
});

test('good service is never cancelled, and a window without early ends runs on', () => {
  const patient = watchOf(false);
  for (let index = 0; index < 140; index += 1) patient.add(answer(index, 900));
  expect(patient.stopped).toBeNull();
  const watch = watchOf();
  for (let index = 0; index < 140; index += 1) watch.add(answer(index, 100));
  expect(watch.cancelAll.aborted).toBe(false);
});

test('breaks on failures in a row, and on a share of failures', () => {
  const row = watchOf(false);
  for (let index = 0; index < 24; index += 1) row.add(failure(index));
  expect(row.stopped).toBeNull();
  row.add(failure(24));
  expect(row.stopped).toEqual({ ending: 'broken', why: '25 requests failed in a row' });
  const share = watchOf(false);
  for (let index = 0; index < 60; index += 1) {
    share.add(index % 3 === 0 ? answer(index, 100) : failure(index));
  }
  expect(share.stopped?.why).toMatch(/^33 of 50 requests failed$/);
  expect(share.cancelAll.aborted).toBe(true);
});

test('breaks on a backlog that arrivals of a minute would not fill', () => {
  const watch = new WindowWatch({
    objective,
    targetShare: 0.95,
    schedule,
    ...PART,
    stopsEarly: false,
    breakers: { ...DEFAULT_BREAKERS, backlogSeconds: 6 },
  });
  // The first answer comes when 50 others are inside, the second when more than 60 are.
  watch.add(answer(0, 5_000));
  expect(watch.stopped).toBeNull();
  watch.add(answer(1, 7 * 1_000));
  expect(watch.stopped?.why).toMatch(/requests inside, 7 s of arrivals$/);
});
