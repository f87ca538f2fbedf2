/** Load points over several generator processes: the same records, whatever happens to a process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NS_PER_SECOND } from '../../src/base/index.ts';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { faultShare, NO_FAULTS } from '../../src/faults/index.ts';
import {
  checkRecord,
  LogicalJoin,
  type Manifest,
  type RequestRecord,
} from '../../src/record/index.ts';
import type { Summary } from '../../src/summary/index.ts';
import type { LoadShape, RetryPolicy } from '../../src/workload/index.ts';
import { emptyFolder, runBuilt, startCommand } from '../support/built-command.ts';
import { fateOf } from '../support/point-run.ts';
import { stripedLoads, type StripedLoads, type StripedOutcome } from '../support/striped-load.ts';

let emulator: Emulator;
let loads: StripedLoads;

beforeAll(async () => {
  emulator = await startEmulator({ speedScale: 0.1 });
  loads = stripedLoads(emulator.url);
});

afterAll(async () => {
  await loads.close();
  await emulator.close();
});

function rate(rateRps: number, seconds: number): LoadShape {
  const durationNs = seconds * NS_PER_SECOND;
  return { kind: 'rate', rateRps, arrivals: { kind: 'constant' }, durationNs, maxRequests: null };
}

/** Every place once; the counts are those of the records. */
function expectExact({ schedule, records, outcome }: StripedOutcome): void {
  const places = records.map(({ scheduleIndex }) => scheduleIndex).toSorted((a, b) => a - b);
  expect(places).toEqual(schedule.requests.map(({ index }) => index));
  const { counts } = outcome;
  const fates = records.map(fateOf);
  const count = (...wanted: string[]): number =>
    fates.filter((fate) => wanted.includes(fate)).length;
  expect(counts).toMatchObject({
    scheduled: schedule.requests.length,
    waiting: 0,
    inFlight: 0,
    ended: count('completed', 'failed', 'cancelled', 'timedOut'),
    notReached: count('notReached'),
  });
  expect(counts.dropped.generatorLost).toBe(count('generatorLost'));
  expect(counts.dropped.budget).toBe(count('budget'));
}

/** What does not depend on when things happened. */
function timeless(record: RequestRecord): unknown {
  const { timeline, dispatch } = record;
  return {
    ...record,
    inFlightAtDispatch: null,
    dispatch: dispatch.kind,
    timeline: [timeline?.usage, timeline?.finishReason, timeline?.output.bytes],
  };
}

const byPlace = (a: RequestRecord, b: RequestRecord): number => a.scheduleIndex - b.scheduleIndex;

describe('a load over generator processes', () => {
  it('leaves the records of one process', async () => {
    const load = { shape: rate(30, 1) };
    const one = await loads.send({ ...load, processes: 1 });
    const three = await loads.send({ ...load, processes: 3 });
    for (const outcome of [one, three]) expectExact(outcome);
    expect(three.records.toSorted(byPlace).map(timeless)).toEqual(
      one.records.toSorted(byPlace).map(timeless),
    );
    const planned = three.records.map(({ dispatch }) => dispatch.plannedNs);
    expect(new Set(planned).size).toBe(30);
    expect(three.evidence.processes?.map(({ requestCount }) => requestCount)).toEqual([10, 10, 10]);
    expect(three.outcome).toMatchObject({ stopReason: 'duration', partial: false });
  });

  it('counts requests in flight over all of them', async () => {
    const shape: LoadShape = {
      kind: 'concurrency',
      streams: 5,
      durationNs: 20 * NS_PER_SECOND,
      maxRequests: 40,
    };
    const outcome = await loads.send({ shape, processes: 2 });
    expectExact(outcome);
    const counts = outcome.records.map(({ inFlightAtDispatch }) => inFlightAtDispatch as number);
    expect(outcome.outcome.inFlightMax).toBe(5);
    expect(Math.max(...counts)).toBe(5);
    // Two processes: none of them ever had more than three.
    expect(outcome.outcome.stopReason).toBe('requests');
  });

  it('goes on when a process is killed, and says what became of its requests', async () => {
    let killed = false;
    const outcome = await loads.send({
      shape: rate(40, 2),
      processes: 2,
      // Long enough that some are in flight at any time.
      outputTokens: 120,
      onRecord(_record, { pids }) {
        if (killed) return;
        killed = true;
        process.kill(pids[1] as number, 'SIGKILL');
      },
    });
    expectExact(outcome);
    const fates = outcome.records.map(
      (record) => [record.scheduleIndex % 2, fateOf(record)] as const,
    );
    // The other stripe is whole, and what was due from the lost one is no lower load, unsaid.
    expect(fates.filter(([stripe]) => stripe === 0).every(([, fate]) => fate === 'completed')).toBe(
      true,
    );
    expect(fates.some(([stripe, fate]) => stripe === 1 && fate === 'generatorLost')).toBe(true);
    expect(fates.every(([, fate]) => fate !== 'notReached')).toBe(true);
    const cut = outcome.records.filter(({ end }) => end?.kind === 'cancelled');
    expect(cut.length).toBeGreaterThan(0);
    expect(cut.every(({ timeline }) => timeline?.notes.includes('generatorLost'))).toBe(true);
    expect(outcome.evidence.processes?.map(({ lost }) => lost)).toEqual([
      null,
      'was ended by SIGKILL',
    ]);
    expect(outcome.outcome.partial).toBe(false);
  });

  it('ends when no process is left', async () => {
    const outcome = await loads.send({
      shape: rate(40, 2),
      processes: 2,
      onRecord: (_record, { pids }) => pids.forEach((pid) => kill(pid)),
    });
    expectExact(outcome);
    expect(outcome.outcome.partial).toBe(true);
  });

  it('keeps the turns of a session in order, each with the answers before it', async () => {
    const outcome = await loads.send({
      shape: {
        kind: 'sessions',
        sessionsPerSecond: 6,
        arrivals: { kind: 'constant' },
        think: { kind: 'fixed', meanNs: 0 },
        durationNs: 2 * NS_PER_SECOND,
        maxRequests: null,
      },
      sessions: {
        turns: { kind: 'fixed', tokens: 3 },
        input: { kind: 'fixed', tokens: 16 },
        followUp: { kind: 'fixed', tokens: 4 },
        output: { kind: 'fixed', tokens: 8 },
        system: [],
        maxContextTokens: null,
        history: 'answers',
      },
      processes: 3,
    });
    expectExact(outcome);
    const inOrder = outcome.records.toSorted(byPlace);
    expect(inOrder.filter((record) => fateOf(record) === 'completed').length).toBeGreaterThan(15);
    expect(inOrder.flatMap(({ timeline }) => timeline?.notes ?? [])).not.toContain(
      'historyPlanned',
    );
    const ends = new Map<string, number>();
    for (const { labels, dispatch, timeline } of inOrder) {
      if (dispatch.kind !== 'sent') continue;
      const session = labels.session as string;
      expect(dispatch.dispatchedNs).toBeGreaterThanOrEqual(ends.get(session) ?? 0);
      ends.set(session, timeline?.doneNs as number);
    }
    expect(ends.size).toBeGreaterThan(5);
  });

  it('never passes the budget, and ends as a whole when it is spent', async () => {
    const outcome = await loads.send({
      shape: rate(50, 2),
      processes: 2,
      limits: { maxRequests: 21 },
    });
    expectExact(outcome);
    const sent = outcome.records.filter(({ dispatch }) => dispatch.kind === 'sent').length;
    expect(sent).toBeLessThanOrEqual(21);
    expect(sent).toBeGreaterThan(10);
    expect(outcome.budget.spending()).toMatchObject({ requests: sent, outputTokens: 8 * sent });
    expect(outcome.outcome).toMatchObject({ stopReason: 'budget', partial: true });
  });

  it('drains when starts are stopped', async () => {
    const outcome = await loads.send({
      shape: rate(40, 20),
      processes: 2,
      onRecord: (_record, { stopStarts }) => stopStarts.abort(),
    });
    expectExact(outcome);
    expect(outcome.outcome).toMatchObject({ stopReason: 'interrupted', partial: true });
    expect(
      outcome.records.every((record) => ['completed', 'notReached'].includes(fateOf(record))),
    ).toBe(true);
  });

  it('sends nothing when a Ctrl-C comes, and ends a process, before the load', async () => {
    const outcome = await loads.send({
      shape: rate(40, 20),
      processes: 2,
      onTaken({ pids, stopStarts }) {
        stopStarts.abort();
        process.kill(pids[0] as number, 'SIGKILL');
      },
    });
    expectExact(outcome);
    expect(outcome.outcome).toMatchObject({ stopReason: 'interrupted', partial: true });
    expect(outcome.outcome.counts.tries).toBe(0);
    const killed = loads.send({
      shape: rate(40, 20),
      processes: 2,
      onTaken: ({ pids }) => process.kill(pids[0] as number, 'SIGKILL'),
    });
    await expect(killed).rejects.toThrow('before the load');
  });

  it('cancels what is in flight when told to', async () => {
    const outcome = await loads.send({
      shape: rate(40, 20),
      processes: 2,
      outputTokens: 4_000,
      onFlight: ({ cancelAll }) => cancelAll.abort(),
    });
    expectExact(outcome);
    const fates = outcome.records.map(fateOf);
    expect(fates).toContain('cancelled');
    expect(fates).not.toContain('completed');
  });
});

describe('a load over generator processes that tries again', () => {
  let failing: Emulator;
  let retried: StripedLoads;

  beforeAll(async () => {
    const faults = { ...NO_FAULTS, rules: [faultShare('bare503', 0.5)] };
    failing = await startEmulator({ speedScale: 0.1, faults });
    retried = stripedLoads(failing.url);
  });

  afterAll(async () => {
    await retried.close();
    await failing.close();
  });

  function policy(baseNs: number): RetryPolicy {
    const backoff = { baseNs, factor: 1, maxNs: baseNs, jitterShare: 0.5 };
    return {
      attempts: 3,
      on: ['5xx'],
      backoff,
      honoursRetryAfter: false,
      deadlineNs: null,
      seed: 1,
    };
  }

  /** One request for each place; the counts of tries and spending are those of the records. */
  function expectTries({ schedule, records, outcome, budget }: StripedOutcome): RequestRecord[] {
    const requests: RequestRecord[] = [];
    const join = new LogicalJoin((request) => requests.push(request));
    for (const record of records) join.add(record);
    join.finish();
    expect(requests.map(({ scheduleIndex }) => scheduleIndex).toSorted((a, b) => a - b)).toEqual(
      schedule.requests.map(({ index }) => index),
    );
    expect(records.flatMap(checkRecord)).toEqual([]);
    const sent = records.filter(({ dispatch }) => dispatch.kind === 'sent').length;
    expect(new Set(records.map(({ requestId }) => requestId)).size).toBe(records.length);
    expect(outcome.counts).toMatchObject({ tries: sent, waiting: 0, inFlight: 0, betweenTries: 0 });
    expect(outcome.counts.ended).toBe(requests.filter(({ end }) => end !== null).length);
    expect(budget.spending().requests).toBe(sent);
    return requests;
  }

  it('makes each try once, in the process of its request', async () => {
    const outcome = await retried.send({
      shape: rate(30, 1),
      processes: 2,
      retry: policy(NS_PER_SECOND / 20),
    });
    expectTries(outcome);
    expect(outcome.outcome.counts.tries).toBeGreaterThan(30);
    expect(outcome.outcome).toMatchObject({ stopReason: 'duration', partial: false });
  });

  it('makes no try after one Ctrl-C between two', async () => {
    const outcome = await retried.send({
      shape: rate(40, 1),
      processes: 2,
      retry: policy(600 * NS_PER_SECOND),
      onRecord: ({ nextTryNs }, { stopStarts }) => {
        if (nextTryNs !== null) stopStarts.abort();
      },
    });
    expectTries(outcome);
    expect(outcome.records.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(outcome.outcome).toMatchObject({ stopReason: 'interrupted', partial: true });
  });

  it('ends the requests that waited for a try when their process is killed', async () => {
    let waited: number | null = null;
    const outcome = await retried.send({
      shape: rate(20, 1),
      processes: 2,
      retry: { ...policy(NS_PER_SECOND), attempts: 2 },
      onRecord: ({ nextTryNs, scheduleIndex }, { pids }) => {
        if (nextTryNs === null || waited !== null) return;
        waited = scheduleIndex;
        process.kill(pids[scheduleIndex % 2] as number, 'SIGKILL');
      },
    });
    const requests = expectTries(outcome);
    const cut = requests.find(({ scheduleIndex }) => scheduleIndex === waited);
    expect(cut).toMatchObject({ attempt: 1, end: { kind: 'cancelled' } });
    expect(outcome.outcome.counts.dropped.generatorLost).toBeGreaterThan(0);
  });
});

/** A process that is dead already was killed before. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is.
  }
}

describe('goodput run --processes 2', () => {
  const LOAD = [
    '--rate',
    '20',
    '--arrivals',
    'constant',
    '--input',
    '16',
    '--output',
    '8',
    '--exact',
    '--out',
    'r',
  ];

  it('tells of both processes, and counts as one run', async () => {
    const cwd = emptyFolder();
    const args = ['run', emulator.url, ...LOAD, '--duration', '2s', '--processes', '2'];
    const { exitCode } = await runBuilt([...args, '--slo', 'ttft<=20s,attainment>=95%'], { cwd });
    expect([0, 4]).toContain(exitCode);
    const manifest = JSON.parse(readFileSync(join(cwd, 'r/manifest.json'), 'utf8')) as Manifest;
    expect(manifest.points[0]?.generator?.processes).toHaveLength(2);
    const summary = JSON.parse(readFileSync(join(cwd, 'r/summary.json'), 'utf8')) as Summary;
    expect(summary.points[0]?.ledger).toMatchObject({ completed: 40, scheduled: 40 });
  });

  it('one Ctrl-C drains all of them', async () => {
    const cwd = emptyFolder();
    const args = ['run', emulator.url, ...LOAD, '--duration', '60s', '--processes', '2'];
    const { child, outcome } = startCommand([...args, '--progress', 'json'], { cwd });
    let heard = '';
    let isStopped = false;
    child.stderr.on('data', (text: Buffer) => {
      heard += text.toString();
      if (isStopped || !/"event":"progress".*"completed":[1-9]/.test(heard)) return;
      isStopped = true;
      child.kill('SIGINT');
    });
    const { exitCode } = await outcome;
    expect(exitCode).toBe(130);
    const summary = JSON.parse(readFileSync(join(cwd, 'r/summary.json'), 'utf8')) as Summary;
    const { ledger } = summary.points[0]!;
    expect(summary.partial).toBe(true);
    expect(ledger.scheduled + ledger.notReached).toBe(1_200);
    expect(ledger.completed).toBe(ledger.scheduled);
  });
});
