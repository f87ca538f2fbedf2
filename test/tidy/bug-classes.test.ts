/** docs/bug-classes.md names tests that exist. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from './rooms.ts';

/** Rows as lists of cells; the heads of the tables and their rules are left out. */
const rows = readFileSync(join(REPOSITORY, 'docs/bug-classes.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (---|fault) /.test(line))
  .map((line) => line.slice(2, -2).split(' | '));

test('the classes are not fewer than were looked at', () => {
  expect(rows.length).toBeGreaterThanOrEqual(84);
});

test.each(rows)('%s (%s)', (...cells) => {
  const [, , right = '', file = '', name = ''] = cells;
  expect(cells).toHaveLength(5);
  expect(right).not.toBe('');
  const path = join(REPOSITORY, file.replaceAll('`', ''));
  expect(existsSync(path), file).toBe(true);
  const quoted = [`'${name}'`, `"${name}"`, `\`${name}\``];
  const text = readFileSync(path, 'utf8');
  expect(
    quoted.some((title) => text.includes(title)),
    `${file}: ${name}`,
  ).toBe(true);
});
