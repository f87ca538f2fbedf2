/** The run files among the examples, beside which objectives, fault scripts and annotations stand. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

/** Only a run file says what load it sends. */
export const EXAMPLE_RUNS: readonly string[] = readdirSync(EXAMPLES).filter(
  (name) => name.endsWith('.yaml') && /^load:/m.test(readFileSync(`${EXAMPLES}${name}`, 'utf8')),
);
