/** Where a key sits in the run file, and which part of the user's text it came from. */
import type { Place } from '../base/index.ts';

/** `['load', 'rate', 0]`: the first entry of `load.rate`. */
export type KeyPath = readonly (string | number)[];

/** `load.rate[0]`. */
export function keyPathText(path: KeyPath): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at > 0 ? '.' : ''}${part}`))
    .join('');
}

/** The value at `path` of a plain tree; `undefined` when there is none. */
export function valueAt(tree: unknown, path: KeyPath): unknown {
  let value: unknown = tree;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part))
      return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

/**
 * What the user wrote, before validation: a plain tree of values, and where each of them came
 * from. A run file, flags, or flags laid over a run file.
 */
export interface Written {
  /** What the text is about: a run, or an objective or a fault script in a file of its own. */
  readonly kind: 'run' | 'objective' | 'faults' | 'mapping';
  readonly tree: unknown;
  /** Name of the run file; `null` when there are only flags. */
  readonly file: string | null;
  /** Place of the value at `path`, or of its nearest ancestor; `null` when a flag gave it. */
  placeOf(path: KeyPath): Place | null;
  /** Place of the key itself: what to point at when the key is wrong, not its value. */
  keyPlaceOf(path: KeyPath): Place | null;
  /** The flag that gave the value at `path` or an ancestor of it; `null` when the file did. */
  flagOf(path: KeyPath): string | null;
  /** The user's own text of the value, variables not replaced; `null` when it is not a scalar. */
  textOf(path: KeyPath): string | null;
  /** Whether a problem with this very value was already reported (an unset variable). */
  isUnresolved(path: KeyPath): boolean;
}
