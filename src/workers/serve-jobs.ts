import { parentPort } from 'node:worker_threads';
import { assert } from '../base/index.ts';
import { type FromWorker, sentError, type ToWorker } from './messages.ts';

/** How a job learns that it should end early. */
export interface JobSignals {
  readonly stopStarts: AbortSignal;
  readonly cancelAll: AbortSignal;
}

/**
 * Makes this thread do jobs, one after another, until it is terminated. To be called by a module
 * that `runJobs` names; must not be called outside a worker thread.
 */
export function serveJobs<Result>(
  work: (job: never, signals: JobSignals) => Promise<Result>,
): void {
  const port = parentPort;
  assert(port !== null, 'jobs are served in a worker thread');
  const stop = new AbortController();
  const cancel = new AbortController();
  const answer = (message: FromWorker<Result>): void => port.postMessage(message);
  port.on('message', (message: ToWorker<never>) => {
    if (message.kind === 'stopStarts') stop.abort();
    else if (message.kind === 'cancelAll') cancel.abort();
    else {
      work(message.job, { stopStarts: stop.signal, cancelAll: cancel.signal }).then(
        (result) => answer({ kind: 'done', result }),
        (error: unknown) => answer({ kind: 'failed', error: sentError(error) }),
      );
    }
  });
}
