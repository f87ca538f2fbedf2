/** Flags → the same plain tree that a run file gives, alone or laid over a file. */
import { assertNever, usageProblem, type Problem } from '../base/index.ts';
import { keysReplacedBy } from './exclusive-keys.ts';
import { keyPathText, valueAt, type KeyPath, type Written } from './key-path.ts';
import { camelCase, RUN_FLAGS, type RunFlag } from './run-flags.ts';

/** Options as commander hands them over: camel-case names, text, lists of text, booleans. */
export type FlagValues = Readonly<Record<string, FlagValue | undefined>>;

/** One option's value. */
export type FlagValue = string | number | boolean | readonly string[];

interface Setting {
  readonly flag: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * Lays flags over what a file said. A flag replaces the key it names; one that selects another kind
 * of load or workload also drives out the keys of the old kind. Entries of `flags` that are not in
 * {@link RUN_FLAGS} belong to the command and are left to it.
 */
export function layFlags(
  base: Written | null,
  flags: FlagValues,
): { readonly written: Written; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const settings = RUN_FLAGS.flatMap((flag) => settingsOf(flag, flags, problems));
  const tree = structuredClone(isTree(base?.tree) ? base.tree : {});
  for (const { path } of settings) {
    const [section, key] = path;
    if (section === undefined || key === undefined || !isTree(tree[section])) continue;
    for (const other of keysReplacedBy(section, key)) delete tree[section][other];
  }
  const given = new Map<string, Setting>();
  for (const setting of settings) {
    setAt(tree, setting.path, setting.value);
    given.set(keyPathText(setting.path), setting);
  }
  const settingOf = (path: KeyPath): Setting | null => {
    for (let length = path.length; length > 0; length -= 1) {
      const setting = given.get(keyPathText(path.slice(0, length)));
      if (setting !== undefined) return setting;
    }
    return null;
  };
  const written: Written = {
    kind: 'run',
    tree: base === null || isTree(base.tree) ? tree : base.tree,
    file: base?.file ?? null,
    flagOf: (path) => settingOf(path)?.flag ?? null,
    placeOf: (path) => (settingOf(path) === null ? (base?.placeOf(path) ?? null) : null),
    keyPlaceOf: (path) => (settingOf(path) === null ? (base?.keyPlaceOf(path) ?? null) : null),
    textOf(path) {
      if (settingOf(path) === null) return base?.textOf(path) ?? null;
      const value = valueAt(tree, path);
      return typeof value === 'string' ? value : null;
    },
    isUnresolved: (path) => settingOf(path) === null && (base?.isUnresolved(path) ?? false),
  };
  return { written, problems };
}

function settingsOf(flag: RunFlag, flags: FlagValues, problems: Problem[]): Setting[] {
  const value = flags[camelCase(flag.flag.replace(/^--(?:no-)?/, ''))];
  const setting = { flag: flag.flag, path: flag.path };
  switch (flag.form) {
    case 'switch':
      return value === true ? [{ ...setting, value: true }] : [];
    case 'off':
      // Commander sets the positive form to true by itself, so only false was the user's doing.
      return value === false ? [{ ...setting, value: false }] : [];
    case 'text':
      return value === undefined ? [] : [{ ...setting, value: String(value) }];
    case 'list': {
      if (value === undefined) return [];
      const items = String(value).split(',');
      return [{ ...setting, value: items.map((item) => item.trim()) }];
    }
    case 'each': {
      const values = textList(value);
      return values.length === 0 ? [] : [{ ...setting, value: values }];
    }
    case 'header':
    case 'assignment':
      return textList(value).flatMap((text) => entrySetting(flag, text, problems));
    default:
      return assertNever(flag.form);
  }
}

/** `Name: value` or `name=value` as one entry of the flag's mapping. */
function entrySetting(flag: RunFlag, text: string, problems: Problem[]): Setting[] {
  const separator = flag.form === 'header' ? ':' : '=';
  const at = text.indexOf(separator);
  const name = text.slice(0, at).trim();
  if (at < 0 || name === '') {
    // The text is not quoted: a malformed header may hold a credential.
    const message = `${flag.flag} needs a name, "${separator}" and a value`;
    const hint =
      flag.form === 'header' ? `write ${flag.flag} 'X-Team: a'` : `write ${flag.flag} a=1`;
    problems.push(usageProblem('E_USAGE_VALUE', message, hint));
    return [];
  }
  const rest = text.slice(at + 1).trim();
  const value = flag.form === 'header' ? rest : jsonOrText(rest);
  return [{ flag: flag.flag, path: [...flag.path, name], value }];
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function textList(value: FlagValue | undefined): string[] {
  if (value === undefined) return [];
  return typeof value === 'object' ? [...value] : [String(value)];
}

type Tree = Record<string, unknown>;

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets a value, making the mappings on the way. A non-mapping on the way gives way to one. */
function setAt(tree: Tree, path: readonly string[], value: unknown): void {
  let parent = tree;
  for (const part of path.slice(0, -1)) {
    const inner = Object.hasOwn(parent, part) ? parent[part] : undefined;
    const next: Tree = isTree(inner) ? inner : {};
    define(parent, part, next);
    parent = next;
  }
  define(parent, path.at(-1) as string, value);
}

/** Defines rather than assigns, so that a name like `__proto__` is an ordinary key. */
function define(parent: Tree, key: string, value: unknown): void {
  Object.defineProperty(parent, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
