import { assert } from '../base/index.ts';
import { NAMED_FAULTS, type Fault, type FaultName } from './fault.ts';

/** A stretch of time since the server started, in nanoseconds: from the first instant up to the second. */
export interface FaultWindow {
  readonly fromNs: number;
  /** Null = for ever. */
  readonly toNs: number | null;
}

/** Which requests a rule is about: those that fit all of it. */
export interface FaultMatch {
  readonly window: FaultWindow;
  /** Numbers of requests among those the server understood, from 1. */
  readonly firstRequest: number;
  /** Null = all from the first on. */
  readonly lastRequest: number | null;
  /** Name of the API, null = any. */
  readonly api: string | null;
  /** Whether the answer is streamed, null = either. */
  readonly streamed: boolean | null;
}

/** How many of the requests that fit meet the fault. */
export type FaultPick =
  | { readonly kind: 'all' }
  /** In [0, 1], drawn by the server's seed and the request's number. */
  | { readonly kind: 'share'; readonly share: number }
  /** The n-th, 2n-th, … of those that fit and have met no fault of an earlier rule. */
  | { readonly kind: 'every'; readonly n: number };

export interface FaultRule {
  /** How logs call it. */
  readonly name: string;
  readonly match: FaultMatch;
  readonly pick: FaultPick;
  readonly fault: Fault;
}

/**
 * What goes wrong with a server, and when.
 *
 * A request meets at most one fault: rules are tried in order, and the first one that fits and picks
 * it has it. Shares of rules that fit the same request are of all such requests, so that rules of
 * 10 % and 5 % break 15 % of them; above 100 % in all, earlier rules have their full share.
 */
export interface FaultScript {
  readonly rules: readonly FaultRule[];
  /** Every step that begins in the window takes `factor` as long; the first window that fits counts. */
  readonly slowSteps: readonly (FaultWindow & { readonly factor: number })[];
  /**
   * The engine crashes and comes back: connections are cut, new ones refused meanwhile, and what it
   * held, counted and cached is gone. In order of time, apart from one another.
   */
  readonly restarts: readonly { readonly fromNs: number; readonly toNs: number }[];
}

export const NO_FAULTS: FaultScript = { rules: [], slowSteps: [], restarts: [] };

/** Every request, at any time. */
export const ANY_REQUEST: FaultMatch = {
  window: { fromNs: 0, toNs: null },
  firstRequest: 1,
  lastRequest: null,
  api: null,
  streamed: null,
};

/** A named fault for a share of all requests. */
export function faultShare(name: FaultName, share: number): FaultRule {
  const fault = NAMED_FAULTS[name];
  return { name, match: ANY_REQUEST, pick: { kind: 'share', share }, fault };
}

/** Several scripts as one: rules and windows in the order given, restarts in the order of time. */
export function joinScripts(scripts: readonly FaultScript[]): FaultScript {
  return {
    rules: scripts.flatMap(({ rules }) => rules),
    slowSteps: scripts.flatMap(({ slowSteps }) => slowSteps),
    restarts: scripts.flatMap(({ restarts }) => restarts).toSorted((a, b) => a.fromNs - b.fromNs),
  };
}

/** How much longer than usual a step takes that begins so long after the start. */
export function stepFactorAt(script: FaultScript, sinceStartNs: number): number {
  const slow = script.slowSteps.find((window) => holds(window, sinceStartNs));
  return slow?.factor ?? 1;
}

export function holds({ fromNs, toNs }: FaultWindow, atNs: number): boolean {
  return atNs >= fromNs && (toNs === null || atNs < toNs);
}

/** Whether two restarts overlap: a server that is down cannot crash. */
export function restartsOverlap({ restarts }: FaultScript): boolean {
  return restarts.some(({ fromNs }, at) => {
    const before = restarts[at - 1];
    return before !== undefined && fromNs < before.toNs;
  });
}

/** Errors: AssertionError for a script that no parser would let through. */
export function assertScript(script: FaultScript): void {
  assert(!restartsOverlap(script), 'restarts overlap');
  assert(
    script.slowSteps.every(({ factor }) => factor > 0),
    'a factor of slow steps is not positive',
  );
}
