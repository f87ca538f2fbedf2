import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOMY_SERVICE } from '../../test/support/simulated-point.ts';
import { correctnessOf, runSpecFromFlags, type RunSpec } from '../config/index.ts';
import { openRun } from '../store/index.ts';
import { simulateRun, SIMULATED_URL, type SimulationPorts } from './simulate-run.ts';
import { summariseRun } from './summarise-run.ts';

const parent = mkdtempSync(join(tmpdir(), 'goodput-simulate-'));
afterAll(() => rmSync(parent, { recursive: true }));

function specOf(flags: Readonly<Record<string, string>>): RunSpec {
  const parsed = runSpecFromFlags(
    {
      url: SIMULATED_URL,
      duration: '10s',
      input: 'lognormal:300,0.6,max=2000',
      output: '40',
      exact: true,
      slo: ['ttft<=100ms,tpot<=10ms,attainment>=95%'],
      ...flags,
    },
    { env: {}, readFile: () => '' },
  );
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.spec;
}

let runs = 0;
async function simulate(flags: Readonly<Record<string, string>>, more: Partial<SimulationPorts>) {
  const spec = specOf(flags);
  runs += 1;
  const dir = join(parent, String(runs));
  const result = await simulateRun(
    spec,
    { service: ROOMY_SERVICE, description: {} },
    {
      readText: () => '',
      toolVersion: 'test',
      dir,
      force: false,
      startedAt: '2026-01-01T00:00:00.000Z',
      stopStarts: new AbortController().signal,
      cancelAll: new AbortController().signal,
      notify: () => {},
      ...more,
    },
  );
  const files = Object.fromEntries(
    readdirSync(dir).map((name) => [name, readFileSync(join(dir, name), 'utf8')]),
  );
  return { spec, dir, files, result };
}

describe('a simulated sweep', () => {
  it('leaves the same bytes on one thread and on several', async () => {
    const flags = { rate: '2,8,20' };
    const one = await simulate(flags, { threads: 1, keepsSteps: true });
    const two = await simulate(flags, { threads: 2, keepsSteps: true });
    expect(Object.keys(one.files).toSorted()).toEqual([
      'manifest.json',
      'records-0.ndjson',
      'records-1.ndjson',
      'records-2.ndjson',
      'schedule.ndjson',
      'simulation.json',
      'steps-0.ndjson',
      'steps-1.ndjson',
      'steps-2.ndjson',
      'summary.json',
    ]);
    expect(two.files).toEqual(one.files);
    expect(two.result).toEqual(one.result);
    expect(one.result.reached.engine.sequences).toBeGreaterThan(1);
  });

  it('keeps its steps only when asked, and reads them back', async () => {
    const without = await simulate({ rate: '2' }, { threads: 1 });
    expect(await (await openRun(without.dir)).steps(0)).toBeNull();
    const one = await simulate({ rate: '2,8' }, { threads: 1, keepsSteps: true });
    const run = await openRun(one.dir);
    const log = await run.steps(1);
    expect(one.files['steps-1.ndjson']?.split('\n')).toHaveLength((log?.rows.length ?? 0) + 2);
    expect(log).toMatchObject({ cutNs: null });
    expect(await run.steps(2)).toBeNull();
    writeFileSync(join(one.dir, 'steps-0.ndjson'), '{"rowCount":1,"cutNs":null}\n{"pool":"x"}\n');
    await expect(run.steps(0)).rejects.toMatchObject({
      problems: [{ code: 'E_RUN_FORMAT', place: { line: 2 } }],
    });
  });

  it.each<Readonly<Record<string, string>>>([
    { rate: '2,20', warmup: '5s' },
    { concurrency: '3', requests: '10' },
    { users: '3', think: '1s' },
  ])('is summarised on the way as from its records: %o', async (flags) => {
    const { spec, dir, result } = await simulate(flags, { threads: 1 });
    const again = await summariseRun(await openRun(dir), {
      objective: spec.objective,
      correctness: correctnessOf(spec),
      toolVersion: 'test',
    });
    expect(result.summary).toEqual(again);
    expect(result.summary.points[0]?.ledger.completed).toBeGreaterThan(3);
  });

  it('keeps finished points when it is stopped', async () => {
    const stop = new AbortController();
    let started = 0;
    const { result, files } = await simulate(
      { rate: '2,3,4,5' },
      {
        threads: 1,
        stopStarts: stop.signal,
        notify({ kind }) {
          if (kind === 'pointStarted') started += 1;
          if (started === 3) stop.abort();
        },
      },
    );
    expect(result.interrupted).toBe(true);
    expect(result.summary.points.map(({ partial }) => partial)).toEqual([false, false, true]);
    expect(files['records-3.ndjson']).toBeUndefined();
  });
});
