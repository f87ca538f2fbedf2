/**
 * Which keys belong together. A load is of one kind and so is a workload; a key of another kind is
 * a conflict within one file, and gives way when a flag of another kind is laid over the file.
 */
import type { Problem } from '../base/index.ts';
import { valueAt, type Written } from './key-path.ts';
import { problemAt, subjectOf } from './problem-at.ts';

/** Key → the kinds it applies to. A key that names a kind selects it. */
type KeyKinds = Readonly<Record<string, readonly string[]>>;

const LOAD_KEYS: KeyKinds = {
  rate: ['rate'],
  concurrency: ['concurrency'],
  users: ['users'],
  sessionRate: ['sessionRate'],
  timeScale: ['timeScale'],
  arrivals: ['rate', 'sessionRate'],
  think: ['users', 'sessionRate'],
  from: ['timeScale'],
};

const WORKLOAD_KEYS: KeyKinds = {
  classes: ['classes'],
  prompts: ['prompts'],
  sharegpt: ['sharegpt'],
  bodies: ['bodies'],
  trace: ['trace'],
  turns: ['turns'],
  followUp: ['turns'],
  system: ['turns'],
  maxContext: ['turns', 'trace'],
  history: ['turns', 'sharegpt', 'trace'],
  input: ['synthetic', 'turns'],
  output: ['synthetic', 'prompts', 'sharegpt', 'turns'],
  prefix: ['synthetic', 'prompts', 'sharegpt'],
  order: ['prompts', 'sharegpt', 'bodies'],
  badRows: ['trace'],
  maxInput: ['trace'],
  maxOutput: ['trace'],
};

const KEY_SOURCES: KeyKinds = { keyEnv: ['keyEnv'], keyFile: ['keyFile'] };

const SECTIONS: Readonly<Record<string, KeyKinds>> = {
  load: LOAD_KEYS,
  workload: WORKLOAD_KEYS,
  target: KEY_SOURCES,
};

/** Keys whose presence settles the kind; the others follow it. */
const SELECTORS = new Set([
  'rate',
  'concurrency',
  'users',
  'sessionRate',
  'timeScale',
  'classes',
  'prompts',
  'sharegpt',
  'bodies',
  'trace',
  'turns',
  'keyEnv',
  'keyFile',
]);

/**
 * Keys of `section` that a flag for `key` drives out of a run file: those of other kinds. A flag
 * that only refines (`--think`, `--order`) drives nothing out, so that a mismatch is reported.
 */
export function keysReplacedBy(section: string, key: string): string[] {
  const kinds = SECTIONS[section]?.[key];
  // `input` selects no kind by itself in a file, yet as a flag it can only mean synthetic prompts.
  if (kinds === undefined || (!SELECTORS.has(key) && key !== 'input')) return [];
  return Object.entries(SECTIONS[section] as KeyKinds)
    .filter(([, others]) => !others.some((kind) => kinds.includes(kind)))
    .map(([other]) => other);
}

/** The kind of load asked for; `null` when none is. */
export function loadKindOf(
  tree: unknown,
): 'rate' | 'concurrency' | 'users' | 'sessionRate' | 'trace' | null {
  for (const kind of ['rate', 'concurrency', 'users', 'sessionRate'] as const) {
    if (valueAt(tree, ['load', kind]) !== undefined) return kind;
  }
  const isReplay =
    valueAt(tree, ['load', 'timeScale']) !== undefined ||
    valueAt(tree, ['workload', 'trace']) !== undefined;
  return isReplay ? 'trace' : null;
}

/** The kind of workload asked for. */
export function workloadKindOf(
  tree: unknown,
): 'classes' | 'prompts' | 'sharegpt' | 'bodies' | 'trace' | 'turns' | 'synthetic' {
  for (const kind of ['classes', 'prompts', 'sharegpt', 'bodies', 'trace', 'turns'] as const) {
    if (valueAt(tree, ['workload', kind]) !== undefined) return kind;
  }
  return 'synthetic';
}

/** Reports keys that exclude one another. Looks at presence only, so bad values do not matter. */
export function exclusionProblems(written: Written): Problem[] {
  const loadKind = loadKindOf(written.tree);
  return [
    ...sectionProblems(written, 'load', loadKind === 'trace' ? 'timeScale' : loadKind),
    ...sectionProblems(written, 'workload', workloadKindOf(written.tree)),
    ...keyProblems(written),
    ...replayProblems(written, loadKind),
  ];
}

function sectionProblems(written: Written, section: string, kind: string | null): Problem[] {
  if (kind === null) return [];
  const kindSubject =
    kind === 'synthetic' ? 'synthetic prompts' : subjectOf(written, [section, kind]);
  return Object.entries(SECTIONS[section] as KeyKinds)
    .filter(([key, kinds]) => {
      return !kinds.includes(kind) && valueAt(written.tree, [section, key]) !== undefined;
    })
    .map(([key]) => {
      const subject = subjectOf(written, [section, key]);
      return problemAt(written, [section, key], 'conflict', {
        message: SELECTORS.has(key)
          ? `${subject} and ${kindSubject} exclude each other`
          : `${subject} does not apply to ${kindSubject}`,
        hint: SELECTORS.has(key) ? 'keep one of them: a run is of one kind' : `remove ${subject}`,
        at: 'key',
      });
    });
}

function keyProblems(written: Written): Problem[] {
  const [env, file] = [['target', 'keyEnv'] as const, ['target', 'keyFile'] as const];
  if (typeof valueAt(written.tree, env) !== 'string') return [];
  if (valueAt(written.tree, file) === undefined) return [];
  return [
    problemAt(written, file, 'conflict', {
      message: `${subjectOf(written, file)} and ${subjectOf(written, env)} exclude each other`,
      hint: 'keep one of them',
      at: 'key',
    }),
  ];
}

function replayProblems(written: Written, loadKind: string | null): Problem[] {
  const workload = workloadKindOf(written.tree);
  if (loadKind !== 'trace' || workload === 'trace' || workload === 'bodies') return [];
  const path = ['load', 'timeScale'];
  return [
    problemAt(written, path, 'conflict', {
      message: `${subjectOf(written, path)} replays arrivals, and the workload has none`,
      hint: 'add a trace (azure:FILE or mooncake:FILE), or bodies with `at`',
      at: 'key',
    }),
  ];
}
