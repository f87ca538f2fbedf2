/** What the schema found → problems with the user's own names, places and text. */
import type { z } from 'zod';
import { printable, type Problem } from '../base/index.ts';
import { keyPathText, valueAt, type KeyPath, type Written } from './key-path.ts';
import { howToWrite, problemAt, quotedSubject, subjectOf } from './problem-at.ts';
import { pathsEndingIn } from './run-flags.ts';
import { splitHint } from './scalars.ts';

type Issue = z.core.$ZodIssue;

/** Turns one issue into problems. A value whose variable is not set was already reported. */
export function issueProblems(issue: Issue, written: Written, prefix: KeyPath = []): Problem[] {
  const path = [...prefix, ...(issue.path as KeyPath)];
  if (written.isUnresolved(path)) return [];
  switch (issue.code) {
    case 'unrecognized_keys':
      return unknownKeys(issue, path, written);
    case 'invalid_union': {
      const branch = likeliestBranch(issue.errors);
      if (branch !== null) return branch.flatMap((inner) => issueProblems(inner, written, path));
      break;
    }
    default:
      break;
  }
  return [valueProblem(issue, path, written)];
}

function unknownKeys(
  issue: Extract<Issue, { code: 'unrecognized_keys' }>,
  path: KeyPath,
  written: Written,
): Problem[] {
  const hints = issue.message.split('\n');
  return issue.keys.map((key, at) => {
    const elsewhere = written.kind === 'run' ? pathsEndingIn(key)[0] : undefined;
    const shown = keyPathText([...path, printable(key, 60)]);
    return problemAt(written, [...path, key], 'unknown', {
      message: `there is no key ${shown}`,
      hint: elsewhere === undefined ? (hints[at] ?? null) : `write it as ${elsewhere}`,
      at: 'key',
    });
  });
}

/**
 * The one branch of a union that the user can have meant: the only one whose own type fits the
 * value. `null` when none or several do.
 */
function likeliestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const fitting = branches.filter(
    (issues) => !issues.some(({ code, path }) => isTypeMismatch(code) && path.length === 0),
  );
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

function isTypeMismatch(code: Issue['code']): boolean {
  return code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union';
}

function valueProblem(issue: Issue, path: KeyPath, written: Written): Problem {
  const { message, hint } = splitHint(issue.message);
  const value = valueAt(written.tree, path);
  if (value === undefined) {
    const example = hint?.replace(/^write (?:[A-Za-z]+: )?/, '') ?? 'a value';
    return problemAt(written, path, 'missing', {
      message: `${subjectOf(written, path)} is missing`,
      hint: howToWrite(written, path, example),
      at: 'key',
    });
  }
  const isObjective = written.kind === 'objective' || path[0] === 'slo';
  return problemAt(written, path, isObjective ? 'objective' : 'value', {
    message:
      value === null
        ? `${subjectOf(written, path)} has no value`
        : `${quotedSubject(written, path)} ${message}`,
    hint: value === null ? 'give it one, or leave the key out' : hint,
  });
}
