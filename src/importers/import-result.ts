/** What every importer gives back: entries with notes, or all the problems of the file. */
import type { Problem } from '../base/index.ts';

export type Imported<T> =
  | {
      readonly kind: 'imported';
      readonly value: T;
      /** What a reader of results should know: rows sorted, skipped, arriving together. */
      readonly notes: readonly string[];
    }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] };

/** `1 row`, `2 rows`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
