/** Whether a share that should fall with load rises somewhere instead. */
import type { LoadWindow } from './logistic-crossing.ts';
import { normalQuantile } from './normal.ts';

/** A rise beyond chance between the loads below and those from `fromLoad` on. */
export interface ShareRise {
  readonly fromLoad: number;
  readonly belowShare: number;
  readonly fromShare: number;
}

/**
 * Compares all windows below each load with all from it on, and gives the split at which the
 * share rises most, if it rises beyond chance; `null` otherwise. `dispersion` is how much less
 * than an independent one a request counts; the level is divided by the number of splits looked
 * at, so that looking at many finds nothing by itself.
 */
export function risingShare(
  windows: readonly LoadWindow[],
  options: { readonly dispersion: number; readonly level: number },
): ShareRise | null {
  const loads = [...new Set(windows.map(({ load }) => load))].toSorted((a, b) => a - b).slice(1);
  const limit = loads.length === 0 ? 0 : normalQuantile(1 - (1 - options.level) / loads.length);
  let worst: { readonly rise: ShareRise; readonly score: number } | null = null;
  for (const fromLoad of loads) {
    const below = pooled(windows.filter(({ load }) => load < fromLoad));
    const from = pooled(windows.filter(({ load }) => load >= fromLoad));
    const all = pooled(windows);
    const variance =
      options.dispersion *
      all.share *
      (1 - all.share) *
      (1 / Math.max(1, below.offered) + 1 / Math.max(1, from.offered));
    const score = variance > 0 ? (from.share - below.share) / Math.sqrt(variance) : 0;
    if (score > (worst?.score ?? limit)) {
      worst = { rise: { fromLoad, belowShare: below.share, fromShare: from.share }, score };
    }
  }
  return worst?.rise ?? null;
}

function pooled(windows: readonly LoadWindow[]): {
  readonly share: number;
  readonly offered: number;
} {
  const offered = windows.reduce((sum, window) => sum + window.offered, 0);
  const good = windows.reduce((sum, window) => sum + window.good, 0);
  return { share: offered === 0 ? 0 : good / offered, offered };
}
