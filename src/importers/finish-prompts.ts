/** What the importers of prompts and bodies have in common: their end. */
import type { Imported } from './import-result.ts';
import type { ProblemList } from './problem-list.ts';

/** The entries, unless there are problems or nothing at all. */
export function finishPrompts<Entry>(
  entries: readonly Entry[],
  problems: ProblemList,
  notes: readonly string[] = [],
): Imported<readonly Entry[]> {
  if (entries.length === 0 && problems.count === 0) {
    const message = 'the file holds no prompt';
    problems.add({ code: 'E_PROMPTS_FORMAT', line: 1, column: 1, message, hint: null });
  }
  return problems.count > 0
    ? { kind: 'problems', problems: problems.toProblems() }
    : { kind: 'imported', value: entries, notes };
}
