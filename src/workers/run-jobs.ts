/** Jobs on worker threads: results in the order of the jobs, whichever thread came first. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { InvariantError } from '../base/index.ts';
import { type FromWorker, receivedError, type ToWorker } from './messages.ts';

export interface RunJobsOptions<Job, Result> {
  /** A module beside the caller that calls `serveJobs`. */
  readonly entry: URL;
  readonly jobs: readonly Job[];
  /** Threads at most. ≥ 1. */
  readonly threads: number;
  /** Names a job in an error. */
  readonly nameOf: (job: Job) => string;
  /** Ends all starts, here and in the jobs under way. */
  readonly stopStarts: AbortSignal;
  readonly cancelAll: AbortSignal;
  readonly onStart: (job: Job, index: number) => void;
  /** In the order in which jobs end. */
  readonly onDone: (result: Result, index: number) => void;
}

/** Threads that can run at once on this machine. */
export function coreCount(): number {
  return availableParallelism();
}

/**
 * Does every job on a thread and gives the results in the order of the jobs; `null` for those not
 * started before `stopStarts` or `cancelAll`.
 *
 * Errors: the first that a job threw, after the other threads were ended; an `InvariantError` with
 * the job's name for a bug and for a thread that died.
 */
export async function runJobs<Job, Result>(
  options: RunJobsOptions<Job, Result>,
): Promise<(Result | null)[]> {
  const { jobs, threads } = options;
  const results: (Result | null)[] = jobs.map(() => null);
  const pending = jobs.entries();
  const workers: WorkerThread<Job, Result>[] = [];
  const serve = async (): Promise<void> => {
    const worker = new WorkerThread<Job, Result>(options.entry);
    workers.push(worker);
    for (const [index, job] of pending) {
      if (options.stopStarts.aborted || options.cancelAll.aborted) return;
      options.onStart(job, index);
      const result = await worker.run(job, options.nameOf(job));
      results[index] = result;
      options.onDone(result, index);
    }
  };
  const stop = (): void => workers.forEach((worker) => worker.tell({ kind: 'stopStarts' }));
  const cancel = (): void => workers.forEach((worker) => worker.tell({ kind: 'cancelAll' }));
  options.stopStarts.addEventListener('abort', stop);
  options.cancelAll.addEventListener('abort', cancel);
  try {
    await Promise.all(Array.from({ length: Math.min(threads, jobs.length) }, serve));
    return results;
  } finally {
    options.stopStarts.removeEventListener('abort', stop);
    options.cancelAll.removeEventListener('abort', cancel);
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

class WorkerThread<Job, Result> {
  readonly #worker: Worker;
  /** Settles the job under way; by a thread that dies idle, the next one. */
  #settle:
    | ((answer: FromWorker<Result> | { readonly kind: 'died'; error: unknown }) => void)
    | null = null;
  #death: { readonly error: unknown } | null = null;

  constructor(entry: URL) {
    this.#worker = new Worker(entry);
    this.#worker.on('message', (message: FromWorker<Result>) => this.#settle?.(message));
    this.#worker.on('error', (error) => this.#die(error));
    this.#worker.on('exit', (code) => this.#die(new Error(`the thread ended with code ${code}`)));
  }

  run(job: Job, name: string): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#settle = (answer) => {
        this.#settle = null;
        if (answer.kind === 'done') resolve(answer.result);
        else if (answer.kind === 'failed') reject(receivedError(answer.error, name));
        else reject(new InvariantError(`${name}: its thread died`, { cause: answer.error }));
      };
      if (this.#death === null) this.tell({ kind: 'job', job });
      else this.#settle({ kind: 'died', ...this.#death });
    });
  }

  tell(message: ToWorker<Job>): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    this.#worker.postMessage(message);
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #die(error: unknown): void {
    this.#death ??= { error };
    this.#settle?.({ kind: 'died', ...this.#death });
  }
}
