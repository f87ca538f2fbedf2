import { describe, expect, it } from 'vitest';
import { EnvironmentError, InvariantError, ProblemsError, usageProblem } from '../base/index.ts';
import { receivedError, sentError } from './messages.ts';
import { runJobs } from './run-jobs.ts';

const ENTRY = new URL('../../test/support/worker-thread.ts', import.meta.url);

function run(values: readonly (number | 'fail' | 'die' | 'wait')[], threads = 2) {
  const stop = new AbortController();
  const started: number[] = [];
  const done: number[] = [];
  const results = runJobs<{ value: (typeof values)[number] }, number>({
    entry: ENTRY,
    jobs: values.map((value) => ({ value })),
    threads,
    nameOf: ({ value }) => `the job of ${value}`,
    stopStarts: stop.signal,
    cancelAll: new AbortController().signal,
    onStart(job, index) {
      started.push(index);
      if (job.value === 'wait') stop.abort();
    },
    onDone: (_result, index) => done.push(index),
  });
  return { results, started, done };
}

describe('jobs on threads', () => {
  it('give their results in the order of the jobs', async () => {
    const { results, started, done } = run([5, 1, 4, 2, 3]);
    expect(await results).toEqual([10, 2, 8, 4, 6]);
    expect(new Set(started)).toEqual(new Set([0, 1, 2, 3, 4]));
    expect(new Set(done)).toEqual(new Set([0, 1, 2, 3, 4]));
  });

  it('are told to stop, and the rest is not started', async () => {
    const { results } = run([5, 'wait', 7], 1);
    expect(await results).toEqual([10, -1, null]);
  });

  it('that fail, or whose thread dies, are named', async () => {
    await expect(run([1, 'fail']).results).rejects.toThrow('the job of fail: no such number');
    await expect(run([1, 'die']).results).rejects.toThrow('the job of die: its thread died');
  });
});

it('errors keep their class on the way', () => {
  const there = (error: Error) => receivedError(structuredClone(sentError(error)), 'job');
  const problems = there(new ProblemsError([usageProblem('E_UNSUPPORTED', 'no')]));
  expect(problems).toBeInstanceOf(ProblemsError);
  expect(problems.message).toBe('no [E_UNSUPPORTED]');
  const full = there(new EnvironmentError({ code: 'E_FILE_WRITE', message: 'full', hint: 'tidy' }));
  expect(full).toBeInstanceOf(EnvironmentError);
  expect(full).toMatchObject({ code: 'E_FILE_WRITE', hint: 'tidy' });
  expect(there(new TypeError('oh'))).toBeInstanceOf(InvariantError);
});
