/** The documents agree with the code and with each other. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../../scripts/generated-files.ts';
import { ERROR_CODES, EXIT_CODES } from '../../src/base/index.ts';
import { REPOSITORY } from '../tidy/rooms.ts';

function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8');
}

const DOCUMENTS = [
  ...readdirSync(REPOSITORY).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(REPOSITORY, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

describe('generated files', async () => {
  it.each([...(await generatedFiles())])('%s is what the code says', (path, text) => {
    expect(read(path), 'run npm run generate').toBe(text);
  });
});

describe('docs/errors.md', () => {
  const text = read('docs/errors.md');

  it('documents every code, and names none that is gone', () => {
    const documented = [...text.matchAll(/^\| `(E_\w+)` \|/gm)].map((match) => match[1]);
    expect(new Set(documented)).toEqual(new Set(ERROR_CODES));
  });

  it('documents every exit code', () => {
    const documented = [...text.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
    expect(new Set(documented)).toEqual(new Set(Object.values(EXIT_CODES)));
  });

  it('documents every failure class', () => {
    const source = read('src/record/request-record.ts');
    const union = /export type FailureClass =([^;]*);/.exec(source)?.[1] ?? '';
    const classes = [...union.matchAll(/'(\w+)'/g)].map((match) => match[1]);
    const documented = [...text.matchAll(/^\| `([a-z]\w+)` \|/gm)].map((match) => match[1]);
    expect(classes.length).toBeGreaterThan(10);
    expect(new Set(documented)).toEqual(new Set(classes));
  });
});

describe('links', () => {
  it.each(DOCUMENTS)('of %s lead somewhere', (document) => {
    const text = read(document).replaceAll(/```[\s\S]*?```/g, '');
    const dead = [...text.matchAll(/\]\(([^)#\s]+)(#[^)]*)?\)/g)]
      .map((match) => match[1] ?? '')
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => !existsSync(resolve(REPOSITORY, dirname(document), target)));
    expect(dead).toEqual([]);
  });
});

describe('the changelog', () => {
  it('has an Unreleased section of entries under headings, and nothing else', () => {
    const [title, unreleased = ''] = read('CHANGELOG.md').split(/^## Unreleased\n\n/m);
    expect(title).toMatch(/^# Changelog\n/);
    const lines = (unreleased.split(/^## /m)[0] ?? '').trimEnd().split('\n');
    expect(lines[0]).toMatch(/^### /);
    expect(lines.filter((line) => !/^(?:### |- | {2}\S|$)/.test(line))).toEqual([]);
  });
});
