/** The order in which the entries of a file are used. */
import { assert, type RandomSource } from '../base/index.ts';

/** Gives the entry of the source that comes next, and how often the source was used up before. */
export type EntryOrder = () => { readonly entry: number; readonly pass: number };

/**
 * The order in which entries are used: as they stand, or each pass shuffled anew from `random`.
 * When all were used it starts over.
 */
export function createEntryOrder(
  entries: number,
  order: 'sequential' | 'shuffled',
  random: RandomSource,
): EntryOrder {
  assert(entries > 0, 'a source of prompts holds at least one entry');
  const places = Array.from({ length: entries }, (_, entry) => entry);
  let used = 0;
  return () => {
    const place = used % entries;
    if (place === 0 && order === 'shuffled') shuffle(places, random);
    const pass = Math.floor(used / entries);
    used += 1;
    return { entry: at(places, place), pass };
  };
}

/** Fisher and Yates: every order equally likely. */
function shuffle(places: number[], random: RandomSource): void {
  for (let i = places.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [places[i], places[j]] = [at(places, j), at(places, i)];
  }
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  assert(item !== undefined, `no item ${index} among ${items.length}`);
  return item;
}
