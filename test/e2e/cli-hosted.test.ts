/** The built command against a provider with limits, faults and thoughts: retries, quotas, first answers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { NS_PER_MS, NS_PER_SECOND } from '../../src/base/index.ts';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/index.ts';
import { NAMED_FAULTS, NO_FAULTS, type Fault, type FaultRule } from '../../src/faults/index.ts';
import { checkRecord, type Manifest, type RequestRecord } from '../../src/record/index.ts';
import type { PointSummary, Summary } from '../../src/summary/index.ts';
import { emptyFolder, runBuilt } from '../support/built-command.ts';

const SMALL = ['--input', '32', '--output', '12', '--exact'];

let emulator: Emulator;

async function start(options: Partial<EmulatorOptions>): Promise<string> {
  emulator = await startEmulator({ speedScale: 0.1, ...options });
  return emulator.url;
}

afterEach(() => emulator.close());

/** Every `n`-th request after those of the preflight. */
function every(n: number, fault: Fault): FaultRule {
  const window = { fromNs: 0, toNs: null };
  const match = { window, firstRequest: 5, lastRequest: null, api: null, streamed: null };
  return { name: fault.kind, match, pick: { kind: 'every', n }, fault };
}

function readRun(dir: string) {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(dir, name), 'utf8'));
  const records = readFileSync(join(dir, 'records-0.ndjson'), 'utf8').trimEnd().split('\n');
  const summary = read('summary.json') as Summary;
  return {
    summary,
    manifest: read('manifest.json') as Manifest,
    point: summary.points[0] as PointSummary,
    records: records.map((line) => JSON.parse(line) as RequestRecord),
  };
}

describe('a declared retry policy', () => {
  it('makes tries with records of their own, and requests of them', async () => {
    const busy = { ...NAMED_FAULTS.quota429, headers: { 'retry-after': '1' } };
    const rules = [every(4, busy), every(5, { kind: 'reset', afterEvents: 0 })];
    const url = await start({ faults: { ...NO_FAULTS, rules } });
    const cwd = emptyFolder();
    const retry = 'attempts=4,on=429|connect|answer,base=100ms,factor=2,jitter=0.5';
    const { exitCode, stdout } = await runBuilt(
      ['run', url, '--rate', '10', '--duration', '3s', '--drain', '60s', ...SMALL].concat([
        '--slo',
        'e2e<=30s, attainment>=90%',
        '--retry',
        retry,
        '--out',
        'run',
      ]),
      { cwd },
    );
    const { point, records, manifest } = readRun(join(cwd, 'run'));
    // On a busy machine the client may have moved a figure: invalid, and the same otherwise.
    expect([0, 4]).toContain(exitCode);
    expect(stdout).toMatch(/Tries\s+1\.\d+ a request, /);
    expect(records.flatMap(checkRecord)).toEqual([]);

    const byRequest = new Map<string, RequestRecord[]>();
    for (const record of records) {
      const { logicalRequestId: id } = record;
      byRequest.set(id, [...(byRequest.get(id) ?? []), record]);
    }
    expect(byRequest.size).toBe(point.ledger.scheduled);
    for (const tries of byRequest.values()) {
      tries.sort((a, b) => a.attempt - b.attempt);
      expect(tries.map(({ attempt }) => attempt)).toEqual(tries.map((_, at) => at + 1));
      expect(tries.length).toBeLessThanOrEqual(4);
      for (const [at, record] of tries.entries()) {
        const before = tries[at - 1];
        if (before === undefined) continue;
        const asked = before.end?.kind === 'failed' ? (before.end.error?.retryAfterNs ?? 0) : 0;
        const leastNs = Math.max(asked, 50 * NS_PER_MS * 2 ** (at - 1));
        const endedNs = before.timeline?.bodyEndNs ?? before.timeline?.writtenNs ?? 0;
        expect(record.dispatch.plannedNs).toBeGreaterThanOrEqual(endedNs + leastNs);
        expect(record.dispatch.plannedNs).toBe(before.nextTryNs);
      }
    }

    const { tries, attainment, ledger } = point;
    expect(tries?.sent).toBe(records.length);
    expect(tries?.retried).toBe([...byRequest.values()].filter(({ length }) => length > 1).length);
    expect(tries?.ledger.refused).toBeGreaterThan(0);
    expect(ledger.completed).toBe(tries?.ledger.completed);
    expect(attainment.share).toBeGreaterThan(tries?.attainment.share ?? 1);
    // A user who was turned away once waited for a second at least.
    expect(point.ttftFromPlannedNs.max).toBeGreaterThan(NS_PER_SECOND);
    expect(JSON.stringify(manifest.spec)).toContain('attempts: 4');

    const judged = await runBuilt(['judge', 'run', '--format', 'json'], { cwd });
    expect((JSON.parse(judged.stdout) as Summary).points[0]?.tries).toEqual(tries);
  });

  it('counts tries against the budget', async () => {
    const url = await start({ faults: { ...NO_FAULTS, rules: [every(1, NAMED_FAULTS.bare503)] } });
    const cwd = emptyFolder();
    await runBuilt(
      ['run', url, '--rate', '10', '--requests', '10', '--duration', '5s', ...SMALL].concat([
        '--retry',
        'attempts=9,base=10ms',
        '--max-requests',
        '50',
        '--out',
        'run',
      ]),
      { cwd },
    );
    const { point, records } = readRun(join(cwd, 'run'));
    expect(records.filter(({ dispatch }) => dispatch.kind === 'sent')).toHaveLength(50);
    expect(point.tries?.sent).toBe(50);
  });
});

describe('limits of the provider', () => {
  it('that are declared refuse a plan beyond them before anything is sent', async () => {
    const url = await start({});
    const { exitCode, stderr } = await runBuilt(
      ['run', url, '--rate', '20', '--arrivals', 'constant', '--duration', '2m', ...SMALL].concat([
        '--quota',
        'rpm=500,tpm=200k,concurrent=40',
      ]),
    );
    expect(exitCode).toBe(2);
    expect(stderr).toContain('1,200 requests, and the quota allows 500');
    expect(stderr).toContain('send at most about 8.3/s');
    expect(emulator.stats()).toMatchObject({ completed: 0, rejected: 0 });
  });

  it('that the server tells are warned of, recorded and shown', async () => {
    const url = await start({ quota: { requests: 30, per: 'minute' } });
    const cwd = emptyFolder();
    const { stdout, stderr } = await runBuilt(
      ['run', url, '--rate', '15', '--arrivals', 'constant', '--duration', '3s', ...SMALL].concat([
        '--out',
        'run',
      ]),
      { cwd },
    );
    expect(stderr).toContain('the provider says 30 requests/min');
    expect(stdout).toContain('30 requests/min, least left 0');
    const { point, manifest, records } = readRun(join(cwd, 'run'));
    expect(point.limits).toMatchObject([
      { of: 'requests', per: 'minute', limit: 30, leastRemaining: 0 },
    ]);
    expect(point.ledger.refused).toBeGreaterThan(0);
    expect(manifest.preflight).toMatchObject({ limits: [{ of: 'requests', limitCount: 30 }] });
    expect(records[0]?.timeline?.limits).toMatchObject([{ of: 'requests', limitCount: 30 }]);
  });
});

describe('a model that thinks', () => {
  it('has a first output and a later first answer, each with a limit of its own', async () => {
    const url = await start({ reasoningTokens: 8 });
    const cwd = emptyFolder();
    const { stdout, exitCode } = await runBuilt(
      ['run', url, '--rate', '8', '--duration', '3s', ...SMALL, '--out', 'run'].concat([
        '--slo',
        'ttft<=5s, firstAnswer<=10s, p50(firstAnswer)<=10s, attainment>=90%',
      ]),
      { cwd },
    );
    expect([0, 4]).toContain(exitCode);
    expect(stdout).toContain('first answer from planned');
    const { point, records } = readRun(join(cwd, 'run'));
    const kinds = records[0]?.timeline?.output.kind ?? [];
    expect(kinds.filter((kind) => kind === 'reasoning')).toHaveLength(8);
    expect(kinds.filter((kind) => kind === 'answer')).toHaveLength(4);
    expect(records[0]?.timeline?.usage?.reasoningTokens).toBe(8);
    expect(point.firstAnswerFromPlannedNs.n).toBe(point.ttftFromPlannedNs.n);
    expect(point.firstAnswerFromPlannedNs.min).toBeGreaterThan(point.ttftFromPlannedNs.min ?? 0);
    const strict = await runBuilt(
      ['judge', 'run', '--slo', 'ttft<=5s, firstAnswer<=1us, attainment>=90%'],
      { cwd },
    );
    expect([3, 4]).toContain(strict.exitCode);
    expect(strict.stdout).toMatch(/Missed\s+first answer /);
  });
});
