import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EXAMPLE_RUNS, EXAMPLES } from '../../test/support/example-runs.ts';
import { configReference, RUN_FLAGS, runSpecJsonSchema } from './index.ts';

describe('runSpecJsonSchema', () => {
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(runSpecJsonSchema());

  test.each(EXAMPLE_RUNS)('accepts examples/%s', (name) => {
    expect(validate(parse(readFileSync(`${EXAMPLES}${name}`, 'utf8'))), name).toBe(true);
  });

  test.each([
    ['an unknown key', { target: { url: 'http://h', modle: 'm' } }],
    ['no target', { load: { rate: 1 } }],
    ['a rate of 0', { target: { url: 'http://h' }, load: { rate: [0] } }],
    ['a word outside the list', { target: { url: 'http://h', api: 'chatt' } }],
    ['a duration without unit', { target: { url: 'http://h' }, duration: 60 }],
  ])('refuses %s', (_what, value) => {
    expect(validate(value)).toBe(false);
  });
});

describe('configReference', () => {
  const rows = configReference()
    .split('\n')
    .filter((line) => line.startsWith('| `'));

  test('has a row with default, flag and meaning', () => {
    expect(rows).toContain(
      '| `target.timeout` | text | `"10m"` | `--timeout` | Deadline of one request, of each try. |',
    );
    expect(rows.find((line) => line.startsWith('| `target.url`'))).toContain('| required |');
  });

  test('names every flag once', () => {
    for (const { flag } of RUN_FLAGS) {
      expect(
        rows.filter((line) => line.includes(`| \`${flag}\` |`)),
        flag,
      ).toHaveLength(1);
    }
  });

  test('says what every section and every key with a flag means', () => {
    const silent = rows.filter((line) => line.endsWith('|  |') && line.includes('`--'));
    expect(silent).toEqual([]);
  });
});
