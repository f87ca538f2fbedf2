/** Pictures in the guides are what the guides' commands draw. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drawGuideImages } from '../../scripts/guide-images.ts';
import { emptyFolder } from '../support/built-command.ts';
import { REPOSITORY } from '../tidy/rooms.ts';

// All of them take a minute; these two go through the same code. `node scripts/guide-images.ts` draws all.
it.each(['one', 'after'])('pictures of the run %s are as stored', (run) => {
  const folder = emptyFolder();
  const names = drawGuideImages(folder, run);
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    const stored = readFileSync(join(REPOSITORY, 'docs/guides/images', name), 'utf8');
    expect(readFileSync(join(folder, name), 'utf8'), name).toBe(stored);
  }
});
