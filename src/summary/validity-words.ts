/** The few phrases that reasons share. */
import { msFromNs } from '../base/index.ts';

/** `1 record`, `3 records`; `null` of none. */
export function counted(count: number, one: string, many: string): string | null {
  return count === 0 ? null : `${count} ${count === 1 ? one : many}`;
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

export function milliseconds(ns: number): string {
  return `${msFromNs(ns).toPrecision(3)} ms`;
}
