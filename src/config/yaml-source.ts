/** YAML text → a plain tree that remembers where each value stands. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
} from 'yaml';
import { assertNever, type Problem } from '../base/index.ts';
import type { KeyPath, Written } from './key-path.ts';
import { type Environment, substituteEnv } from './substitute-env.ts';

/** A parsed file and its problems so far; `null` when the text is not YAML at all. */
export interface YamlReading {
  readonly source: Written | null;
  readonly problems: readonly Problem[];
}

/**
 * Reads YAML and replaces `${NAME}` in its values. Duplicate keys and unset variables are reported
 * and reading goes on, so that one pass shows every mistake; broken syntax ends it.
 *
 * `jsonPaths` are subtrees of free JSON: there a bare `${NUMBER}` becomes a number, as it would
 * had the user written the number.
 */
export function readYaml(
  text: string,
  options: {
    readonly kind: Written['kind'];
    readonly file: string;
    readonly env: Environment;
    readonly jsonPaths: readonly KeyPath[];
  },
): YamlReading {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const place = (offset: number): Problem['place'] => {
    const { line, col } = lines.linePos(offset);
    return { file: options.file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const problems: Problem[] = [...document.errors, ...document.warnings].map((error) => ({
    code: 'E_CONFIG_SYNTAX',
    ...syntaxFault(error.code, error.message, lineAt(text, error.pos[0])),
    place: place(error.pos[0]),
  }));
  const stopped = document.errors.some((error) => error.code !== 'DUPLICATE_KEY');
  if (stopped) return { source: null, problems: problems.slice(0, 1) };

  const unresolved = substituteAll(document, options);
  for (const { node, problem } of unresolved) {
    problems.push({ ...problem, place: place(node.range?.[0] ?? 0) });
  }
  const tree = plainTree(document);
  if (tree === null) {
    const problem: Problem = {
      code: 'E_CONFIG_SYNTAX',
      message: 'the aliases (*name) refer to themselves or multiply without end',
      hint: 'write the values out',
      place: place(0),
    };
    return { source: null, problems: [...problems, problem] };
  }
  return {
    source: {
      kind: options.kind,
      tree: tree.value,
      file: options.file,
      flagOf: () => null,
      placeOf: (path) => place(find(document, path).value?.range?.[0] ?? 0),
      keyPlaceOf(path) {
        const found = find(document, path);
        return place((found.key ?? found.value)?.range?.[0] ?? 0);
      },
      textOf(path) {
        const { value, exact } = find(document, path);
        return exact && isScalar(value) && value.range ? text.slice(...rangeOf(value)) : null;
      },
      isUnresolved(path) {
        const { value, exact } = find(document, path);
        return exact && unresolved.some(({ node }) => node === value);
      },
    },
    problems,
  };
}

/** The document as plain values; `null` when its aliases never end, or end in far too much. */
function plainTree(document: Document): { readonly value: unknown } | null {
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    // An anchor that holds its own alias makes a cycle, which JSON refuses.
    JSON.stringify(value);
    return { value };
  } catch (error) {
    if (error instanceof ReferenceError || error instanceof TypeError) return null;
    throw error;
  }
}

interface Found {
  readonly key: Node | null;
  readonly value: Node | null;
  /** Whether the whole path exists, rather than only an ancestor of it. */
  readonly exact: boolean;
}

/** The node at `path`, or the deepest ancestor that exists. */
function find(document: Document, path: KeyPath): Found {
  let found: Found = { key: null, value: document.contents, exact: true };
  for (const part of path) {
    const parent = isAlias(found.value) ? found.value.resolve(document) : found.value;
    if (isMap(parent)) {
      const pair = parent.items.find(
        ({ key }) => isScalar(key) && String(key.value) === String(part),
      );
      if (pair === undefined) return { ...found, exact: false };
      const key = pair.key as Node;
      found = { key, value: (pair.value as Node | null) ?? key, exact: true };
    } else if (isSeq(parent) && typeof part === 'number' && part < parent.items.length) {
      found = { key: null, value: parent.items[part] as Node, exact: true };
    } else {
      return { ...found, exact: false };
    }
  }
  return found;
}

interface Unresolved {
  readonly node: Scalar;
  readonly problem: Omit<Problem, 'place'>;
}

/** Replaces variables in every text value of the document, in place. */
function substituteAll(
  document: Document,
  options: { readonly env: Environment; readonly jsonPaths: readonly KeyPath[] },
): Unresolved[] {
  const unresolved: Unresolved[] = [];
  const keyEnv = document.getIn(['target', 'keyEnv']);
  const visit = (node: unknown, path: KeyPath): void => {
    if (isMap(node)) {
      for (const { key, value } of node.items) visit(value, [...path, scalarText(key)]);
    } else if (isSeq(node)) {
      for (const [at, item] of node.items.entries()) visit(item, [...path, at]);
    } else if (isScalar(node) && typeof node.value === 'string' && node.value.includes('${')) {
      const result = substituteEnv(
        node.value,
        options.env,
        typeof keyEnv === 'string' ? keyEnv : null,
      );
      if (result.kind !== 'text') {
        unresolved.push({ node, problem: substitutionProblem(result) });
      } else {
        const isJson = node.type === 'PLAIN' && options.jsonPaths.some((p) => startsWith(path, p));
        node.value = isJson ? jsonScalar(result.text) : result.text;
      }
    }
  };
  visit(document.contents, []);
  return unresolved;
}

function substitutionProblem(
  result: Exclude<ReturnType<typeof substituteEnv>, { kind: 'text' }>,
): Omit<Problem, 'place'> {
  switch (result.kind) {
    case 'unset':
      return {
        code: 'E_CONFIG_ENV',
        message: `the variable ${result.name} is not set`,
        hint: `set it, or give a default: \${${result.name}:-value}`,
      };
    case 'secret':
      return {
        code: 'E_CONFIG_ENV',
        message: `the variable ${result.name} may hold a secret, and a spec is printed and stored`,
        hint: `name the variable instead of its value: target.keyEnv: ${result.name}`,
      };
    case 'malformed':
      return {
        code: 'E_CONFIG_ENV',
        message: 'a ${ is not followed by a variable name and }',
        hint: 'write ${NAME} or ${NAME:-default}, or $${ for a plain ${',
      };
    default:
      return assertNever(result);
  }
}

function startsWith(path: KeyPath, prefix: KeyPath): boolean {
  return prefix.every((part, at) => path[at] === part);
}

function scalarText(key: unknown): string {
  return isScalar(key) ? String(key.value) : '';
}

function jsonScalar(text: string): unknown {
  return /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?)$/i.test(text)
    ? JSON.parse(text.toLowerCase())
    : text;
}

function rangeOf(node: Node): [number, number] {
  return [node.range?.[0] ?? 0, node.range?.[1] ?? 0];
}

function lineAt(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1).split('\n', 1)[0] ?? '';
}

/** The parser's finding in the user's terms. */
function syntaxFault(
  code: string,
  message: string,
  line: string,
): { readonly message: string; readonly hint: string } {
  switch (code) {
    case 'DUPLICATE_KEY':
      return { message: 'the key is given twice', hint: 'keep one of the two' };
    case 'MULTIPLE_DOCS':
      return {
        message: 'the file holds more than one document',
        hint: 'write one run per file, without ---',
      };
    case 'TAB_AS_INDENT':
      return { message: 'a tab indents the line', hint: 'indent with spaces' };
    case 'TAG_RESOLVE_FAILED':
      return { message, hint: 'remove the tag, or quote a value that starts with !' };
    default:
      return /[{[].*\$\{/.test(line)
        ? { message: 'a variable inside { } or [ ] is not quoted', hint: 'write "${NAME}"' }
        : { message, hint: 'check the indentation, and quote values that hold : # { } [ ] or ,' };
  }
}
