/**
 * Checks the shape of parsed JSON against a table of fields: strict (no missing, no unknown
 * fields) and fast, because every record of a run goes through it. Paths are only built when
 * something is wrong.
 */
import { printable } from '../base/index.ts';

/** What is wrong, and where below the checked value. */
export interface ShapeIssue {
  /** Dotted path, empty for the value itself. */
  readonly path: string;
  /** `expected …`, `is missing`, `is not a known field`. */
  readonly message: string;
}

/** `null` when the value has the shape. */
export type Shape = (value: unknown) => ShapeIssue | null;

/** One shape per field of `T`: a field added to the type must be added to its table. */
export type FieldShapes<T> = { readonly [K in keyof T]-?: Shape };

export const text: Shape = (value) => (typeof value === 'string' ? null : expected('text', value));

export const flag: Shape = (value) =>
  typeof value === 'boolean' ? null : expected('true or false', value);

/** A whole number from 0: counts, bytes and nanoseconds. */
export const whole: Shape = (value) =>
  isWhole(value) ? null : expected('a whole number from 0', value);

export function exactly(constant: string | number): Shape {
  return (value) => (value === constant ? null : expected(JSON.stringify(constant), value));
}

export function oneOf(words: readonly string[]): Shape {
  const known = new Set<unknown>(words);
  return (value) => (known.has(value) ? null : expected(`one of ${words.join(', ')}`, value));
}

export function nullable(shape: Shape): Shape {
  return (value) => (value === null ? null : shape(value));
}

export function listOf(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return expected('a list', value);
    for (let index = 0; index < value.length; index += 1) {
      const issue = shape(value[index]);
      if (issue !== null) return below(String(index), issue);
    }
    return null;
  };
}

/**
 * A column of whole numbers, or of `null`s where the number is not known. The columns of a record
 * are most of its bytes: a loop of its own is several times as fast as {@link listOf}.
 */
export function wholeColumn(nulls: 'refused' | 'allowed'): Shape {
  return (value) => {
    if (!Array.isArray(value)) return expected('a list', value);
    for (let index = 0; index < value.length; index += 1) {
      const entry: unknown = value[index];
      if (isWhole(entry) || (entry === null && nulls === 'allowed')) continue;
      return below(String(index), expected('a whole number from 0', entry));
    }
    return null;
  };
}

/** A column of words, where most are the same as the one before. */
export function wordColumn(words: readonly string[]): Shape {
  const word = oneOf(words);
  return (value) => {
    if (!Array.isArray(value)) return expected('a list', value);
    let known: unknown;
    for (let index = 0; index < value.length; index += 1) {
      const entry: unknown = value[index];
      if (entry === known && index > 0) continue;
      const issue = word(entry);
      if (issue !== null) return below(String(index), issue);
      known = entry;
    }
    return null;
  };
}

/**
 * An object with exactly these fields. Those of `later` came after the format's first version: where
 * an older writer left one out, the value that says the same is put in.
 */
export function objectOf<T>(
  fields: FieldShapes<T>,
  later: { readonly [K in keyof T]?: () => T[K] } = {},
): Shape {
  const shapes = Object.entries<Shape>(fields);
  const laterFields = Object.entries<(() => unknown) | undefined>(later);
  return (value) => {
    if (!isObject(value)) return expected('an object', value);
    for (const [name, absent] of laterFields) {
      if (!Object.hasOwn(value, name)) (value as Record<string, unknown>)[name] = absent?.();
    }
    for (const [name, shape] of shapes) {
      const issue = shape(value[name]);
      if (issue !== null) return below(name, issue);
    }
    if (Object.keys(value).length === shapes.length) return null;
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name)) ?? '';
    return { path: printable(unknown, 60), message: 'is not a known field' };
  };
}

/** A union told apart by its `kind`. */
export function unionOf(shapes: Readonly<Record<string, Shape>>): Shape {
  const kinds = Object.keys(shapes);
  return (value) => {
    if (!isObject(value)) return expected('an object', value);
    const kind = value['kind'];
    const shape =
      typeof kind === 'string' && Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
    return shape === undefined
      ? below('kind', expected(`one of ${kinds.join(', ')}`, kind))
      : shape(value);
  };
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function expected(what: string, value: unknown): ShapeIssue {
  return { path: '', message: value === undefined ? 'is missing' : `is not ${what}` };
}

function below(name: string, issue: ShapeIssue): ShapeIssue {
  return { path: issue.path === '' ? name : `${name}.${issue.path}`, message: issue.message };
}
