/** Where the judged window begins: after the warm-up that was declared, or that is found. */
import type { ManifestPoint } from '../record/index.ts';
import { warmUpShare } from '../stats/index.ts';
import { levelsOver, type Stay } from './in-flight.ts';
import type { PointSummary } from './summary.ts';

/** Looks at the level in one mean stay. */
const LOOKS_PER_STAY = 5;
/** With fewer stays in a row a warm-up cannot be told from the rest of the run. */
const STAYS_LEAST = 50;
const LOOKS_MOST = 20_000;
/** A shorter run is reported as it was: what it would lose weighs more than its start. */
const REQUESTS_LEAST = 500;

/**
 * The warm-up of a point: as declared, else as MSER-5 finds it in the number of requests in flight
 * while load was offered. Only a window of at least 500 requests and 50 mean stays is searched, and a cut of half
 * of its time or of its requests is not accepted: such a run has no steady state to report.
 */
export function warmUpOf(
  stays: readonly Stay[],
  point: Pick<ManifestPoint, 'steadyFromNs' | 'closedLoop'>,
  offering: { readonly fromNs: number; readonly toNs: number },
): PointSummary['warmUp'] {
  if (point.steadyFromNs !== null) return { basis: 'declared', untilNs: point.steadyFromNs };
  if (stays.length < REQUESTS_LEAST) return NO_WARM_UP;
  const lengthNs = offering.toNs - offering.fromNs;
  const totalNs = stays.reduce((sum, { fromNs, toNs }) => sum + (toNs - fromNs), 0);
  const stayNs = totalNs / stays.length;
  // A closed loop holds its level from the first moment on: there is no rise to see.
  if (point.closedLoop || !(stayNs > 0) || lengthNs < STAYS_LEAST * stayNs) return NO_WARM_UP;
  const looks = Math.min(LOOKS_MOST, Math.floor((LOOKS_PER_STAY * lengthNs) / stayNs));
  const share = warmUpShare([...levelsOver(stays, offering, looks)]);
  if (share === null || share === 0) return NO_WARM_UP;
  const untilNs = Math.round(offering.fromNs + share * lengthNs);
  const left = stays.filter(({ fromNs }) => fromNs >= untilNs).length;
  return left > stays.length / 2 ? { basis: 'detected', untilNs } : NO_WARM_UP;
}

const NO_WARM_UP: PointSummary['warmUp'] = { basis: 'none', untilNs: null };
