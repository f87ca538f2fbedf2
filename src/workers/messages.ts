/** What passes between a thread and whoever started it. All of it can be cloned. */
import {
  assertNever,
  EnvironmentError,
  type ErrorCode,
  InvariantError,
  type Problem,
  ProblemsError,
} from '../base/index.ts';

export type ToWorker<Job> =
  | { readonly kind: 'job'; readonly job: Job }
  /** Wind the job down; the second time, at once. */
  | { readonly kind: 'stopStarts' }
  | { readonly kind: 'cancelAll' };

export type FromWorker<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: SentError };

/** An error whose class outlives the way: clones of errors are plain ones. */
export type SentError =
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] }
  | {
      readonly kind: 'environment';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string | null;
    }
  | { readonly kind: 'other'; readonly message: string; readonly stack: string };

export function sentError(error: unknown): SentError {
  if (error instanceof ProblemsError) return { kind: 'problems', problems: error.problems };
  if (error instanceof EnvironmentError) {
    const { code, message, hint } = error;
    return { kind: 'environment', code, message, hint };
  }
  return error instanceof Error
    ? { kind: 'other', message: error.message, stack: error.stack ?? '' }
    : { kind: 'other', message: String(error), stack: '' };
}

/** The error again; of a bug, with the name of the job that met it. */
export function receivedError(sent: SentError, jobName: string): Error {
  switch (sent.kind) {
    case 'problems':
      return new ProblemsError(sent.problems);
    case 'environment': {
      const { code, message, hint } = sent;
      return new EnvironmentError({ code, message, ...(hint === null ? {} : { hint }) });
    }
    case 'other': {
      const cause = new Error(sent.message);
      cause.stack = sent.stack;
      return new InvariantError(`${jobName}: ${sent.message}`, { cause });
    }
    default:
      return assertNever(sent);
  }
}
