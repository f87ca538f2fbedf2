import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Asked } from '../../test/support/worker-process-entry.ts';
import { createRealClock } from '../base/index.ts';
import { startProcess, type WorkerProcess } from './worker-process.ts';

const ENTRY = new URL('../../test/support/worker-process-entry.ts', import.meta.url);

interface Started {
  readonly child: WorkerProcess<Asked>;
  /** What it said, and how it ended, in order. */
  readonly heard: unknown[];
  /** The next message, or the end. */
  next(): Promise<unknown>;
}

function start(): Started {
  const heard: unknown[] = [];
  let told: (message: unknown) => void = () => {};
  const hear = (message: unknown): void => {
    heard.push(message);
    told(message);
  };
  const child = startProcess<Asked, unknown>(ENTRY, {
    onMessage: hear,
    onEnd: (how) => hear({ how }),
  });
  return { child, heard, next: () => new Promise((resolve) => (told = resolve)) };
}

describe('a process of our own', () => {
  it('answers, and ends when it is closed', async () => {
    const { child, next } = start();
    const answer = next();
    child.send({ kind: 'echo', value: { text: 'ä', numbers: [1, null] } });
    expect(await answer).toEqual({ value: { text: 'ä', numbers: [1, null] } });
    await child.close();
    // Nobody is there any more: said to nobody, and no error.
    child.send({ kind: 'echo', value: 1 });
    await child.close();
  });

  it('is heard to its last word before its end is told', async () => {
    const { child, heard } = start();
    const ended = new Promise((resolve) => {
      const poll = (): void => void (heard.length >= 2 ? resolve(null) : setImmediate(poll));
      poll();
    });
    child.send({ kind: 'die', last: 'farewell' });
    await ended;
    expect(heard).toEqual([{ value: 'farewell' }, { how: 'was ended by SIGKILL' }]);
  });

  it('leaves the signals of a terminal to its parent', async () => {
    const { child, next } = start();
    const first = next();
    child.send({ kind: 'echo', value: 1 });
    await first;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(child.pid as number, signal);
    const second = next();
    child.send({ kind: 'echo', value: 2 });
    expect(await second).toEqual({ value: 2 });
    await child.close();
  });

  it('tells the error it died of', async () => {
    const { child, next } = start();
    const end = next();
    child.send({ kind: 'throw' });
    expect(await end).toEqual({ how: 'ended with code 1: Error' });
  });

  it('reads the same clock as its parent', async () => {
    const clock = createRealClock();
    const { child, next } = start();
    for (let reading = 0; reading < 20; reading += 1) {
      const answer = next();
      const beforeNs = clock.nowNs();
      child.send({ kind: 'clock', sharedOriginMs: clock.sharedOriginMs });
      const { nowNs: thereNs } = (await answer) as { readonly nowNs: number };
      expect(thereNs).toBeGreaterThan(beforeNs);
      expect(thereNs).toBeLessThan(clock.nowNs());
    }
    await child.close();
  });

  it.runIf(process.platform === 'linux')('does not outlive its parent', async () => {
    const path = fileURLToPath(new URL('../../test/support/parent-process.ts', import.meta.url));
    const parent = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(said.toString());
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    // Ends by this test's own time limit if the child lives on.
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

/** A process whose end nobody has asked for is no more alive for that. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
