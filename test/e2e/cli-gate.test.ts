/** `goodput gate` on runs: what blocks a change, what the log of a CI system then says. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, runBuilt } from '../support/built-command.ts';

const ASKED = ['--output', '64', '--slo', 'ttft<=500ms, tpot<=40ms, attainment>=95%'];
const MIX = ['--input', '512', ...ASKED];

describe('goodput gate on runs', { timeout: 120_000 }, () => {
  const cwd = emptyFolder();
  const gate = (...args: readonly string[]) => runBuilt(['gate', ...args], { cwd });
  const simulated = async (dir: string, ...args: readonly string[]): Promise<void> => {
    const load = ['--rate', '4', '--duration', '60s', '--out', dir];
    expect((await runBuilt(['simulate', ...args, ...load], { cwd })).exitCode).toBe(0);
  };

  beforeAll(async () => {
    await simulated('released', ...MIX);
    await simulated('slower', ...MIX, '--speed-scale', '1.3');
    await simulated('longer', '--input', '768', ...ASKED);
    const search = ['capacity', '--simulate', '--effort', 'smoke', '--out', 'capacity', ...MIX];
    expect((await runBuilt(search, { cwd })).exitCode).toBe(0);
  }, 120_000);

  it('blocks a run that is worse than its baseline, and says by how much', async () => {
    const files = ['--junit', 'gate.xml', '--step-summary', 'summary.md'];
    const { exitCode, stdout } = await gate('slower', '--baseline', 'released', ...files);
    expect([exitCode, stdout.split('\n')[0]]).toEqual([3, 'BLOCKED']);
    // Steps take 1.3 times as long, and a little more, because more requests then share each.
    expect(stdout).toMatch(/p50\(tpot\) \+3[0-4]\.\d % \(\+\d+\.\d … \+\d+\.\d %\)/);
    expect(readFileSync(join(cwd, 'gate.xml'), 'utf8')).toContain('failures="1"');
    expect(readFileSync(join(cwd, 'summary.md'), 'utf8')).toContain('## Gate: BLOCKED');
  });

  it('lets an equal run through, and asks for proof only where told to', async () => {
    const opened = await gate('released', '--baseline', 'released');
    expect([opened.exitCode, opened.stdout]).toEqual([0, expect.stringContaining('OPEN')]);
    const proof = await gate('released', '--baseline', 'released', '--require-proof');
    expect(proof.exitCode).toBe(6);
  });

  it('trusts no comparison of runs that were asked differently', async () => {
    const { exitCode, stdout } = await gate('longer', '--baseline', 'released');
    expect([exitCode, stdout.split('\n')[0]]).toEqual([4, expect.stringContaining('INVALID')]);
    expect(stdout).toContain('asked differently');
  });

  it('warns of a capacity that was measured on another mix, or blocks on it', async () => {
    const fresh = await gate('released', '--capacity', 'capacity');
    expect([fresh.exitCode, fresh.stdout.split('\n')[0]]).toEqual([0, 'OPEN']);
    const stale = await gate('longer', '--capacity', 'capacity');
    expect([stale.exitCode, stale.stdout]).toEqual([
      0,
      expect.stringContaining('mix.input.tokens was 512, is 768'),
    ]);
    const refused = await gate('longer', '--capacity', 'capacity', '--refuse-stale');
    expect([refused.exitCode, refused.stdout.split('\n')[0]]).toEqual([3, 'BLOCKED']);
  });

  it('writes nothing when it cannot decide, and says what is missing', async () => {
    const { exitCode, stderr } = await gate('slower', '--junit', 'none.xml');
    expect([exitCode, existsSync(join(cwd, 'none.xml'))]).toEqual([2, false]);
    expect(stderr).toContain('add --baseline, --budget or --capacity');
    const unasked = ['--refuse-stale', '--at', '2026-11-30T00:00:00Z'];
    const ignored = await gate('slower', '--baseline', 'released', ...unasked);
    expect([ignored.exitCode, ignored.stderr]).toEqual([
      2,
      expect.stringMatching(/--at is for --budget[^]*--refuse-stale is for --capacity/),
    ]);
    const unseen = await gate('slower', '--budget', 'counts.ndjson');
    expect([unseen.exitCode, unseen.stderr]).toEqual([
      2,
      expect.stringContaining('nothing is asked of the run'),
    ]);
    const gone = await gate('slower', '--baseline', 'nowhere');
    expect(gone.exitCode).not.toBe(0);
    expect(gone.stderr).toContain('nowhere');
  });
});
