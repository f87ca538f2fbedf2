import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { ProblemsError } from '../base/index.ts';
import { DEFAULT_EMULATOR_OPTIONS, type EmulatorOptions } from '../emulator/index.ts';
import { faultShare, NO_FAULTS } from '../faults/index.ts';
import { addEmulatorFlags, readEmulatorFlags } from './emulator-flags.ts';

const FILES: Readonly<Record<string, string>> = {
  'cert.pem': 'no certificate',
  'key.pem': 'no key',
  'good.yaml': 'faults: [{ fault: gzip, every: 3 }]\nrestarts: [{ from: 1s, to: 2s }]',
  'bad.yaml': 'faults: [{ fault: gzp }]\nslow: []',
};

function read(...flags: string[]): Partial<EmulatorOptions> {
  const command = addEmulatorFlags(new Command()).parse(flags, { from: 'user' });
  return readEmulatorFlags(command, { env: {}, readFile: (path) => FILES[path] ?? '' });
}

function problems(...flags: string[]): readonly string[] {
  try {
    read(...flags);
  } catch (error) {
    if (error instanceof ProblemsError) return error.problems.map(({ message }) => message);
  }
  return [];
}

test('without flags an emulator is the default one, on the port servers like it use', () => {
  expect(read()).toEqual({ ...DEFAULT_EMULATOR_OPTIONS, port: 8_000 });
});

test('every part of the scheduler can be set', () => {
  const flags =
    '--policy priority --long-prefill-threshold 64 --kv-blocks 100 --block-size 32 ' +
    '--max-model-tokens 3000 --prefix-caching --no-reserve-full-prompt --queue-timeout 1.5s';
  expect(read(...flags.split(' '))).toMatchObject({
    policy: 'priority',
    longPrefillTokenThreshold: 64,
    kvBlocks: 100,
    blockTokens: 32,
    maxModelTokens: 3_000,
    prefixCaching: true,
    reserveFullPrompt: false,
    queueTimeoutNs: 1_500_000_000,
  });
});

test('a step costs what was measured elsewhere', () => {
  const folder = new URL('../../examples/step-costs/', import.meta.url);
  const cost = (kind: string, file: string) =>
    read('--step-cost', `${kind}:${fileURLToPath(new URL(file, folder))}`).costModel?.name;
  expect([cost('affine', 'affine.yaml'), cost('table', 'table.csv')]).toEqual(['affine', 'table']);
  expect(problems('--step-cost', 'cubic:x')).toEqual(['--step-cost cubic:x names no kind of cost']);
});

test('faults add up', () => {
  expect(read('--fault', 'reset:0.25', '--fault', 'hang:0.5').faults).toEqual({
    ...NO_FAULTS,
    rules: [faultShare('reset', 0.25), faultShare('hang', 0.5)],
  });
  const both = read('--fault', 'good.yaml', '--fault', 'reset:0.25').faults;
  expect(both?.rules.map(({ name }) => name)).toEqual(['gzip', 'reset']);
  expect(both?.restarts).toHaveLength(1);
  expect(problems('--fault', 'bad.yaml')).toEqual([
    expect.stringMatching(/^faults\[0\]\.fault: gzp is not one of/),
    'there is no key slow',
  ]);
  expect(problems('--fault', 'good.yaml', '--fault', 'good.yaml')).toHaveLength(1);
  expect(problems('--fault', 'reset:0.75', '--fault', 'hang:0.5')).toEqual([
    '--fault shares add up to more than 1',
  ]);
  for (const text of ['reset', 'reset:', 'reset:2', 'reset:x', 'nothing:0.5', 'reset:0.1:0.2']) {
    expect(problems('--fault', text)).toHaveLength(1);
  }
});

test('what cannot be is said, all at once', () => {
  const flags = [
    '--prefix-caching',
    '--queue-timeout',
    '5',
    '--policy',
    'sjf',
    '--block-size',
    '0',
  ];
  expect(problems(...flags).toSorted()).toEqual([
    '--block-size 0 is not a whole number of at least 1',
    '--policy is either fcfs or priority',
    '--prefix-caching needs --kv-blocks',
    '--queue-timeout 5 is not a duration like 500ms or 10s',
  ]);
  expect(problems('--kv-blocks', '10')).toEqual([
    '--kv-blocks 10 hold 160 tokens, fewer than the longest prompt and answer: ' +
      '--max-model-tokens 32768',
  ]);
});

test('a certificate and its key go together, and are one', () => {
  expect(problems('--tls-cert', 'cert.pem')).toEqual(['--tls-cert and --tls-key need each other']);
  expect(problems('--tls-cert', 'cert.pem', '--tls-key', 'key.pem')).toEqual([
    '--tls-cert and --tls-key are not a certificate and its key in PEM',
  ]);
});
