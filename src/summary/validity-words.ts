/** The phrase that reasons share. */

/** `1 record`, `3 records`; `null` of none. */
export function counted(count: number, one: string, many: string): string | null {
  return count === 0 ? null : `${count} ${count === 1 ? one : many}`;
}
