/** `goodput pareto`: simulated, on a server that a command restarts, and from stored runs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import type { ParetoResult } from '../../src/planner/index.ts';
import { emptyFolder, runBuilt } from '../support/built-command.ts';

const LOAD = ['--concurrency', '4,32', '--duration', '20s', '--input', '256', '--output', '32'];

it('simulates batch × concurrency and draws the frontier again', { timeout: 60_000 }, async () => {
  const cwd = emptyFolder();
  const flags = ['--max-sequences', '2,32', '--exact', '--draws', '2', '--out', 'p'];
  const args = ['pareto', '--simulate', ...flags, ...LOAD, '--format', 'json', '--gpus', '4'];
  const { stdout, stderr, exitCode } = await runBuilt(args, { cwd });
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('of the frontier to draw again')]);
  const { points } = JSON.parse(stdout) as ParetoResult;
  expect(points.map(({ batch, level }) => [batch, level])).toEqual([
    [2, 4],
    [2, 32],
    [32, 4],
    [32, 32],
  ]);
  for (const { place, draws } of points) expect(draws).toBe(place === 'frontier' ? 2 : 1);
  const widest = points.find(({ batch, level }) => batch === 32 && level === 32);
  expect(widest).toMatchObject({ place: 'frontier' });
  expect(widest?.outputTokensPerSecondPerGpu).toBe((widest?.outputTokensPerSecond ?? 0) / 4);

  const runs = readdirSync(join(cwd, 'p')).map((name) => join('p', name));
  const again = await runBuilt(['pareto', ...runs, '--format', 'json'], { cwd });
  expect((JSON.parse(again.stdout) as ParetoResult).points.map(({ place }) => place)).toEqual(
    points.map(({ place }) => place),
  );
  const refused = await runBuilt(['pareto', ...runs, '--draws', '2'], { cwd });
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--draws does not go with stored runs'),
  });
});

it('restarts a server for every setting', { timeout: 60_000 }, async () => {
  const emulator = await startEmulator({ speedScale: 0.2 });
  const cwd = emptyFolder();
  const restart = 'echo $GOODPUT_MAX_SEQUENCES >> restarts';
  const server = ['--max-sequences', '4,8', '--restart', restart, '--draws', '1', '--out', 'p'];
  const load = ['--concurrency', '1', '--duration', '1s', '--input', '32', '--output', '8'];
  const outcome = await runBuilt(['pareto', emulator.url, ...server, ...load], { cwd });
  await emulator.close();
  expect(outcome).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^PARETO/) });
  expect(readFileSync(join(cwd, 'restarts'), 'utf8')).toBe('4\n8\n');
  expect(readdirSync(join(cwd, 'p')).toSorted()).toEqual(['batch-4-draw-1', 'batch-8-draw-1']);
});

it.each([
  [
    ['http://127.0.0.1:1', '--max-sequences', '4', '--rate', '1'],
    '--max-sequences needs --restart',
  ],
  [
    ['http://127.0.0.1:1', '--token-budget', '64', '--rate', '1'],
    '--token-budget needs --simulate',
  ],
  [['--simulate', '--restart', 'true', '--rate', '1'], '--restart does not go with --simulate'],
  [['--simulate', '--api', 'chat', '--rate', '1'], '--api does not go with --simulate'],
])('refuses what it would have to ignore: %s', async (args, message) => {
  expect(await runBuilt(['pareto', ...args])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(message),
  });
});
