import { Command } from 'commander';
import { expect, test } from 'vitest';
import { ProblemsError } from '../base/index.ts';
import type { CommandContext } from './context.ts';
import { judgeCommand } from './judge-command.ts';

/** What `goodput judge` finds wrong with its options, before it opens anything. */
async function refusals(...args: readonly string[]): Promise<readonly string[]> {
  const program = new Command();
  judgeCommand(program, {} as CommandContext, () => {});
  try {
    await program.parseAsync(['judge', ...args], { from: 'user' });
  } catch (error) {
    if (error instanceof ProblemsError) return error.problems.map(({ message }) => message);
    throw error;
  }
  return [];
}

const SLO = ['--slo', 'ttft<=1s'];

test.each<[readonly string[], readonly string[]]>([
  [
    ['run', '--by', '10m', '--least-count', '5', '--counts', 'c', '--format', 'csv'],
    ['--format csv', '--by', '--counts', '--least-count'].map(
      (flag) => `${flag} is for logs, and run is a run`,
    ),
  ],
  [['run', 'other', ...SLO], ['one run at a time, and not together with logs']],
  [
    ['run', '--as', 'vllm-bench', '--require-proof', '--log-format', 'x'],
    [
      '--log-format is for logs, and run is a run',
      '--require-proof does not go with --as, which gives no verdict',
    ],
  ],
  [
    ['run', '--spans', 's', '--as', 'vllm-bench', '--explain'],
    [
      '--explain does not go with --spans, which gives no verdict',
      '--as does not go with --spans, which gives no verdict',
    ],
  ],
  [['a.ndjson', '--spans', 's'], ['--spans goes with one run folder, and no logs']],
  [['a.parquet', '--as', 'vllm-bench'], ['Parquet does not go with --as']],
  [['a.ndjson', ...SLO, '--explain'], ['--explain is for a run, and these are logs']],
  [['a.ndjson', ...SLO, '--threads', '2'], ['--threads is for Parquet']],
  [['a.parquet', ...SLO, '--rejects', 'r'], ['--rejects is not for Parquet']],
  [
    ['a.ndjson', ...SLO, '--mapping', 'm', '--log-format', 'x'],
    ['--mapping says how the rows are read, so --log-format does not go with it'],
  ],
])('judge %j is refused', async (args, messages) => {
  expect(await refusals(...args)).toEqual(messages);
});
