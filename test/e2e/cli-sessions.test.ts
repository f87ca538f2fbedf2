/** Sessions end to end: simulated, and against an emulator with a prefix cache. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import type { SessionsSummary, Summary } from '../../src/summary/index.ts';
import { emptyFolder, runBuilt } from '../support/built-command.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

function sessionsOf(dir: string): SessionsSummary {
  const summary = JSON.parse(readFileSync(join(dir, 'summary.json'), 'utf8')) as Summary;
  const sessions = summary.points[0]?.sessions ?? null;
  if (sessions === null) throw new Error('no sessions in the summary');
  return sessions;
}

const p50 = ({ turns }: SessionsSummary, name: string): number =>
  turns.find((turn) => turn.name === name)?.ttftFromPlannedNs.quantiles[0]?.value ?? Number.NaN;

const cached = ({ turns }: SessionsSummary, name: string): number | null =>
  turns.find((turn) => turn.name === name)?.cachedTokenShare ?? null;

async function simulated(...args: readonly string[]) {
  const cwd = emptyFolder();
  const outcome = await runBuilt(['simulate', ...args, '--out', 'r', '--quiet'], { cwd });
  return { ...outcome, dir: join(cwd, 'r') };
}

describe('goodput simulate on sessions', () => {
  const SHORT = ['--duration', '2m', '--warmup', '30s'];
  const CONVERSATIONS = [`${EXAMPLES}sessions.yaml`, '--kv-blocks', '20000', ...SHORT];

  it('answers later turns far sooner when there is a prefix cache, and is judged by the session', async () => {
    const with_ = await simulated(...CONVERSATIONS, '--prefix-caching');
    const without = await simulated(...CONVERSATIONS, '--history', 'planned');
    expect([with_.exitCode, without.exitCode]).toEqual([0, 3]);
    expect(with_.stdout).toMatch(/^Sessions .*with every turn good/m);
    expect(with_.stdout).toMatch(/^Turns {4}TTFT p50 .* first, .* later · good/m);
    const [warm, cold] = [sessionsOf(with_.dir), sessionsOf(without.dir)];
    // By 1/s and five turns of 50 s in the mean: the same sessions, of which few are good without.
    expect(warm.begun).toBe(cold.begun);
    expect(cached(warm, 'later')).toBeGreaterThan(0.9);
    expect(cached(cold, 'later')).toBeNull();
    expect(p50(cold, 'later')).toBeGreaterThan(5 * p50(warm, 'later'));
    expect(p50(warm, 'later')).toBeLessThan(p50(warm, 'first'));
    expect(p50(cold, 'later')).toBeGreaterThan(p50(cold, 'first'));
    expect(warm.attainment.share).toBeGreaterThan(0.9);
    expect(cold.attainment.share).toBeLessThan(0.3);

    // Judged again by another objective, without traffic.
    const { dir } = with_;
    const slo = 'ttft<=15ms, attainment>=50%';
    const judged = await runBuilt(['judge', dir, '--slo', slo, '--format', 'json', '--quiet']);
    const again = (JSON.parse(judged.stdout) as Summary).points[0]?.sessions;
    expect(again?.begun).toBe(warm.begun);
    // First turns miss it oftener than later ones, and a session needs both.
    const shares = again?.turns.slice(0, 2).map(({ attainment }) => attainment.share ?? 0) ?? [];
    expect(shares[0]).toBeLessThan(shares[1] ?? 0);
    expect(again?.attainment.share).toBeLessThan(shares[0] ?? 0);
    const md = await runBuilt(['judge', dir, '--format', 'md', '--quiet']);
    expect(md.stdout).toContain('### Sessions');
    expect(md.stdout).toMatch(/^\| turns 4–7 \|/m);
  });

  it('runs a trace of agents: branches beside one another, joins after both', async () => {
    const args = [`${EXAMPLES}agents.yaml`, '--kv-blocks', '20000', '--duration', '90s'];
    const { exitCode, dir } = await simulated(...args, '--prefix-caching');
    expect(exitCode).toBe(0);
    const sessions = sessionsOf(dir);
    // The three sessions of the file in turn: 4, 3 and 4 calls.
    expect(Math.abs((sessions.turnsMean ?? 0) - 11 / 3)).toBeLessThan(0.1);
    expect(sessions.turnsMost).toBe(4);
    expect(cached(sessions, 'first')).toBe(0);
  });

  it('refuses real answers where none are made, and says what to do', async () => {
    const args = ['--turns', '2', '--session-rate', '1', '--think', '1s', '--history', 'answers'];
    const { exitCode, stderr } = await simulated(...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--exact')]);
  });
});

describe('goodput run on sessions', () => {
  const LOAD = ['--turns', '4', '--session-rate', '3', '--think', '100ms', '--duration', '4s'];
  const LENGTHS = ['--input', '200', '--follow-up', '40', '--output', '64', '--system', '500'];

  async function measured(url: string, ...args: readonly string[]) {
    const cwd = emptyFolder();
    const flags = [...LOAD, ...LENGTHS, '--exact', '--slo', 'ttft<=5s, attainment>=50%'];
    const outcome = await runBuilt(['run', url, ...flags, ...args, '--out', 'r', '--quiet'], {
      cwd,
    });
    return { ...outcome, dir: join(cwd, 'r') };
  }

  it('finds its past in the cache, and the real answers as well where prompts repeat them', async () => {
    const emulator = await startEmulator({
      prefixCaching: true,
      kvBlocks: 20_000,
      speedScale: 0.2,
    });
    try {
      const planned = await measured(emulator.url);
      const answers = await measured(emulator.url, '--history', 'answers');
      const [without, with_] = [planned.dir, answers.dir].map(sessionsOf) as [
        SessionsSummary,
        SessionsSummary,
      ];
      // By blocks of 16 of the prompt before, 740 + 104 (n − 1) tokens or so, and of its answer too.
      expect(cached(without, 'turn 2')).toBeGreaterThan(0.8);
      expect(cached(without, 'turn 2')).toBeLessThan(0.88);
      expect(cached(with_, 'turn 2')).toBeGreaterThan(0.9);
      for (const { dir, stdout } of [planned, answers]) {
        expect(stdout).toMatch(/^Sessions /m);
        expect(readFileSync(join(dir, 'records-0.ndjson'), 'utf8')).not.toContain('historyPlanned');
      }
    } finally {
      await emulator.close();
    }
  });

  it('never writes what the server said', async () => {
    const emulator = await startEmulator({ speedScale: 0.2 });
    try {
      const { dir } = await measured(emulator.url, '--history', 'answers', '--requests', '8');
      // Answers and prompts are words with blanks between, which nothing else there is.
      for (const name of readdirSync(dir).filter((one) => /^(?:records|schedule)/.test(one))) {
        expect(readFileSync(join(dir, name), 'utf8')).not.toMatch(/[a-z]+(?: [a-z]+){3}/);
      }
    } finally {
      await emulator.close();
    }
  });
});
