/** Two stored runs, or one against earlier ones: no traffic, and weaker claims. */
import { printable, ProblemsError, usageProblem } from '../base/index.ts';
import {
  compareCapacities,
  comparePairs,
  compareWithBaseline,
  type Comparison,
  differingFacts,
  type MeasuredCapacity,
  type MinimumEffects,
  unusableReason,
  type WindowFigures,
} from '../comparison/index.ts';
import { correctnessOf } from '../config/index.ts';
import type { ManifestPoint } from '../record/index.ts';
import type { PointSummary } from '../summary/index.ts';
import { type AskedRun, assembleComparison } from './assemble-comparison.ts';
import { questionOf } from './run-question.ts';
import {
  judgedSpan,
  pointFigures,
  SLICE_REQUESTS_MIN,
  sliceFigures,
  SLICES_MAX,
  type StoredSide,
} from './slice-run.ts';
import { summariseRun } from './summarise-run.ts';

export interface StoredOptions {
  readonly toolVersion: string;
  readonly effects: MinimumEffects;
  /** Level of the load point to compare; `null` = the only one. */
  readonly level: number | null;
}

const STORED_CAVEATS = [
  'the runs were made one after the other, so whatever changed between them in time (other load, ' +
    'temperature, caches, the network) is not told apart from the change under test',
  'slices of one run share its start and its backlog, so the interval speaks of these two runs, ' +
    'not of the next ones: interleave windows (--a URL --b URL) for that',
] as const;

/**
 * Compares the same load point of two runs, slice by slice.
 *
 * Errors: ProblemsError when they have no load point in common, or several and none is named.
 */
export async function compareStoredRuns(
  a: StoredSide,
  b: StoredSide,
  options: StoredOptions & {
    readonly capacities: { readonly a: MeasuredCapacity; readonly b: MeasuredCapacity } | null;
  },
): Promise<Comparison> {
  const { effects, capacities } = options;
  if (capacities !== null) return compareSearches(a, b, { ...options, capacities });
  const points = commonPoint(a, b, options.level);
  const spans = { a: await judgedSpan(a, points.a), b: await judgedSpan(b, points.b) };
  const requests = Math.min(spans.a.requests, spans.b.requests);
  const count = Math.min(SLICES_MAX, Math.max(1, Math.floor(requests / SLICE_REQUESTS_MIN)));
  const left = await sliceFigures(a, points.a, { span: spans.a, count });
  const right = await sliceFigures(b, points.b, { span: spans.b, count });
  const faults = await Promise.all([
    runFault(a, points.a, options),
    runFault(b, points.b, options),
  ]);
  const { metrics, excluded } = comparePairs(
    left.map((figures, at) => ({
      a: { ...figures, unusable: faults[0] ?? figures.unusable },
      b: { ...(right[at] ?? figures), unusable: faults[1] ?? right[at]?.unusable ?? null },
    })),
    { pairsPerUnit: 1, seed: a.spec.seeds.arrivals, effects, floor: null },
  );
  return assembleComparison({
    toolVersion: options.toolVersion,
    design: 'storedRuns',
    unit: 'slice',
    labels: { a: a.run.dir, b: b.run.dir },
    runIds: { a: [a.run.manifest.runId], b: [b.run.manifest.runId] },
    asked: { a: askedOf(a), b: askedOf(b) },
    metrics,
    unitsMeasured: count,
    excluded,
    floor: null,
    isNoiseFloor: false,
    caveats: STORED_CAVEATS,
  });
}

/** Two capacity searches: their windows are at loads of their own, so only the results compare. */
function compareSearches(
  a: StoredSide,
  b: StoredSide,
  options: StoredOptions & {
    readonly capacities: { readonly a: MeasuredCapacity; readonly b: MeasuredCapacity };
  },
): Comparison {
  const { capacities, effects, toolVersion } = options;
  return assembleComparison({
    toolVersion,
    design: 'storedRuns',
    unit: 'run',
    labels: { a: a.run.dir, b: b.run.dir },
    runIds: { a: [a.run.manifest.runId], b: [b.run.manifest.runId] },
    asked: { a: askedOf(a), b: askedOf(b) },
    metrics: [compareCapacities(capacities.a, capacities.b, effects)],
    unitsMeasured: 1,
    excluded: [],
    floor: null,
    isNoiseFloor: false,
    caveats: [STORED_CAVEATS[0]],
  });
}

/** A run folder that was looked at and is no part of the baseline. */
export interface SkippedRun {
  readonly dir: string;
  readonly reason: string;
}

/**
 * Compares a run with the last `last` of `earlier`, oldest first, that asked the same and may be
 * trusted.
 *
 * Errors: ProblemsError when the run has several load points and none is named.
 */
export async function compareRunWithBaseline(
  run: StoredSide,
  earlier: readonly StoredSide[],
  options: StoredOptions & { readonly last: number },
): Promise<{ readonly comparison: Comparison; readonly skipped: readonly SkippedRun[] }> {
  const { effects, last, level } = options;
  const point = commonPoint(run, run, level).a;
  const skipped: SkippedRun[] = [];
  const good: { readonly side: StoredSide; readonly figures: WindowFigures }[] = [];
  for (const side of earlier.toReversed()) {
    if (good.length === last) break;
    const found = await baselinePoint(run, side, point, options);
    if (typeof found === 'string') skipped.push({ dir: side.run.dir, reason: found });
    else good.unshift({ side, figures: found });
  }
  const figures = await pointFigures(run, point, await pointSummary(run, point, options));
  const metrics = compareWithBaseline(
    figures,
    good.map((each) => each.figures),
    effects,
  );
  const reference = good.at(-1)?.side ?? run;
  const comparison = assembleComparison({
    toolVersion: options.toolVersion,
    design: 'baseline',
    unit: 'run',
    labels: { a: `the last ${good.length} good runs`, b: run.run.dir },
    runIds: {
      a: good.map(({ side }) => side.run.manifest.runId),
      b: [run.run.manifest.runId],
    },
    asked: { a: askedOf(reference), b: askedOf(run) },
    metrics,
    unitsMeasured: good.length,
    excluded: figures.unusable === null ? [] : [{ unit: 0, reason: `B: ${figures.unusable}` }],
    floor: null,
    isNoiseFloor: false,
    caveats: ['a difference may be due to anything that changed since the baseline runs'],
  });
  return { comparison, skipped };
}

/** The figures of an earlier run that belongs to the baseline, or why it does not. */
async function baselinePoint(
  run: StoredSide,
  side: StoredSide,
  point: ManifestPoint,
  options: StoredOptions,
): Promise<WindowFigures | string> {
  const differing = differingFacts(
    { ...questionOf(run.spec, run.run.manifest) },
    { ...questionOf(side.spec, side.run.manifest) },
  );
  if (differing.length > 0) {
    return `it was asked something else: ${differing.map(({ fact }) => fact).join(', ')}`;
  }
  const same = side.run.manifest.points.find(
    ({ kind, level }) => kind === point.kind && level === point.level,
  );
  if (same === undefined) return 'it never came to this load';
  const summary = await pointSummary(side, same, options);
  const figures = await pointFigures(side, same, summary);
  return figures.unusable ?? figures;
}

async function runFault(
  side: StoredSide,
  point: ManifestPoint,
  options: StoredOptions,
): Promise<string | null> {
  return unusableReason(await pointSummary(side, point, options));
}

async function pointSummary(
  { run, spec }: StoredSide,
  point: ManifestPoint,
  { toolVersion }: StoredOptions,
): Promise<PointSummary> {
  const summary = await summariseRun(run, {
    objective: spec.objective,
    correctness: correctnessOf(spec),
    toolVersion,
  });
  return summary.points.find(({ index }) => index === point.index) as PointSummary;
}

function askedOf({ run, spec }: StoredSide): AskedRun {
  return { spec, manifest: run.manifest };
}

/** The load point that both runs have. */
function commonPoint(
  a: StoredSide,
  b: StoredSide,
  level: number | null,
): { readonly a: ManifestPoint; readonly b: ManifestPoint } {
  const common = a.run.manifest.points.flatMap((point) => {
    const other = b.run.manifest.points.find(
      ({ kind, level: theirs }) => kind === point.kind && theirs === point.level,
    );
    return other === undefined || (level !== null && level !== point.level)
      ? []
      : [{ a: point, b: other }];
  });
  const [only, ...others] = common;
  if (only !== undefined && others.length === 0) return only;
  const levels = (side: StoredSide): string =>
    side.run.manifest.points.map((point) => point.level).join(', ') || 'none';
  throw new ProblemsError([
    only === undefined
      ? usageProblem(
          'E_USAGE_CONFLICT',
          `${printable(a.run.dir)} and ${printable(b.run.dir)} have no such load point in common`,
          `A has ${levels(a)}; B has ${levels(b)}`,
        )
      : usageProblem(
          'E_USAGE_MISSING',
          'the runs have several load points in common',
          `name one with --at, of ${common.map((each) => each.a.level).join(', ')}`,
        ),
  ]);
}
