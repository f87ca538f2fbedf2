import { Command } from 'commander';
import { expect, test } from 'vitest';
import { ProblemsError } from '../base/index.ts';
import { SERVICE_KEYS } from '../config/index.ts';
import { OptionReader } from './option-reader.ts';
import {
  addPoolOptions,
  type PoolFlags,
  readAutoscaling,
  readDecodeOptions,
} from './simulate-pools.ts';
import { addServiceOptions } from './simulate-spec.ts';

function problemsOf(...args: readonly string[]): string[] {
  const flags = addPoolOptions(new Command()).parse(args, { from: 'user' }).opts<PoolFlags>();
  const reader = new OptionReader();
  readDecodeOptions(flags, reader);
  readAutoscaling(flags, 1, reader);
  try {
    reader.finish();
  } catch (error) {
    if (error instanceof ProblemsError) return error.problems.map(({ message }) => message);
    throw error;
  }
  return [];
}

test('the service section of a run file has every flag of the service, and no other', () => {
  const names = addServiceOptions(new Command()).options.map((option) => option.attributeName());
  const unwritten = new Set(['method']);
  expect([...SERVICE_KEYS].toSorted()).toEqual(
    names.filter((name) => !unwritten.has(name)).toSorted(),
  );
});

const SCALED = ['--autoscale', 'in-flight:8', '--max-replicas', '4', '--provision-delay', '90s'];
const APART = ['--decode-replicas', '2', '--transfer-bandwidth', '25GB/s'];

test('what is needed is enough', () => {
  expect(problemsOf(...SCALED)).toEqual([]);
  expect(problemsOf(...APART)).toEqual([]);
});

test.each([
  [['--autoscale', 'in-flight:8'], '--autoscale needs --max-replicas'],
  [['--autoscale', 'in-flight:8'], '--autoscale needs --provision-delay'],
  [['--autoscale', 'queue:8'], '--autoscale queue:8 is not a metric and its target'],
  [['--provision-delay', '90s'], '--provision-delay needs --autoscale'],
  [[...SCALED, '--min-replicas', '2'], '--replicas 1 at the start lies outside 2 to 4'],
  [['--decode-replicas', '2'], '--decode-replicas needs --transfer-bandwidth'],
  [['--first-token', 'decode'], '--first-token needs --decode-replicas'],
  [[...APART, ...SCALED], '--autoscale and --decode-replicas together are not simulated'],
  [
    ['--decode-replicas', '2', '--transfer-bandwidth', '25Gbit/s'],
    '--transfer-bandwidth 25Gbit/s is not a rate of bytes',
  ],
])('%j: %s', (args, message) => {
  expect(problemsOf(...args)).toContain(message);
});
