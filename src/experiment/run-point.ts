/** One load point against the real target: warm connections, load, the generator's evidence. */
import { type Clock, NS_PER_SECOND, secondsFromNs } from '../base/index.ts';
import type { HttpClient } from '../client/index.ts';
import { correctnessOf, type RunSpec } from '../config/index.ts';
import type { Budget, PointOptions, PointProgress, RecordTemplate } from '../loadgen/index.ts';
import type { ManifestPoint } from '../record/index.ts';
import type { RunFolder } from '../store/index.ts';
import { type LivePoint, LiveTally } from '../summary/index.ts';
import type { Dialect } from '../wire/index.ts';
import type { PromptSource } from '../workload/index.ts';
import { type GeneratorLoad, readyLoad } from './generate-load.ts';
import type { GeneratorPool } from './generators/generator-pool.ts';
import { readyStripes } from './generators/ready-stripes.ts';
import type { PlannedPoint } from './plan-run.ts';
import type { Preflight } from './preflight.ts';
import { preparer } from './prepare-request.ts';

export interface PointRunOptions {
  readonly spec: RunSpec;
  readonly source: PromptSource;
  readonly point: PlannedPoint;
  /** What the pacer is chosen by, where the schedule's mean is not the rate that is lasting. */
  readonly arrivalsRps?: number;
  readonly preflight: Preflight;
  readonly client: HttpClient;
  /** Generator processes to send from; left out: this process does it. */
  readonly generators?: { readonly pool: GeneratorPool; readonly count: number } | null;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly budget: Budget;
  readonly folder: Pick<RunFolder, 'appendRecord'>;
  readonly template: RecordTemplate;
  readonly stopStarts: AbortSignal;
  readonly cancelAll: AbortSignal;
  /** Four times a second, and once when the point has ended. */
  readonly onProgress: (progress: LiveProgress) => void;
}

/** A running point: what the generator counts, and what the judge says so far. */
export interface LiveProgress extends PointProgress {
  readonly startNs: number;
  /** Planned end of the offering. */
  readonly stopNs: number;
  readonly live: LivePoint;
}

export interface PointRun {
  readonly point: ManifestPoint;
  /** True when the server may still be working on cancelled requests. */
  readonly leftWork: boolean;
}

/** Head start, so that the first arrival is not late by the start itself. */
const LEAD_NS = NS_PER_SECOND / 20;
const WARM_CONNECTIONS_MAX = 512;

export async function runPoint(options: PointRunOptions): Promise<PointRun> {
  const { spec, point, client, clock, budget, generators = null } = options;
  const { schedule } = point;
  const load = generatorLoad(options);
  const send =
    generators === null || generators.count === 1
      ? await readyLoad(load, {
          clock,
          client,
          prepare: preparer({ ...options, target: spec.target, tracing: spec }),
        })
      : await readyStripes(load, { ...generators, budget, clock, stopStarts: options.stopStarts });
  const recorder = pointRecorder(point, options.folder);
  const startNs = clock.nowNs() + LEAD_NS;
  const tally = liveTally(spec, point, startNs);
  const report = (progress: PointProgress): void => {
    const live = tally.look(progress.counts.inFlight);
    options.onProgress({ ...progress, startNs, stopNs: startNs + schedule.stopNs, live });
  };
  const { outcome, evidence } = await send(startNs, {
    budget,
    stopStarts: options.stopStarts,
    cancelAll: options.cancelAll,
    onRecord(record) {
      tally.add(record);
      return recorder.take(record);
    },
    onProgress: report,
  });
  report({ atNs: outcome.endNs, counts: outcome.counts });
  const drainedNs = outcome.endNs - outcome.stopNs;
  return {
    point: {
      ...manifestPoint(spec, point, startNs),
      stopNs: outcome.stopNs,
      partial: outcome.partial,
      stopReason: outcome.stopReason,
      recordCount: recorder.written,
      generator: evidence,
    },
    leftWork: spec.atEnd.kind === 'cancel' || outcome.partial || drainedNs >= spec.atEnd.limitNs,
  };
}

function generatorLoad(options: PointRunOptions): GeneratorLoad {
  const { spec, point, template, arrivalsRps = null } = options;
  return {
    schedule: point.schedule,
    requestTimeoutNs: spec.target.limits.requestTimeoutNs,
    maxInFlight: spec.budget.maxInFlight,
    retry: spec.retry,
    latenessLimitNs: spec.latenessLimitNs,
    atEnd: spec.atEnd,
    template,
    connections: connectionsToWarm(options),
    arrivalsRps,
  };
}

function liveTally(spec: RunSpec, { schedule }: PlannedPoint, startNs: number): LiveTally {
  const dueNs = schedule.requests.flatMap(({ release }) =>
    release.kind === 'at' ? [startNs + release.atNs] : [],
  );
  return new LiveTally({
    objective: spec.objective ?? correctnessOf(spec),
    startNs,
    stopNs: startNs + schedule.stopNs,
    steadyFromNs: spec.warmupNs > 0 ? startNs + spec.warmupNs : null,
    dueNs: dueNs.length === schedule.requests.length ? dueNs : null,
  });
}

/**
 * A closed loop is planned longer than it runs; what lies beyond the last place it came to is no
 * result. Places before that are, because users do not come to theirs in order.
 */
export function pointRecorder(
  point: { readonly load: { readonly closedLoop: boolean } },
  folder: Pick<RunFolder, 'appendRecord'>,
): PointRecorder {
  let lastReached = -1;
  let written = 0;
  return {
    get written() {
      return written;
    },
    take(record) {
      const { dispatch, scheduleIndex } = record;
      if (dispatch.kind !== 'notReached') lastReached = Math.max(lastReached, scheduleIndex);
      else if (point.load.closedLoop && scheduleIndex > lastReached) return undefined;
      written += 1;
      return folder.appendRecord(record);
    },
  };
}

export interface PointRecorder {
  readonly take: PointOptions['onRecord'];
  /** Records handed to the folder so far: a reader that finds fewer has lost some. */
  readonly written: number;
}

/** The point as the manifest has it while it runs: what a crash would leave behind. */
export function manifestPoint(spec: RunSpec, point: PlannedPoint, startNs: number): ManifestPoint {
  return {
    index: point.index,
    kind: point.load.kind,
    level: point.load.level,
    label: point.load.label,
    closedLoop: point.load.closedLoop,
    offeredRps: offeredRps(point),
    steadyFromNs: spec.warmupNs > 0 ? startNs + spec.warmupNs : null,
    stopNs: startNs + point.schedule.stopNs,
    partial: true,
    stopReason: 'interrupted',
    recordCount: null,
    generator: null,
  };
}

/** The nominal rate: what was asked, or what the trace holds. */
function offeredRps({ load, schedule }: PlannedPoint): number | null {
  if (load.kind === 'rate') return load.level;
  if (load.kind !== 'trace') return null;
  return schedule.requests.length / secondsFromNs(schedule.stopNs);
}

/**
 * As many as are likely to be in flight at once, from the preflight's one answer, so that
 * handshakes are not part of the load. Too few only means that some requests connect themselves,
 * and are counted as cold.
 */
function connectionsToWarm({ spec, point, preflight }: PointRunOptions): number {
  const { schedule, load } = point;
  if (schedule.slots !== null) return Math.min(schedule.slots, WARM_CONNECTIONS_MAX);
  if (load.kind === 'users') return Math.min(load.level, WARM_CONNECTIONS_MAX);
  const answerNs = preflight.answer?.completionNs ?? NS_PER_SECOND;
  const perSecond = schedule.requests.length / secondsFromNs(schedule.stopNs);
  const likely = Math.ceil(perSecond * secondsFromNs(answerNs) * 2) + 4;
  return Math.min(likely, spec.budget.maxInFlight, WARM_CONNECTIONS_MAX);
}
