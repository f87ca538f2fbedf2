/** Defects planted for real, each caught with its own reason; and a clean run, which raises none. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createRealClock, NS_PER_SECOND, VirtualClock } from '../../src/base/index.ts';
import { correctnessOf, type RunSpec, runSpecFromFlags } from '../../src/config/index.ts';
import { runExperiment, summariseRun } from '../../src/experiment/index.ts';
import type { Pacer } from '../../src/loadgen/index.ts';
import { openRun } from '../../src/store/index.ts';
import type { PointSummary, Summary } from '../../src/summary/index.ts';
import { emptyFolder, startCommand } from '../support/built-command.ts';
import { atSeconds, scheduleOf, startPoint } from '../support/point-run.ts';
import { pointOf, pointSummaryOf } from '../support/summary-builder.ts';

const stops: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** An emulator in a process of its own, so that what is done to this one is done to the client. */
async function emulator(...flags: readonly string[]): Promise<string> {
  const args = ['emulate', '--port', '0', '--format', 'json', ...flags];
  const { child, outcome } = startCommand(args);
  stops.push(() => {
    child.kill('SIGINT');
    return outcome;
  });
  const line = await Promise.race([
    new Promise<string>((resolve) => {
      child.stdout.once('data', (text: Buffer) => resolve(text.toString()));
    }),
    outcome.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  return (JSON.parse(line) as { url: string }).url;
}

function specOf(flags: Readonly<Record<string, string | boolean>>): RunSpec {
  const files = { env: {}, readFile: (path: string) => readFileSync(path, 'utf8') };
  const parsed = runSpecFromFlags({ input: '64', output: '24', exact: true, ...flags }, files);
  if (!('spec' in parsed)) throw new Error(JSON.stringify(parsed.problems));
  return parsed.spec;
}

async function measured(spec: RunSpec, dir = join(emptyFolder(), 'r')): Promise<Summary> {
  const result = await runExperiment(spec, {
    clock: createRealClock(),
    wallNowMs: () => Date.now(),
    readText: (path) => readFileSync(path, 'utf8'),
    apiKey: null,
    runId: 'planted',
    freshSeed: 1,
    toolVersion: 'test',
    dir,
    force: true,
    stopStarts: new AbortController().signal,
    cancelAll: new AbortController().signal,
    notify: () => {},
  });
  if (result === null) throw new Error('the run was interrupted');
  return result.summary;
}

function reasonOf(of: Pick<PointSummary, 'validity'>, check: string) {
  return of.validity.reasons.find((reason) => reason.check === check);
}

describe('defects planted in a run', () => {
  // Nothing is said of gathered events where the machine itself stood still for long: then again.
  it('a proxy that gathers events', { timeout: 60_000, retry: 2 }, async () => {
    const url = await emulator('--fault', 'bunching:1', '--speed-scale', '3');
    const summary = await measured(specOf({ url, rate: '8', duration: '2s' }));
    expect(reasonOf(summary, 'bunching')).toMatchObject({
      severity: 'warning',
      advice: expect.stringContaining('buffering off'),
    });
  });

  it('a loop with no time for its sockets', { timeout: 60_000 }, async () => {
    const url = await emulator();
    const busy = setInterval(() => {
      const untilMs = performance.now() + 60;
      while (performance.now() < untilMs);
    }, 65);
    const summary = await measured(specOf({ url, rate: '30', duration: '2s' }));
    clearInterval(busy);
    expect(summary.validity.valid).toBe(false);
    expect(reasonOf(summary, 'loopUtilisation')).toMatchObject({ severity: 'warning' });
    expect(reasonOf(summary, 'clientError')).toMatchObject({
      severity: 'invalid',
      message: expect.stringMatching(/^this client could move .* it stood still \d+ times/),
      advice: expect.stringMatching(/offer less load from this process|stop what else runs/),
    });
  });

  it('a cache that warms up while it is measured', { timeout: 60_000 }, async () => {
    const url = await emulator('--kv-blocks', '20000', '--prefix-caching', '--speed-scale', '0.5');
    const load = { rate: '20', duration: '4s', input: '640', prefix: 'shared:512x20' };
    const summary = await measured(specOf({ url, ...load }));
    expect(reasonOf(summary, 'cacheDrift')).toMatchObject({
      severity: 'invalid',
      advice: expect.stringContaining('--warmup'),
    });
  });

  it('a records file that lost its end, or a line', { timeout: 60_000 }, async () => {
    const url = await emulator('--speed-scale', '0.2');
    const dir = join(emptyFolder(), 'r');
    const spec = specOf({ url, rate: '20', duration: '2s' });
    expect(reasonOf(await measured(spec, dir), 'ledger')).toBeUndefined();
    const file = join(dir, 'records-0.ndjson');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const judgedWith = async (kept: readonly string[]): Promise<Summary> => {
      writeFileSync(file, `${kept.join('\n')}\n`);
      const options = { objective: null, correctness: correctnessOf(spec), toolVersion: 'test' };
      return summariseRun(await openRun(dir), options);
    };
    const cut = await judgedWith(lines.slice(0, -3));
    expect(reasonOf(cut, 'ledger')).toMatchObject({
      severity: 'invalid',
      message: expect.stringContaining('3 places of the schedule without a record'),
      advice: expect.stringContaining('every records file'),
    });
    expect((await judgedWith(lines.toSpliced(5, 1))).validity.valid).toBe(false);
    expect(reasonOf(await judgedWith(lines), 'ledger')).toBeUndefined();
  });
});

it('a pacer that is 3 % slow, in virtual time', async () => {
  const times = Array.from({ length: 200 }, (_, at) => 0.1 * at);
  const run = async (factor: number) => {
    const stopNs = 30 * NS_PER_SECOND;
    const clock = new VirtualClock();
    const pacer: Pacer = { at: (atNs, action) => clock.at(factor * atNs, action) };
    const answer = () => ({ latencyNs: NS_PER_SECOND / 20 });
    const { records, outcome } = startPoint(
      scheduleOf(atSeconds(...times), { stopNs }),
      answer,
      { pacer },
      clock,
    );
    await clock.runAll();
    await outcome;
    return pointSummaryOf(records, { points: [pointOf({ stopNs })] });
  };
  expect(reasonOf(await run(1), 'slowPacer')).toBeUndefined();
  expect(reasonOf(await run(1.03), 'slowPacer')).toMatchObject({
    severity: 'invalid',
    message: expect.stringMatching(/the load sent was [12]\.\d % below the one asked/),
    advice: expect.stringContaining('less load'),
  });
});

it('a clean run raises nothing but notes', { timeout: 60_000 }, async () => {
  const url = await emulator('--speed-scale', '3');
  const slo = 'ttft<=5s, tpot<=1s, attainment>=95%';
  const summary = await measured(specOf({ url, rate: '20', duration: '3.5s', slo }));
  expect(summary.validity.valid).toBe(true);
  expect(summary.validity.reasons.filter(({ severity }) => severity !== 'note')).toEqual([]);
});
