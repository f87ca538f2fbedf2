/** Foreign YAML: its values without trusting their shape, and the place of each. */
import { type Document, isNode, LineCounter, parseAllDocuments } from 'yaml';
import { type Place, printable, type Problem } from '../base/index.ts';

/** One document of a YAML file. */
export interface SpecDocument {
  readonly tree: unknown;
  /** Place of the value at a path, or of the nearest ancestor that exists. */
  placeOf(path: readonly (string | number)[]): Place;
}

/** All documents of a text; problems when it is no YAML. */
export function readSpecDocuments(
  text: string,
  file: string,
): { readonly documents: readonly SpecDocument[] } | { readonly problems: readonly Problem[] } {
  const lineCounter = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter, prettyErrors: false });
  const documents: readonly Document[] = Array.isArray(parsed) ? parsed : [];
  const place = (offset: number): Place => {
    const { line, col } = lineCounter.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problems = documents.flatMap(({ errors }) =>
    errors.map((error): Problem => ({
      code: 'E_CONFIG_SYNTAX',
      message: printable(error.message),
      hint: 'check the indentation, and quote values that hold : # { } [ ] or ,',
      place: place(error.pos[0]),
    })),
  );
  if (problems.length > 0) return { problems: problems.slice(0, 1) };
  return {
    documents: documents.map((document) => ({
      tree: document.toJS({ maxAliasCount: 100 }) as unknown,
      placeOf(path) {
        for (let length = path.length; length > 0; length -= 1) {
          const node = document.getIn(path.slice(0, length), true);
          if (isNode(node)) return place(node.range?.[0] ?? 0);
        }
        return place(isNode(document.contents) ? (document.contents.range?.[0] ?? 0) : 0);
      },
    })),
  };
}

/** The value at a path, `undefined` where there is none. */
export function valueIn(tree: unknown, path: readonly (string | number)[]): unknown {
  let value = tree;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[key];
  }
  return value;
}

/** The text at a path; `null` where there is none. */
export function textIn(tree: unknown, path: readonly (string | number)[]): string | null {
  const value = valueIn(tree, path);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** The list at a path; empty where there is none. */
export function listIn(tree: unknown, path: readonly (string | number)[]): readonly unknown[] {
  const value = valueIn(tree, path);
  return Array.isArray(value) ? value : [];
}
