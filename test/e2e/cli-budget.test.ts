/** From production logs to a blocked change: judge, budget and gate as a pipeline runs them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CommandOutcome, emptyFolder, runBuilt } from '../support/built-command.ts';

const SLO = ['--slo', 'ttft<=1s, attainment>=97%, success>=99%'];

/** A row of a gateway's log: `hour` of one day, fast unless told otherwise. */
function row(hour: number, second: number, change: object = {}): string {
  const started = new Date(Date.UTC(2026, 10, 20, hour, 0, second)).toISOString();
  const sound = { ttft: 200, total: 900, prompt: 500, status: 200, finish: 'stop' };
  return `${JSON.stringify({ started, ...sound, ...change })}\n`;
}

const MAPPING = `
start: { column: started, unit: iso }
ttft: { column: ttft, unit: ms }
e2e: { column: total, unit: ms }
promptTokens: prompt
status: status
finish: finish
`;

describe('from logs to a gate', { timeout: 60_000 }, () => {
  const cwd = emptyFolder();
  const goodput = (...args: readonly string[]) => runBuilt(args, { cwd });
  const judged = (...args: readonly string[]) =>
    goodput('judge', 'log.ndjson', '--mapping', 'map.yaml', ...SLO, ...args);

  let counted: CommandOutcome;

  beforeAll(async () => {
    const rows = Array.from({ length: 100 }, (_, at) => [row(8, at % 60), row(9, at % 60)]);
    rows.push([row(8, 1, { ttft: 1_500, total: 1_900 }), row(9, 2, { status: 500, ttft: null })]);
    // Cut off and late: a wrong answer, whatever its latency. Cut off in the larger bucket too.
    rows.push([row(9, 3, { finish: 'content_filter', ttft: 1_500, total: 1_900 })]);
    rows.push([row(9, 4, { finish: 'content_filter', prompt: 9_000 })]);
    rows.push([
      row(9, 5, { status: 500 }),
      row(9, 6, { status: 500 }),
      row(9, 7, { ttft: 1_001, total: 1_900 }),
    ]);
    writeFileSync(join(cwd, 'log.ndjson'), rows.flat().join(''));
    writeFileSync(join(cwd, 'map.yaml'), MAPPING);
    counted = await judged('--by', '1h,bucket', '--counts', 'counts.ndjson', '--format', 'json');
    writeFileSync(join(cwd, 'judgement.json'), counted.stdout);
  }, 60_000);

  it('counts each hour, its strata pooled, and why requests were bad', () => {
    const { exitCode, stderr } = counted;
    expect([exitCode, stderr]).toEqual([3, 'wrote counts.ndjson: counts of 2 windows\n']);
    const lines = readFileSync(join(cwd, 'counts.ndjson'), 'utf8').trimEnd().split('\n');
    const counts = { good: 100, excluded: 0, unjudged: 0 };
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        ...counts,
        windowStart: '2026-11-20T08:00:00Z',
        windowEnd: '2026-11-20T09:00:00Z',
        offered: 101,
        bad: 1,
        failed: 0,
        incorrect: 0,
      },
      {
        ...counts,
        windowStart: '2026-11-20T09:00:00Z',
        windowEnd: '2026-11-20T10:00:00Z',
        offered: 106,
        bad: 6,
        failed: 3,
        incorrect: 2,
      },
    ]);
  });

  it('gives counts and judgement the same budgets; the gate blocks on the overspent one', async () => {
    const budget = async (...args: readonly string[]) => {
      const { exitCode, stdout } = await goodput('budget', ...args, '--format', 'json');
      return { exitCode, statement: JSON.parse(stdout) as { budgets: readonly object[] } };
    };
    const ofCounts = await budget('counts.ndjson', ...SLO, '--quality', '99%');
    expect(ofCounts.exitCode).toBe(3);
    expect(ofCounts.statement.budgets).toMatchObject([
      { kind: 'attainment', bad: 7, offered: 207, targetShare: 0.97 },
      { kind: 'failures', bad: 3, targetShare: 0.99 },
      { kind: 'quality', bad: 2, targetShare: 0.99 },
    ]);
    expect(await budget('judgement.json', '--quality', '99%')).toEqual(ofCounts);
    const gate = await goodput('gate', '--budget', 'judgement.json');
    expect([gate.exitCode, gate.stdout.split('\n')[0]]).toEqual([3, 'BLOCKED']);
    // Another target than the logs were judged by: 7 of 207 are within it.
    const lenient = ['--slo', 'attainment>=90%', '--budget-left', '50%'];
    expect((await goodput('gate', '--budget', 'judgement.json', ...lenient)).exitCode).toBe(0);
  });

  it('says what is missing: a length of time, an objective', async () => {
    const untimed = await judged('--by', 'bucket', '--counts', 'none.ndjson');
    expect([untimed.exitCode, untimed.stderr]).toEqual([2, expect.stringContaining('--by 1h')]);
    const whole = await judged('--by', 'bucket', '--format', 'json');
    writeFileSync(join(cwd, 'whole.json'), whole.stdout);
    const noWindows = await goodput('budget', 'whole.json');
    expect([noWindows.exitCode, noWindows.stderr]).toEqual([
      2,
      expect.stringContaining('the judgement holds no windows of time'),
    ]);
    const zoned = await goodput('budget', 'counts.ndjson', ...SLO, '--time-zone', 'Europe/Berlin');
    expect([zoned.exitCode, zoned.stderr]).toEqual([2, expect.stringContaining('--calendar')]);
    const bare = await goodput('budget', 'counts.ndjson');
    expect([bare.exitCode, bare.stderr]).toEqual([2, expect.stringContaining('no objective')]);
  });
});
