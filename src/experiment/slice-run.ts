/** A stored load point cut into slices of equal length, as units of a comparison. */
import { unusableReason, type WindowFigures, windowFigures } from '../comparison/index.ts';
import { correctnessOf, type RunSpec } from '../config/index.ts';
import { LogicalJoin, type ManifestPoint, type RequestRecord } from '../record/index.ts';
import type { OpenRun } from '../store/index.ts';
import { createPointAccumulator, type PointSummary } from '../summary/index.ts';

/** A run with the spec it was made with. */
export interface StoredSide {
  readonly run: OpenRun;
  readonly spec: RunSpec;
}

/** A slice with fewer requests says too little on its own. */
export const SLICE_REQUESTS_MIN = 30;
/** More slices than this are too short to hold an answer. */
export const SLICES_MAX = 20;

/** When the judged part of a point began, and how many requests were due in it. */
export interface JudgedSpan {
  readonly fromNs: number;
  readonly toNs: number;
  readonly requests: number;
}

/** Reads every record of the point once. */
export async function judgedSpan({ run }: StoredSide, point: ManifestPoint): Promise<JudgedSpan> {
  let firstNs = Number.POSITIVE_INFINITY;
  let requests = 0;
  for await (const { dispatch, attempt } of run.records(point.index)) {
    if (dispatch.kind === 'notReached' || attempt > 1) continue;
    if (dispatch.plannedNs < (point.steadyFromNs ?? 0)) continue;
    firstNs = Math.min(firstNs, dispatch.plannedNs);
    requests += 1;
  }
  const fromNs = point.steadyFromNs ?? (requests === 0 ? point.stopNs : firstNs);
  return { fromNs, toNs: Math.max(point.stopNs, fromNs), requests };
}

/**
 * The figures of the whole judged part of a point, which may be compared if `summary` may be
 * trusted. A warm-up that the summary detected is not cut off: it would be cut elsewhere on the
 * other side, and the requests would no longer be the same.
 */
export async function pointFigures(
  side: StoredSide,
  point: ManifestPoint,
  summary: PointSummary,
): Promise<WindowFigures> {
  const span = await judgedSpan(side, point);
  const [figures] = await sliceFigures(side, point, { span, count: 1 });
  return { ...(figures as WindowFigures), unusable: unusableReason(summary) };
}

/**
 * The figures of `count` slices by planned instant. Whether the whole run can be trusted is not
 * asked here: the checks of a whole do not hold for a part.
 */
export async function sliceFigures(
  { run, spec }: StoredSide,
  point: ManifestPoint,
  options: { readonly span: JudgedSpan; readonly count: number },
): Promise<WindowFigures[]> {
  const { span, count } = options;
  const { manifest } = run;
  const sliceNs = (span.toNs - span.fromNs) / count;
  const slices = Array.from({ length: count }, (_, at) =>
    createPointAccumulator({
      point: {
        ...point,
        // Declared, so that none is detected: both sides must be cut alike.
        steadyFromNs: Math.round(span.fromNs + at * sliceNs),
        stopNs: Math.round(span.fromNs + (at + 1) * sliceNs),
        generator: null,
      },
      objective: spec.objective ?? correctnessOf(spec),
      exactOutput: manifest.counting.exactOutput,
      prefixCache: manifest.prefixCache,
    }),
  );
  // A request belongs to the slice in which it was due, with all its tries.
  const join = new LogicalJoin((request: RequestRecord) => {
    const { dispatch } = request;
    if (dispatch.kind === 'notReached' || dispatch.plannedNs < span.fromNs) return;
    const at = Math.min(count - 1, Math.floor((dispatch.plannedNs - span.fromNs) / sliceNs));
    slices[at]?.add({ ...request, attempt: 1 });
  });
  for await (const record of run.records(point.index)) join.add(record);
  join.finish();
  return slices.map((slice) => {
    const summary = slice.finish();
    const unusable = summary.attainment.offered === 0 ? 'nothing was offered in it' : null;
    return { ...windowFigures(summary), unusable };
  });
}
