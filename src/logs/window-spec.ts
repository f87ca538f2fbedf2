/** `--by 1h,bucket`: how long a window is, and what else results are split by. */
import {
  nearestWord,
  NS_PER_US,
  parseDurationNs,
  usageProblem,
  type Problem,
} from '../base/index.ts';

/** What results may be split by besides time. */
export const STRATUM_KEYS = ['bucket', 'tenant', 'class', 'model'] as const;
export type StratumKey = (typeof STRATUM_KEYS)[number];

export interface WindowSpec {
  /** Length of a window in microseconds, aligned to 1970 UTC; `null` = one window over all. */
  readonly windowUs: number | null;
  readonly keys: readonly StratumKey[];
}

/** Reads `1h,bucket`, `1d` or `tenant`. */
export function parseWindowSpec(text: string): WindowSpec | { readonly problems: Problem[] } {
  const problems: Problem[] = [];
  const keys: StratumKey[] = [];
  let windowUs: number | null = null;
  for (const word of text.split(',').map((part) => part.trim())) {
    const key = STRATUM_KEYS.find((known) => known === word);
    const durationNs = key === undefined ? parseDurationNs(word) : null;
    if (key !== undefined) {
      if (!keys.includes(key)) keys.push(key);
    } else if (durationNs !== null && durationNs >= NS_PER_US && windowUs === null) {
      windowUs = Math.round(durationNs / NS_PER_US);
    } else {
      const near = nearestWord(word, STRATUM_KEYS);
      const hint =
        near === null
          ? 'write 1h,bucket: one length of time and any of '
          : `did you mean ${near}? `;
      problems.push(
        usageProblem(
          'E_USAGE_VALUE',
          `--by: "${word}" is neither a length of time nor something to split by`,
          near === null ? `${hint}${STRATUM_KEYS.join(', ')}` : hint.trim(),
        ),
      );
    }
  }
  return problems.length > 0 ? { problems } : { windowUs, keys };
}
