/** A process of our own that is talked to as long as both live, and ends with its parent. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { assert } from '../base/index.ts';

export interface WorkerProcess<Sent> {
  /** The process's number, for whoever looks for it; `null` when it could not be started. */
  readonly pid: number | null;
  /** Messages to a process that has ended go nowhere: its end is told apart. */
  send(message: Sent): void;
  /** Ends the process, by closing the channel. */
  close(): Promise<void>;
}

export interface ProcessListener<Received> {
  readonly onMessage: (message: Received) => void;
  /** The process ended, by itself or killed: after its last message, once, with how in words. */
  readonly onEnd: (how: string) => void;
}

/** Starts the module `entry`, which calls {@link serveParent}. What is sent can be cloned. */
export function startProcess<Sent extends object, Received>(
  entry: URL,
  { onMessage, onEnd }: ProcessListener<Received>,
): WorkerProcess<Sent> {
  const child = fork(fileURLToPath(entry), [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let lastWords = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-LAST_WORDS);
  });
  child.on('message', (message) => onMessage(message as Received));
  let failure: string | null = null;
  child.on('error', (error) => (failure ??= error.message));
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  // Not at its exit: what the process said before it died may still be on its way.
  child.once('close', () => onEnd(failure ?? endOf(child, lastWords)));
  return {
    pid: child.pid ?? null,
    send: (message) => void child.send(message, () => {}),
    async close() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

const LAST_WORDS = 2_000;

function endOf({ signalCode, exitCode }: ChildProcess, lastWords: string): string {
  const end = signalCode === null ? `ended with code ${exitCode}` : `was ended by ${signalCode}`;
  // Its name alone: the message of an error may hold what a server said.
  const error = /^(?:\w*Error\b|FATAL ERROR: .*)/m.exec(lastWords)?.[0];
  return error === undefined ? end : `${end}: ${error}`;
}

/**
 * Makes this process hear its parent: to be called by a module that {@link startProcess} names.
 * Returns what sends an answer. When the parent is gone, or closes the channel, this process ends
 * at once, and whatever it had open with it. Signals that a terminal sends to all processes of a
 * command are for the parent to obey.
 */
export function serveParent(onMessage: (message: never) => void): (message: object) => void {
  assert(process.connected, 'a parent is served by a process that one started');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit());
  process.on('message', (message) => onMessage(message as never));
  return (message) => void process.send?.(message, () => {});
}
