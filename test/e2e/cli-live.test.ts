/** The live view as a user sees it: under a terminal, a narrow and a dumb one, and none. */
import { spawn, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fileURLToPath } from 'node:url';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { progressEventSchema } from '../../src/report/index.ts';
import { emptyFolder, runBuilt } from '../support/built-command.ts';
import { FakeTerminal } from '../support/fake-terminal.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** A pseudo-terminal is made by `script` of util-linux. */
const onTerminal = it.skipIf(
  !(spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false),
);
// eslint-disable-next-line no-control-regex -- control sequences are the point
const CONTROL = /\u001b\[[\d;]*[A-Za-z]|\n/g;

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ speedScale: 0.05 });
});
afterAll(() => emulator.close());

/** Two points of a second each. */
const load = (): string[] =>
  `run ${emulator.url} --rate 10,20 --duration 1s --drain 5s --input 64 --output 16 --exact --slo ttft<=5s,attainment>=95% --out out`.split(
    ' ',
  );

/** Everything the command writes under a pseudo-terminal of `columns`. */
async function underTerminal(
  columns: number,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const words = [process.execPath, MAIN, ...load()].map((word) => `'${word}'`).join(' ');
  const command = `stty cols ${columns} rows 40; exec ${words}`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: emptyFolder(),
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  await new Promise((resolve) => {
    child.on('close', resolve);
  });
  return output;
}

onTerminal('is redrawn in place and leaves the ended points and the report', async () => {
  const output = await underTerminal(70);
  expect(output).toContain('\u001b[4A');
  // No mode of the terminal is changed, so none needs to be restored.
  expect(output).not.toContain('\u001b[?');
  const terminal = new FakeTerminal(70);
  terminal.write(output);
  const screen = terminal.screen.join('\n');
  expect(screen).toContain('1/2 open loop, Poisson 10/s: ');
  expect(screen).toContain('2/2 open loop, Poisson 20/s: ');
  expect(screen).not.toContain('requests    ');
  expect(screen).toContain('Files    out');
});

onTerminal('fits 40 columns and has no colour with NO_COLOR', async () => {
  const output = await underTerminal(40, { NO_COLOR: '1' });
  const drawn = output.split('\r').filter((part) => part.includes('\u001b[K'));
  expect(drawn.length).toBeGreaterThan(5);
  for (const line of drawn) expect(line.replaceAll(CONTROL, '').length).toBeLessThan(40);
  expect(output).not.toContain('\u001b[3');
});

onTerminal('draws nothing on a dumb terminal', async () => {
  expect(await underTerminal(80, { TERM: 'dumb' })).not.toContain('\u001b[');
});

it('writes sound events for machines, one a line, from the plan to the summary', async () => {
  const { stderr, exitCode } = await runBuilt([...load(), '--progress', 'json']);
  expect(exitCode).toBe(0);
  const events = stderr
    .trimEnd()
    .split('\n')
    .map((line) => progressEventSchema.parse(JSON.parse(line)));
  expect(events[0]).toMatchObject({ event: 'planned', schemaVersion: 1 });
  const ended = events.filter((event) => event.event === 'pointEnded');
  expect(ended.map(({ point }) => point)).toEqual([1, 2]);
  for (const { scheduled, ended: done, dropped, inFlight } of ended) {
    expect({ done: done + dropped, inFlight }).toEqual({ done: scheduled, inFlight: 0 });
  }
  expect(events.at(-1)).toEqual({ event: 'summarising' });
});

it('refuses --quiet beside --progress', async () => {
  const { exitCode, stderr } = await runBuilt(['demo', '--quiet', '--progress', 'json']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("cannot be used with option '--quiet'");
});
