/**
 * Alerts on the burn rate over a long and a short window: which windows and factors suit a target
 * and a period, and how soon each fires.
 *
 * Sources: The Site Reliability Workbook, chapter 5 (2 % in an hour, 5 % in six, 10 % in three
 * days; short window a twelfth of the long); Wilson (1927) for the guard at low traffic.
 */
import { assert, NS_PER_SECOND, secondsFromNs } from '../base/index.ts';

export const MINUTE_NS = 60 * NS_PER_SECOND;
const HOUR_NS = 60 * MINUTE_NS;
const DAY_NS = 24 * HOUR_NS;
/** Period that the workbook's windows are for; others scale them. */
const REFERENCE_PERIOD_NS = 30 * DAY_NS;
/** Below it the windows would be shorter than a few scrapes. */
export const ALERT_PERIOD_LEAST_NS = 7 * DAY_NS;
/** Misses below which nothing fires: one of two is no evidence, whatever its share. */
export const BAD_LEAST = 5;
/** One-sided 95 %: the guard's confidence that the bad share is really above the threshold. */
export const GUARD_Z = 1.6449;

export type BurnAlertName = 'PageFast' | 'PageSlow' | 'TicketFast' | 'TicketSlow';

/** One alert: fires while the bad share of both windows is above its threshold. */
export interface BurnAlert {
  readonly name: BurnAlertName;
  readonly severity: 'page' | 'ticket';
  readonly longNs: number;
  readonly shortNs: number;
  /** Burn rate above which it fires; at least 1, at 1 the budget lasts exactly its period. */
  readonly factor: number;
  /** factor × (1 − target), in (0, 1): the bad share above which it fires. */
  readonly thresholdShare: number;
  /** Part of the period's budget that is gone when it fires at just that burn rate. */
  readonly budgetShare: number;
  /** The workbook's factor, where this one had to be lower to be able to fire; else `null`. */
  readonly loweredFrom: number | null;
}

interface BurnRow {
  readonly name: BurnAlertName;
  readonly severity: 'page' | 'ticket';
  readonly budgetShare: number;
  readonly longNs: number;
  /** Bad share that must be enough to fire, however low the target. */
  readonly mustFireAtShare: number;
}

const ROWS: readonly BurnRow[] = [
  { name: 'PageFast', severity: 'page', budgetShare: 0.02, longNs: HOUR_NS, mustFireAtShare: 0.5 },
  {
    name: 'PageSlow',
    severity: 'page',
    budgetShare: 0.05,
    longNs: 6 * HOUR_NS,
    mustFireAtShare: 0.25,
  },
  {
    name: 'TicketFast',
    severity: 'ticket',
    budgetShare: 0.1,
    longNs: DAY_NS,
    mustFireAtShare: 0.15,
  },
  {
    name: 'TicketSlow',
    severity: 'ticket',
    budgetShare: 0.1,
    longNs: 3 * DAY_NS,
    mustFireAtShare: 0.1,
  },
];

/** The share of requests that may miss; 1 − 0.97 is 0.03, not its binary neighbour. */
export function missableShare(targetShare: number): number {
  return Number((1 - targetShare).toPrecision(12));
}

/**
 * The alerts for a target over a period of at least {@link ALERT_PERIOD_LEAST_NS}: the workbook's
 * windows scaled to the period, and its factors, lowered where `factor × (1 − target)` would ask
 * for more misses than a bad incident brings. A factor below 1 would fire on budget, so its alert
 * is left out: at a target of 50 % only PageFast remains.
 */
export function burnAlerts(targetShare: number, periodNs: number): BurnAlert[] {
  assert(targetShare > 0 && targetShare < 1, `target ${targetShare} is not in (0, 1)`);
  assert(periodNs >= ALERT_PERIOD_LEAST_NS, `a period of ${periodNs} ns is too short`);
  const budget = missableShare(targetShare);
  return ROWS.flatMap(({ name, severity, budgetShare, longNs: reference, mustFireAtShare }) => {
    const longNs = wholeMinutes((reference * periodNs) / REFERENCE_PERIOD_NS);
    const classic = (budgetShare * periodNs) / longNs;
    const factor = rounded(Math.min(Math.max(1, classic), mustFireAtShare / budget));
    if (factor < 1) return [];
    const alert: BurnAlert = {
      name,
      severity,
      longNs,
      shortNs: Math.max(2 * MINUTE_NS, wholeMinutes(longNs / 12)),
      factor,
      thresholdShare: rounded(factor * budget),
      budgetShare: (factor * longNs) / periodNs,
      loweredFrom: factor < classic && classic > 1 ? rounded(classic) : null,
    };
    return [alert];
  });
}

function wholeMinutes(ns: number): number {
  return Math.round(ns / MINUTE_NS) * MINUTE_NS;
}

function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

/**
 * One-sided lower bound of the bad share behind `bad` of `valid` requests, which need not be whole:
 * `increase()` extrapolates. 0 without requests.
 */
export function wilsonLow(bad: number, valid: number, z = GUARD_Z): number {
  if (valid <= 0) return 0;
  const spread = (bad * (valid - bad)) / valid + (z * z) / 4;
  return (bad + (z * z) / 2 - z * Math.sqrt(spread)) / (valid + z * z);
}

export interface Incident {
  /** Share of requests that are bad from its start on, after a clean history. */
  readonly badShare: number;
  /** Requests per second; `null` = so many that the guard does not matter. */
  readonly rps: number | null;
}

/** From the start of an incident until an alert fires; `null` when it never does. */
export function timeToFireNs(alert: BurnAlert, incident: Incident): number | null {
  const { thresholdShare, longNs, shortNs } = alert;
  const { badShare, rps } = incident;
  if (badShare <= thresholdShare) return null;
  if (rps === null) return Math.ceil((thresholdShare / badShare) * longNs);
  const stepNs = Math.min(MINUTE_NS, shortNs);
  for (let atNs = stepNs; atNs <= longNs; atNs += stepNs) {
    const bad = badShare * rps * secondsFromNs(atNs);
    const isLongAbove = wilsonLow(bad, rps * secondsFromNs(longNs)) > thresholdShare;
    const isShortAbove = badShare * Math.min(1, atNs / shortNs) > thresholdShare;
    if (isLongAbove && isShortAbove && bad > BAD_LEAST - 0.5) return atNs;
  }
  return null;
}
