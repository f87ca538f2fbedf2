/**
 * Third-party data that tests read in place: traces, recorded streams, metric scrapes. It is not
 * part of the repository, so a user's checkout has none and those tests skip with a reason.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../shared/data/', import.meta.url));

/** Path of a shared file or folder, or `null` where the data is absent. */
export function sharedData(relativePath: string): string | null {
  const path = `${ROOT}${relativePath}`;
  return existsSync(path) ? path : null;
}

/** Reason printed by tests that skip. */
export const NO_SHARED_DATA = 'third-party test data is not beside this checkout';
