/** One simulated load point as a job: data in, data out, so that any thread can do it. */
import { Budget, type BudgetLimits, type PointOptions } from '../loadgen/index.ts';
import type { ManifestPoint, RequestRecord } from '../record/index.ts';
import {
  type AnswerOptions,
  type ServiceOptions,
  type ServiceReport,
  simulateSchedule,
  type SimulationOptions,
  StepTimeline,
} from '../simulator/index.ts';
import { EMPTY_HULL, type EngineOptions, type LoadHull, widenHull } from '../engine/index.ts';
import type { Objective } from '../slo/index.ts';
import { extendRunFolder } from '../store/index.ts';
import { createPointAccumulator, isSameSpan, type PointSummary } from '../summary/index.ts';
import type { Schedule } from '../workload/index.ts';
import { pointRecorder } from './run-point.ts';

export interface SimulationJob {
  /** The point as planned. */
  readonly point: ManifestPoint;
  readonly schedule: Schedule;
  /** Prompt length of every request of the schedule. */
  readonly promptTokens: Int32Array;
  readonly service: ServiceOptions;
  readonly answers: AnswerOptions;
  readonly requestTimeoutNs: number;
  readonly maxInFlight: number;
  readonly retry: PointOptions['retry'];
  readonly atEnd: PointOptions['atEnd'];
  readonly template: SimulationOptions['template'];
  readonly budget: BudgetLimits;
  /** Where the records go, the folder of a run; `null` = nowhere. */
  readonly dir: string | null;
  readonly objective: Objective;
  readonly exactOutput: boolean;
  readonly prefixCache: string;
  /** Whether what was computed when is written beside the records. */
  readonly keepsSteps: boolean;
}

export interface SimulatedPoint {
  /** The point as it came to be. */
  readonly point: ManifestPoint;
  /**
   * `null` when the point did not stop as planned (interrupted, out of budget, a closed loop out of
   * requests): its summary is then made from its records.
   */
  readonly summary: PointSummary | null;
  readonly service: ServiceReport;
  readonly reached: ReachedLoads;
  /** From here on its steps were not kept, for there were too many; `null`: nothing is missing. */
  readonly stepsCutNs: number | null;
}

/** The largest loads of the steps along each axis; all 0 where there were none. */
export interface ReachedLoads {
  readonly engine: LoadHull;
  readonly decodeEngine: LoadHull;
}

export interface PointPorts {
  readonly stopStarts: AbortSignal;
  readonly cancelAll: AbortSignal;
  /** Shared by the points of a run that come one after another. */
  readonly budget?: Budget;
}

/**
 * Simulates the point. Records are written, measured and forgotten as they come.
 *
 * Errors: as `simulateSchedule`; EnvironmentError when a record cannot be written.
 */
export async function simulatePoint(
  job: SimulationJob,
  { stopStarts, cancelAll, budget = new Budget(job.budget) }: PointPorts,
): Promise<SimulatedPoint> {
  const { schedule, promptTokens, answers, requestTimeoutNs, maxInFlight, atEnd, template } = job;
  const planned = { ...job.point, partial: false, stopReason: 'duration' };
  const accumulator = createPointAccumulator({ ...job, point: planned });
  const folder = job.dir === null ? null : extendRunFolder(job.dir);
  const recorder = pointRecorder(
    { load: job.point },
    {
      appendRecord(record: RequestRecord) {
        accumulator.add(record);
        return folder?.appendRecord(record);
      },
    },
  );
  const { service, reached } = watchedService(job.service);
  const steps = job.keepsSteps ? new StepTimeline() : null;
  try {
    const outcome = await simulateSchedule({
      schedule,
      service,
      answers,
      promptTokensOf: ({ index }) => promptTokens[index] as number,
      requestTimeoutNs,
      maxInFlight,
      retry: job.retry,
      budget,
      atEnd,
      stopStarts,
      cancelAll,
      template,
      onRecord: recorder.take,
      steps,
    });
    const log = steps?.log() ?? null;
    if (log !== null) await folder?.writeSteps(job.point.index, log);
    const { stopNs, partial, stopReason } = outcome;
    const recordCount = recorder.written;
    const point = { ...job.point, stopNs, partial, stopReason, recordCount };
    const summary = isSameSpan(planned, point) ? accumulator.finish(point) : null;
    const stepsCutNs = log?.cutNs ?? null;
    return { point, summary, service: outcome.service, reached: reached(), stepsCutNs };
  } finally {
    await folder?.close();
  }
}

/** The same service, remembering the largest loads of the steps that were costed. */
function watchedService(service: ServiceOptions): {
  readonly service: ServiceOptions;
  readonly reached: () => ReachedLoads;
} {
  const reached = { engine: EMPTY_HULL, decodeEngine: EMPTY_HULL };
  const watched = (engine: EngineOptions, side: keyof ReachedLoads): EngineOptions => ({
    ...engine,
    costModel: {
      name: engine.costModel.name,
      stepSeconds(load) {
        reached[side] = widenHull(reached[side], load);
        return engine.costModel.stepSeconds(load);
      },
    },
  });
  const { engine, disaggregation } = service;
  const decodeEngine = disaggregation?.decodeEngine;
  return {
    service: {
      ...service,
      engine: watched(engine, 'engine'),
      disaggregation:
        disaggregation === null || decodeEngine === undefined
          ? null
          : { ...disaggregation, decodeEngine: watched(decodeEngine, 'decodeEngine') },
    },
    reached: () => ({ ...reached }),
  };
}
