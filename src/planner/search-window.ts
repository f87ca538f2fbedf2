/** What a capacity search asks for, and what it is told of it. */

/**
 * - `bracket`: coarse and short, to find the region;
 * - `local`: within a few per cent of the current estimate;
 * - `boundary`: a closed ladder's last levels, repeated.
 */
export type WindowPhase = 'bracket' | 'local' | 'boundary';

/**
 * - `full`: measured to its end;
 * - `clearlyMet`, `clearlyMissed`: ended early by the sequential test;
 * - `broken`: a circuit breaker stopped it, which counts as missed;
 * - `interrupted`: the user stopped it; it says nothing;
 * - `invalid`: the measurement cannot be trusted; it says nothing and is repeated.
 */
export type WindowEnding =
  | 'full'
  | 'clearlyMet'
  | 'clearlyMissed'
  | 'broken'
  | 'interrupted'
  | 'invalid';

/** One window as it ended. Counts are of requests planned after the warm-up. */
export interface SearchWindow {
  readonly phase: WindowPhase;
  /** Requests/s; streams for a ladder. */
  readonly level: number;
  readonly good: number;
  readonly offered: number;
  /** Judged part. */
  readonly measuredSeconds: number;
  /** Mean time from a request to the end of its answer; `null` when none was completed. */
  readonly answerSeconds: number | null;
  readonly ending: WindowEnding;
}

/** What the driver is to do next. */
export type SearchStep =
  | {
      readonly kind: 'window';
      readonly phase: WindowPhase;
      readonly level: number;
      /** Judged part. */
      readonly seconds: number;
      /** Whether the sequential test may end it. */
      readonly stopsEarly: boolean;
    }
  | { readonly kind: 'done'; readonly reason: SearchEnd };

/**
 * Why a search ended. `metEverywhere`: at the highest load allowed the target is still met.
 * `missedEverywhere`: even the lowest misses it. `targetDown`: three windows in a row were broken
 * and none was ever good. `unusable`: three in a row could not be trusted. `spendingLimit`: a budget
 * of requests, tokens or money is used up.
 */
export type SearchEnd =
  | 'budgetSpent'
  | 'precise'
  | 'metEverywhere'
  | 'missedEverywhere'
  | 'targetDown'
  | 'unusable'
  | 'spendingLimit'
  | 'interrupted';

const IN_A_ROW = 3;

/** Whether the window says anything of its load. */
export function isUsable({ ending }: SearchWindow): boolean {
  return ending !== 'interrupted' && ending !== 'invalid';
}

/** Which side of the target a usable window was seen on. One without requests counts as missed. */
export function wasMet({ ending, good, offered }: SearchWindow, targetShare: number): boolean {
  if (ending === 'clearlyMet' || ending === 'clearlyMissed') return ending === 'clearlyMet';
  return ending === 'full' && offered > 0 && good / offered >= targetShare;
}

/** Judged seconds that count against the budget; what the user interrupted does not. */
export function spentSeconds(windows: readonly SearchWindow[]): number {
  return windows
    .filter(({ ending }) => ending !== 'interrupted')
    .reduce((sum, { measuredSeconds }) => sum + measuredSeconds, 0);
}

/** Why the search cannot go on whatever it asks next; `null` when it can. */
export function deadEnd(windows: readonly SearchWindow[]): 'targetDown' | 'unusable' | null {
  const told = windows.filter(({ ending }) => ending !== 'interrupted');
  const last = told.slice(-IN_A_ROW);
  if (last.length < IN_A_ROW) return null;
  if (last.every(({ ending }) => ending === 'invalid')) return 'unusable';
  const anyGood = told.some(({ good }) => good > 0);
  return !anyGood && last.every(({ ending }) => ending === 'broken') ? 'targetDown' : null;
}
