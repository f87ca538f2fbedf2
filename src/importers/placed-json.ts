/** JSON whose mistakes can be pointed at. */
import { LineCounter, parseDocument } from 'yaml';

/** Line and column in a text, from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export type ParsedJson =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly place: TextPlace };

/** Reads JSON or says where it stops being JSON. Never quotes the text, which may be private. */
export function parseJson(text: string): ParsedJson {
  try {
    return { kind: 'json', value: JSON.parse(text) as unknown };
  } catch (error) {
    return { kind: 'invalid', place: errorPlace(text, String(error)) };
  }
}

/** Where the value at `path` stands in JSON that is valid; the start where it has no place. */
export function placeInJson(text: string, path: readonly (string | number)[]): TextPlace {
  const lines = new LineCounter();
  const node = parseDocument(text, { schema: 'json', lineCounter: lines }).getIn(path, true);
  const range = (node as { readonly range?: readonly number[] } | undefined)?.range;
  const { line, col } = lines.linePos(range?.[0] ?? 0);
  return { line, column: col };
}

/** Longest text searched a second time for a mistake whose position the engine did not tell. */
const SEARCHED_CHARACTERS = 4_000_000;

/** The engine tells the position of some mistakes only; YAML, which contains JSON, of most. */
function errorPlace(text: string, engineMessage: string): TextPlace {
  const position = /at position (\d+)/.exec(engineMessage)?.[1];
  if (position !== undefined) {
    const before = text.slice(0, Number(position));
    const lineStart = before.lastIndexOf('\n') + 1;
    return { line: before.split('\n').length, column: before.length - lineStart + 1 };
  }
  if (text.length > SEARCHED_CHARACTERS) return { line: 1, column: 1 };
  const place = parseDocument(text, { schema: 'json' }).errors[0]?.linePos?.[0];
  return { line: place?.line ?? 1, column: place?.col ?? 1 };
}
