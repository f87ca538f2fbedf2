import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Problem } from '../base/index.ts';
import { parseRunSpec } from './index.ts';

const DIR = fileURLToPath(new URL('../../test/fixtures/config/', import.meta.url));
const MARK = '# --- problems\n';
const CANARY = 'sk-canary';

/**
 * Each fixture is a run file with mistakes, and below the mark all problems expected of it, in
 * order: `# LINE:COLUMN CODE MESSAGE` and `#   hint: HINT`.
 */
function readFixture(name: string): { readonly text: string; readonly expected: string } {
  const [text = '', expected = ''] = readFileSync(`${DIR}${name}`, 'utf8').split(MARK);
  return { text, expected };
}

function problemsOf(text: string): readonly Problem[] {
  const parsed = parseRunSpec(text, {
    file: 'run.yaml',
    env: { OPENAI_API_KEY: CANARY, TEAM_TOKEN: CANARY, MY_KEY: CANARY },
    readFile: () => {
      throw new Error('no such file');
    },
  });
  return 'problems' in parsed ? parsed.problems : [];
}

function written(problems: readonly Problem[]): string {
  return problems
    .map(({ code, message, hint, place }) => {
      return `# ${place?.line}:${place?.column} ${code} ${message}\n#   hint: ${hint}\n`;
    })
    .join('');
}

const FIXTURES = readdirSync(DIR).filter((name) => name.endsWith('.bad.yaml'));

describe('bad run files', () => {
  test('there are many', () => {
    expect(FIXTURES.length).toBeGreaterThan(20);
  });

  test.each(FIXTURES)('%s: every mistake at once, each with its place and hint', (name) => {
    const { text, expected } = readFixture(name);
    expect(expected).not.toBe('');
    expect(written(problemsOf(text))).toBe(expected);
  });

  test('a key in the environment or in the wrong place is in no problem', () => {
    const { text } = readFixture('secrets.bad.yaml');
    expect(text).toContain(CANARY);
    expect(JSON.stringify(problemsOf(text))).not.toContain(CANARY);
  });

  test('places are those of the value, or of the key where the key is wrong', () => {
    const lines = ['target:', '  url: http://127.0.0.1:8000', '  modle: a', 'duration:   5'];
    const places = problemsOf([...lines, 'load: { rate: 1 }'].join('\n')).map(({ place }) => place);
    expect(places).toEqual([
      { file: 'run.yaml', line: 3, column: 3 },
      { file: 'run.yaml', line: 4, column: 13 },
    ]);
  });

  test('a mistake in an anchor is reported where the anchor stands', () => {
    const text = [
      'declare: &facts { gpu: 1 }',
      'target: { url: http://127.0.0.1:8000, body: *facts, headers: &h { Accept: x } }',
      'load: { rate: 1 }',
    ].join('\n');
    expect(problemsOf(text).map(({ place }) => place?.line)).toEqual([2]);
  });

  test('thousands of aliases do not blow up', () => {
    const row = (name: string, of: string): string =>
      `  ${name}: &${name} [${Array.from({ length: 12 }, () => `*${of}`).join(', ')}]`;
    const bomb = ['declare:', '  a: &a [1]', row('b', 'a'), row('c', 'b'), row('d', 'c')].join(
      '\n',
    );
    expect(problemsOf(`${bomb}\n`).map(({ code }) => code)).toEqual(['E_CONFIG_SYNTAX']);
    expect(problemsOf('declare: &a { b: *a }\n').map(({ code }) => code)).toContain(
      'E_CONFIG_SYNTAX',
    );
  });
});
