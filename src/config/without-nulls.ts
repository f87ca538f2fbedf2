/** The mapping without the entries that say nothing. */
export function withoutNulls(entries: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entries).filter(([, value]) => value !== null && !isEmptyMapping(value)),
  );
}

function isEmptyMapping(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
