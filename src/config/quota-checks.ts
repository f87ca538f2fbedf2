/** What must hold between the quota and the keys that say how much is in flight. */
import type { Problem } from '../base/index.ts';
import type { Written } from './key-path.ts';
import { problemAt, quotedSubject, subjectOf } from './problem-at.ts';
import type { ReadSections } from './run-file-schema.ts';

const CONCURRENT = ['target', 'quota', 'concurrent'];

/** Rates and tokens are for the plan to check: they depend on every arrival and length. */
export function quotaProblems({ target, load, budget }: ReadSections, written: Written): Problem[] {
  const concurrent = target?.quota?.concurrent;
  if (concurrent === undefined) return [];
  const level = Math.max(0, ...(load?.concurrency ?? []), ...(load?.users ?? []));
  if (level > concurrent) {
    const message = `the load keeps ${level} requests in flight, and ${subjectOf(written, CONCURRENT)} allows ${concurrent}`;
    const hint = `keep at most ${concurrent} in flight`;
    return [problemAt(written, ['load'], 'impossible', { message, hint, at: 'key' })];
  }
  const ceiling = budget?.maxInFlight;
  if (ceiling === undefined || ceiling <= concurrent) return [];
  const path = ['budget', 'maxInFlight'];
  const message = `${quotedSubject(written, path)} is more than the ${concurrent} that ${subjectOf(written, CONCURRENT)} allows`;
  return [
    problemAt(written, path, 'conflict', {
      message,
      hint: `leave it out: the quota is the ceiling`,
    }),
  ];
}
