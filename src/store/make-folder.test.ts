import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../../test/support/built-command.ts';
import { makeFolder } from './make-folder.ts';

describe('a folder', () => {
  it('is made with those above it, and may be there already', () => {
    const path = join(emptyFolder(), 'a', 'b', 'c');
    makeFolder(path);
    makeFolder(path);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it('is not made where a file is in the way', () => {
    const file = join(emptyFolder(), 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(file)).toThrow(/EEXIST/);
    expect(() => makeFolder(join(file, 'below'))).toThrow(/ENOTDIR/);
  });

  it.runIf(existsSync('/proc/self'))('is refused, not waited for, where none can be made', () => {
    expect(() => makeFolder('/proc/no/such')).toThrow(/ENOENT/);
  });
});
