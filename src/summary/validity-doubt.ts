/**
 * What one request may have looked like to a client that is never late. Each instant may be earlier
 * than its stamp by the stall it fell in, or by what a calibration of the client allows where it saw
 * no stall; and the start was late by what the record says. So every latency has a least and a
 * greatest value, and the judge is asked about both.
 */
import type { Measures, RequestRecord } from '../record/index.ts';
import { judgeMeasured, type Judgement, type Objective, type Verdict } from '../slo/index.ts';
import type { StampBound } from './validity-calibration.ts';
import type { StallIndex } from './validity-stalls.ts';

/** How far the client's own error reaches in one request; all 0 and no change in most. */
export interface ClientDoubt {
  /** The verdict with every latency at its least, and at its greatest. */
  readonly kindest: Verdict;
  readonly harshest: Verdict;
  /** Largest error of any instant of it, the start's lateness included. */
  readonly errorNs: number;
  readonly firstErrorNs: number;
  readonly doneErrorNs: number;
  readonly tpotKindestNs: number | null;
  readonly tpotHarshestNs: number | null;
  /** Gaps whose later event was stamped outside all stalls, and how many of those are zero. */
  readonly calmGapCount: number;
  readonly calmZeroGapCount: number;
}

/**
 * The objective with its clock started where the start's lateness does not count, and where it
 * does: the least and the greatest latency that the lateness leaves possible.
 */
export interface ClockedObjectives {
  readonly asked: Objective;
  readonly kindest: Objective;
  readonly harshest: Objective;
}

export function clockedObjectives(asked: Objective): ClockedObjectives {
  const startedAt = (from: 'planned' | 'dispatch'): Objective =>
    from === asked.request.from ? asked : { ...asked, request: { ...asked.request, from } };
  return { asked, kindest: startedAt('dispatch'), harshest: startedAt('planned') };
}

export function clientDoubtOf(
  seen: { readonly record: RequestRecord; readonly measures: Measures; readonly asked: Judgement },
  objectives: ClockedObjectives,
  stamps: { readonly stalls: StallIndex; readonly bound: StampBound },
): ClientDoubt {
  const { record, measures, asked } = seen;
  const { dispatch } = record;
  const startErrorNs = dispatch.kind === 'sent' ? dispatch.dispatchedNs - dispatch.plannedNs : 0;
  const errors = stampErrors(record, measures, stamps);
  /** Asked again only where something differs: most requests meet no stall. */
  const judged = (objective: Objective, shifted: Measures): Verdict => {
    const isSameClock = objective === objectives.asked || startErrorNs === 0;
    if (isSameClock && shifted === measures) return asked.verdict;
    return judgeMeasured(record, shifted, objective).verdict;
  };
  const kindest = errors === null ? measures : kindestMeasures(measures, errors);
  const harshest = errors === null ? measures : harshestMeasures(measures, errors);
  return {
    kindest: judged(objectives.kindest, kindest),
    harshest: judged(objectives.harshest, harshest),
    errorNs: Math.max(startErrorNs, errors?.mostNs ?? 0),
    firstErrorNs: errors?.firstNs ?? 0,
    doneErrorNs: errors?.doneNs ?? 0,
    tpotKindestNs: kindest.tpotNs,
    tpotHarshestNs: harshest.tpotNs,
    calmGapCount: errors?.calmGapCount ?? measures.chunkGapsNs.length,
    calmZeroGapCount: errors?.calmZeroGapCount ?? measures.zeroGapCount,
  };
}

/** How much earlier each instant may have been than its stamp. */
interface StampErrors {
  readonly firstNs: number;
  readonly lastNs: number;
  readonly doneNs: number;
  readonly mostNs: number;
  /** Of every counted event, the first included, as far as the gaps around it are judged. */
  readonly eventsNs: readonly number[];
  readonly calmGapCount: number;
  readonly calmZeroGapCount: number;
}

/** `null` where no stamp of the answer can be late. */
function stampErrors(
  record: RequestRecord,
  measures: Measures,
  { stalls, bound }: { readonly stalls: StallIndex; readonly bound: StampBound },
): StampErrors | null {
  const { dispatch, timeline } = record;
  if (dispatch.kind !== 'sent' || timeline === null) return null;
  const { dispatchedNs } = dispatch;
  const doneNs = timeline.doneNs ?? timeline.output.atNs.at(-1) ?? dispatchedNs;
  const meetsStall = stalls.touches(dispatchedNs, doneNs);
  if (!meetsStall && bound.stampNs === 0) return null;
  const stallAt = (atNs: number): number => (meetsStall ? stalls.latenessAt(atNs) : 0);
  const events = eventErrors(dispatchedNs, measures, bound, stallAt);
  const done = timeline.doneNs === null ? 0 : Math.max(stallAt(timeline.doneNs), bound.stampNs);
  return {
    ...events,
    doneNs: done,
    mostNs: events.eventsNs.reduce((most, lateNs) => Math.max(most, lateNs), done),
  };
}

function eventErrors(
  dispatchedNs: number,
  measures: Measures,
  { stampNs, gapStampNs }: StampBound,
  stallAt: (atNs: number) => number,
): Omit<StampErrors, 'doneNs' | 'mostNs'> {
  if (measures.ttftFromDispatchNs === null) {
    return { firstNs: 0, lastNs: 0, eventsNs: [], calmGapCount: 0, calmZeroGapCount: 0 };
  }
  let atNs = dispatchedNs + measures.ttftFromDispatchNs;
  const firstStallNs = stallAt(atNs);
  let stallNs = firstStallNs;
  const eventsNs = [Math.max(stallNs, gapStampNs)];
  let calmGapCount = 0;
  let calmZeroGapCount = 0;
  for (const gapNs of measures.chunkGapsNs) {
    atNs += gapNs;
    if (gapNs !== 0) stallNs = stallAt(atNs);
    eventsNs.push(Math.max(stallNs, gapStampNs));
    if (stallNs > 0) continue;
    calmGapCount += 1;
    if (gapNs === 0) calmZeroGapCount += 1;
  }
  return {
    firstNs: Math.max(firstStallNs, stampNs),
    lastNs: Math.max(stallNs, stampNs),
    eventsNs,
    calmGapCount,
    calmZeroGapCount,
  };
}

function kindestMeasures(measures: Measures, errors: StampErrors): Measures {
  return {
    ...measures,
    ttftFromPlannedNs: sooner(measures.ttftFromPlannedNs, errors.firstNs),
    ttftFromDispatchNs: sooner(measures.ttftFromDispatchNs, errors.firstNs),
    firstAnswerFromPlannedNs: sooner(measures.firstAnswerFromPlannedNs, errors.mostNs),
    firstAnswerFromDispatchNs: sooner(measures.firstAnswerFromDispatchNs, errors.mostNs),
    lastContentNs: sooner(measures.lastContentNs, errors.lastNs),
    tpotNs: stretched(measures, -errors.lastNs),
    chunkGapsNs: measures.chunkGapsNs.map((gapNs, at) =>
      Math.max(0, gapNs - (errors.eventsNs[at + 1] as number)),
    ),
    completionNs: sooner(measures.completionNs, errors.doneNs),
    completionFromPlannedNs: sooner(measures.completionFromPlannedNs, errors.doneNs),
  };
}

/** A late first stamp made what follows look shorter; a late last one only made it longer. */
function harshestMeasures(measures: Measures, errors: StampErrors): Measures {
  return {
    ...measures,
    tpotNs: stretched(measures, errors.firstNs),
    chunkGapsNs: measures.chunkGapsNs.map((gapNs, at) => gapNs + (errors.eventsNs[at] as number)),
  };
}

function sooner(spanNs: number | null, byNs: number): number | null {
  return spanNs === null ? null : Math.max(0, spanNs - byNs);
}

/** TPOT with the time from first to last event changed: tokens stay as they are. */
function stretched(measures: Measures, byNs: number): number | null {
  const { tpotNs, lastContentNs, ttftFromDispatchNs } = measures;
  if (tpotNs === null || lastContentNs === null || ttftFromDispatchNs === null) return tpotNs;
  const spanNs = lastContentNs - ttftFromDispatchNs;
  // Unchanged to the last bit where nothing changes.
  return spanNs <= 0 || byNs === 0 ? tpotNs : (tpotNs * Math.max(0, spanNs + byNs)) / spanNs;
}
