/** Records and an objective in, the published summary out. */
import { ProblemsError } from '../base/index.ts';
import type {
  ManifestPoint,
  RecordClock,
  RecordSource,
  RequestRecord,
  RunCalibration,
} from '../record/index.ts';
import type { Objective } from '../slo/index.ts';
import { kneeOf } from './knee.ts';
import { createPointAccumulator, type PointAccumulator } from './point-accumulator.ts';
import { isProven, verdictOf } from './population.ts';
import {
  SUMMARY_SCHEMA_VERSION,
  type PointSummary,
  type Summary,
  type Validity,
} from './summary.ts';
import { summaryCalibrationOf } from './validity-calibration.ts';

/** What a summary needs to know of a run beyond its records. */
export interface SummaryOptions {
  readonly toolVersion: string;
  readonly experimentHash: string;
  readonly source: RecordSource;
  readonly clock: RecordClock;
  /** Prefix cache policy that was asked for. */
  readonly prefixCache: string;
  /** Whether exact output lengths were asked of the server. */
  readonly exactOutput: boolean;
  /** What is known of the client's stamps; left out: nothing. */
  readonly calibration?: RunCalibration | null;
  readonly points: readonly ManifestPoint[];
  /** `null` = nothing was asked: good means correct, and there is no verdict. */
  readonly objective: Objective | null;
  /** What a correct answer of this run is, for when nothing was asked. */
  readonly correctness: Objective;
}

/** Takes the records of all points in any order, e.g. as they are read from disk. */
export interface Summariser {
  /** Errors: `ProblemsError` for a record of a point that the manifest does not have. */
  add(record: RequestRecord): void;
  finish(): Summary;
}

export function createSummariser(options: SummaryOptions): Summariser {
  const accumulators = new Map<number, PointAccumulator>(
    options.points.map((point) => [
      point.index,
      createPointAccumulator({
        point,
        objective: options.objective ?? options.correctness,
        exactOutput: options.exactOutput,
        prefixCache: options.prefixCache,
        calibration: options.calibration ?? null,
      }),
    ]),
  );
  return {
    add(record) {
      const accumulator = accumulators.get(record.pointIndex);
      if (accumulator === undefined) throw unknownPoint(record);
      accumulator.add(record);
    },
    finish: () =>
      summaryOfPoints(
        options,
        [...accumulators.values()].map((accumulator) => accumulator.finish()),
      ),
  };
}

/** The summary of a whole set of records; see {@link createSummariser} for streams. */
export function summarise(
  options: SummaryOptions & { readonly records: Iterable<RequestRecord> },
): Summary {
  const summariser = createSummariser(options);
  for (const record of options.records) summariser.add(record);
  return summariser.finish();
}

/** The summary of points summarised one by one. */
export function summaryOfPoints(
  options: Omit<SummaryOptions, 'points'>,
  points: readonly PointSummary[],
): Summary {
  return {
    schemaVersion: SUMMARY_SCHEMA_VERSION,
    tool: { name: 'goodput', version: options.toolVersion },
    experimentHash: options.experimentHash,
    source: options.source,
    clock: options.clock,
    prefixCache: options.prefixCache,
    objective: options.objective,
    calibration: summaryCalibrationOf(options.calibration ?? null),
    points: points.toSorted((a, b) => a.load.level - b.load.level || a.index - b.index),
    partial: points.some((point) => point.partial),
    knee: kneeOf(points),
    verdict: verdictOf(points.flatMap((point) => point.population)),
    proven: isProven(points.flatMap((point) => point.population)),
    validity: overallValidity(points),
  };
}

/** Valid when every point is; each reason says which load it belongs to, where there are several. */
function overallValidity(points: readonly PointSummary[]): Validity {
  const several = points.length > 1;
  return {
    valid: points.every((point) => point.validity.valid),
    reasons: points.flatMap((point) =>
      point.validity.reasons.map((reason) =>
        several ? { ...reason, message: `${point.load.label}: ${reason.message}` } : reason,
      ),
    ),
  };
}

function unknownPoint(record: RequestRecord): ProblemsError {
  return new ProblemsError([
    {
      code: 'E_RUN_FORMAT',
      message: `request ${record.requestId} belongs to load point ${record.pointIndex}, which the manifest does not have`,
      hint: 'records and manifest must come from the same run',
      place: null,
    },
  ]);
}
