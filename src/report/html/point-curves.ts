/** What charts need of the records of a run, kept small however many there are. */
import { createBins, ecdfPoints, type GanttRow, type XyPoint } from '../../charts/index.ts';
import {
  isOneOfSeveral,
  LogicalJoin,
  measureRecord,
  type Measures,
  type RequestRecord,
} from '../../record/index.ts';
import { judgeMeasured, type Judgement, type Objective } from '../../slo/index.ts';
import {
  levelsOver,
  type PointSummary,
  type Stay,
  stayEndNs,
  type Summary,
} from '../../summary/index.ts';
import { durationFigure } from '../figures.ts';

/** One distribution as drawn: times in ms. */
export interface Curve {
  readonly name: string;
  readonly n: number;
  readonly points: readonly XyPoint[];
}

/** The records of one load point as charts show them. */
export interface PointCurves {
  readonly pointIndex: number;
  /** Of completed requests of the judged window, by prompt bucket; one curve where there is one. */
  readonly ttftMs: readonly Curve[];
  /** The same over all buckets. */
  readonly ttftAllMs: Curve;
  readonly tpotMs: Curve;
  /** Pooled gaps, x exact to 1 %. */
  readonly gapMs: Curve;
  readonly completionMs: Curve;
  /** Mean in flight over bins of the whole point, from the first planned instant. */
  readonly inFlight: readonly XyPoint[];
  readonly rows: readonly GanttRow[];
  /** Requests one after another from the middle of the schedule. */
  readonly closeRows: readonly GanttRow[];
  /** Each row stands for so many requests of the schedule. */
  readonly rowEvery: number;
}

export interface CurveCollector {
  add(record: RequestRecord): void;
  finish(): PointCurves[];
}

/** Rows of a timeline: more are thinner than a line. */
const ROWS_MAX = 120;
const CLOSE_ROWS = 40;
const IN_FLIGHT_BINS = 240;
const NS_PER_MS = 1e6;

/**
 * Reads each record once. `summary` is that of the same records; it says which window is judged.
 * Memory: three numbers and a stay a request; gaps are counted in bins.
 */
export function createCurves(summary: Summary, objective: Objective): CurveCollector {
  const points = new Map(
    summary.points.map((point) => [point.index, pointCollector(point, objective)]),
  );
  return {
    add: (record) => points.get(record.pointIndex)?.add(record),
    finish: () => [...points.values()].map((point) => point.finish()),
  };
}

function pointCollector(
  point: PointSummary,
  objective: Objective,
): { readonly add: (record: RequestRecord) => void; readonly finish: () => PointCurves } {
  const latencies = createLatencies(point, objective);
  const timeline = createTimeline(point);
  const stays: Stay[] = [];
  const judgedFromNs = point.warmUp.untilNs ?? Number.NEGATIVE_INFINITY;

  const judged = (record: RequestRecord): Judged => {
    const measures = measureRecord(record, { counts: objective.request.counts });
    return { measures, judgement: judgeMeasured(record, measures, objective) };
  };
  const take = ({ dispatch }: RequestRecord, of: Judged): void => {
    if (of.judgement.outcome !== 'completed' || (dispatch.plannedNs ?? 0) < judgedFromNs) return;
    latencies.add(of);
  };
  // Latencies are of requests; stays and rows are of tries.
  const join = new LogicalJoin((request) => take(request, judged(request)));

  return {
    add(record) {
      const { dispatch } = record;
      if (dispatch.kind === 'notReached') return;
      const of = judged(record);
      const endNs = stayEndNs(record);
      if (dispatch.kind === 'sent' && endNs !== null) {
        stays.push({ fromNs: dispatch.dispatchedNs, toNs: endNs });
      }
      if (isOneOfSeveral(record)) join.add(record);
      else take(record, of);
      timeline.add(record, of);
    },
    finish: () => {
      join.finish();
      return {
        pointIndex: point.index,
        ...latencies.finish(),
        inFlight: inFlightPoints(stays, point),
        ...timeline.finish(),
      };
    },
  };
}

interface Judged {
  readonly measures: Measures;
  readonly judgement: Judgement;
}

type Latencies = Pick<PointCurves, 'ttftMs' | 'ttftAllMs' | 'tpotMs' | 'gapMs' | 'completionMs'>;

/** How the latencies of what is added are distributed. */
function createLatencies(
  point: PointSummary,
  objective: Objective,
): { readonly add: (of: Judged) => void; readonly finish: () => Latencies } {
  const ttft = new Map<string, number[]>();
  const tpot: number[] = [];
  const completion: number[] = [];
  const gaps = createBins();
  return {
    add({ measures, judgement }) {
      const firstNs =
        objective.request.from === 'planned'
          ? measures.ttftFromPlannedNs
          : measures.ttftFromDispatchNs;
      if (firstNs !== null) {
        const known = ttft.get(judgement.promptBucket);
        if (known === undefined) ttft.set(judgement.promptBucket, [firstNs / NS_PER_MS]);
        else known.push(firstNs / NS_PER_MS);
      }
      if (measures.tpotNs !== null) tpot.push(measures.tpotNs / NS_PER_MS);
      if (measures.completionNs !== null) completion.push(measures.completionNs / NS_PER_MS);
      for (const gapNs of measures.chunkGapsNs) gaps.add(gapNs / NS_PER_MS);
    },
    finish: () => ({
      ttftMs: ttftCurves(ttft, point),
      ttftAllMs: curveOf('TTFT', [...ttft.values()].flat()),
      tpotMs: curveOf('TPOT', tpot),
      gapMs: { name: 'gaps', n: gaps.count, points: gaps.points() },
      completionMs: curveOf('completion', completion),
    }),
  };
}

type Timeline = Pick<PointCurves, 'rows' | 'closeRows' | 'rowEvery'>;

/** Rows spread over the whole schedule, and those of its middle one after another. */
function createTimeline(point: PointSummary): {
  readonly add: (record: RequestRecord, of: Judged) => void;
  readonly finish: () => Timeline;
} {
  const rows: GanttRow[] = [];
  const rowEvery = Math.max(1, Math.ceil(point.ledger.scheduled / ROWS_MAX));
  const closeRows: GanttRow[] = [];
  const closeFrom = Math.max(0, Math.floor((point.ledger.scheduled - CLOSE_ROWS) / 2));
  return {
    add(record, { measures, judgement }) {
      const { scheduleIndex } = record;
      const isSpread = scheduleIndex % rowEvery === 0;
      const isClose = scheduleIndex >= closeFrom && scheduleIndex < closeFrom + CLOSE_ROWS;
      if (!isSpread && !isClose) return;
      const row = rowOf(record, measures, judgement);
      if (isSpread) rows.push(row);
      if (isClose) closeRows.push(row);
    },
    finish: () => ({
      rows: rows.toSorted((a, b) => a.plannedSeconds - b.plannedSeconds),
      closeRows: closeRows.toSorted((a, b) => a.plannedSeconds - b.plannedSeconds),
      rowEvery,
    }),
  };
}

/** In the order of the summary's buckets. */
function ttftCurves(values: ReadonlyMap<string, number[]>, point: PointSummary): Curve[] {
  const order = point.promptBuckets.map(({ name }) => name);
  return [...values]
    .toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .map(([bucket, ms]) => curveOf(`${bucket} prompt tokens`, ms));
}

function curveOf(name: string, values: readonly number[]): Curve {
  return { name, n: values.length, points: ecdfPoints(Float64Array.from(values).sort()) };
}

function inFlightPoints(stays: readonly Stay[], point: PointSummary): XyPoint[] {
  const wall = [point.rates, ...point.otherWindows].find(
    ({ window }) => window.kind === 'wall',
  )?.window;
  if (wall === undefined || wall.toNs <= wall.fromNs) return [];
  const binNs = (wall.toNs - wall.fromNs) / IN_FLIGHT_BINS;
  return Array.from(levelsOver(stays, wall, IN_FLIGHT_BINS), (level, bin) => ({
    x: (wall.fromNs + (bin + 0.5) * binNs) / 1e9,
    y: Math.round(level * 1e3) / 1e3,
  }));
}

function rowOf(record: RequestRecord, measures: Measures, judgement: Judgement): GanttRow {
  const { dispatch, scheduleIndex, attempt } = record;
  const plannedNs = dispatch.plannedNs ?? 0;
  const sentNs = dispatch.kind === 'sent' ? dispatch.dispatchedNs : null;
  const endNs = stayEndNs(record);
  const waitNs = measures.ttftFromDispatchNs;
  const label = `#${scheduleIndex}${attempt > 1 ? ` try ${attempt}` : ''}`;
  const { verdict, reason } = judgement;
  const why = reason === null ? '' : ` (${reason})`;
  return {
    label,
    plannedSeconds: seconds(plannedNs),
    sentSeconds: sentNs === null ? null : seconds(sentNs),
    firstSeconds: sentNs === null || waitNs === null ? null : seconds(sentNs + waitNs),
    endSeconds: endNs === null ? null : seconds(endNs),
    tone: verdict === 'good' ? 'good' : verdict === 'bad' ? 'bad' : 'doubt',
    tip: `${label}: ${verdict}${why}, ${judgement.outcome}; TTFT ${durationFigure(measures.ttftFromPlannedNs)}, done ${durationFigure(measures.completionFromPlannedNs)}`,
  };
}

/** To the microsecond: finer is nothing that a picture shows. */
function seconds(ns: number): number {
  return Math.round(ns / 1e3) / 1e6;
}
