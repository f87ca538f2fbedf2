/** How a window of a search is measured: against a real target, or by a simulated service. */
import { type Clock, NS_PER_SECOND, ProblemsError, waitUntil } from '../base/index.ts';
import type { HttpClient } from '../client/index.ts';
import { correctnessOf, requireBudget, type RunSpec } from '../config/index.ts';
import { hostFacts } from '../host/index.ts';
import { Budget } from '../loadgen/index.ts';
import type { Manifest, ManifestPoint } from '../record/index.ts';
import { simulateSchedule } from '../simulator/index.ts';
import type { RunFolder } from '../store/index.ts';
import { createSummariser, type Summary } from '../summary/index.ts';
import { DIALECTS } from '../wire/index.ts';
import { estimateLoad, planSchedule, seedsOfPoint } from '../workload/index.ts';
import { openGenerators } from './generators/open-generators.ts';
import { loadPoints } from './load-points.ts';
import { type LocalTokenizer, openLocalTokenizer } from './local-tokenizer.ts';
import { loadWarnings } from './load-warnings.ts';
import type { PlannedPoint, RunPlan } from './plan-run.ts';
import { type Preflight, preflight } from './preflight.ts';
import { isMadeOfWords, resolvePromptSource } from './prompt-source.ts';
import { openClient } from './open-client.ts';
import type { ExperimentPorts } from './run-experiment.ts';
import { runManifest } from './run-manifest.ts';
import { manifestPoint, pointRecorder, runPoint } from './run-point.ts';
import {
  countingNotes,
  notSimulated,
  type SimulatedTarget,
  simulationManifest,
  type SimulationPorts,
  wordsOf,
} from './simulate-run.ts';
import type { WindowWatch } from './window-watch.ts';

/** One window about to be measured. */
export interface WindowToRun {
  /** The spec of the search, narrowed to this window's load and duration. */
  readonly spec: RunSpec;
  readonly point: PlannedPoint;
  readonly watch: WindowWatch;
  readonly manifest: Manifest;
  /** `null` = the records are not kept. */
  readonly folder: RunFolder | null;
}

export interface WindowDriver {
  /** Before the first window. */
  readonly manifest: Manifest;
  /** Measures the window and leaves the target idle. The watch sees every record. */
  run(window: WindowToRun): Promise<ManifestPoint>;
  /** The window's point as it stands while it runs. */
  running(window: Pick<WindowToRun, 'spec' | 'point'>): ManifestPoint;
  close(): void;
}

/** A server that was left working on cancelled requests gets this long before the next window. */
const SETTLE_NS = 2 * NS_PER_SECOND;

/**
 * What does not change from window to window: the source, the seeds, what a request weighs. The
 * plan has the first window alone; later ones come from {@link planWindow}.
 *
 * Errors: ProblemsError for files that cannot be read, and for a public target without a budget
 * for `times` as much as the first window.
 */
export function planSearch(
  first: RunSpec,
  options: {
    readonly readText: (path: string) => string;
    readonly freshSeed: number;
    readonly times: number;
  },
): RunPlan {
  const { source, notes, prefixCache } = resolvePromptSource(first.workload, options.readText);
  const seeds = { ...first.seeds, text: options.freshSeed };
  const base = { source, prefixCache, seeds, notes };
  const point = planWindow(first, base, 0);
  const { pricePerMillionInputTokensUsd, pricePerMillionOutputTokensUsd } = first.budget;
  const estimate = estimateLoad({
    schedules: [point.schedule],
    prices:
      pricePerMillionInputTokensUsd === null || pricePerMillionOutputTokensUsd === null
        ? null
        : { pricePerMillionInputTokensUsd, pricePerMillionOutputTokensUsd },
  });
  const { times } = options;
  const problems = requireBudget(first, {
    ...estimate,
    requests: Math.ceil(estimate.requests * times),
    promptTokens: Math.ceil(estimate.promptTokens * times),
    outputTokensMax: Math.ceil(estimate.outputTokensMax * times),
    durationNs: Math.ceil(estimate.durationNs * times),
    costUsd: estimate.costUsd === null ? null : estimate.costUsd * times,
  });
  if (problems.length > 0) throw new ProblemsError(problems);
  return { ...base, points: [point], estimate };
}

/** The load point of one window, with arrivals, lengths and prompts that no other window has. */
export function planWindow(
  spec: RunSpec,
  { source, seeds }: Pick<RunPlan, 'source' | 'seeds'>,
  index: number,
): PlannedPoint {
  const [point] = loadPoints(spec);
  if (point === undefined) throw new ProblemsError([]);
  const schedule = planSchedule({ source, shape: point.shape, seeds: seedsOfPoint(seeds, index) });
  return { ...point, index, schedule };
}

export type MeasuredPorts = Omit<ExperimentPorts, 'dir' | 'force'>;

/**
 * Opens the target and asks it a few small requests; `null` when interrupted in them.
 *
 * Errors: EnvironmentError when the target cannot be reached.
 */
export async function measuredDriver(
  spec: RunSpec,
  plan: RunPlan,
  ports: MeasuredPorts,
): Promise<WindowDriver | null> {
  const tokenizer = await openLocalTokenizer(spec.target, ports.readText);
  const client = await openClient(spec, ports, tokenizer);
  const dialect = DIALECTS[spec.target.api];
  const ready = await readyTarget(spec, plan, ports, { client, tokenizer });
  if (ready === null) return null;
  ports.notify({ kind: 'ready', preflight: ready });
  for (const text of loadWarnings(spec, plan, ready)) ports.notify({ kind: 'note', text });
  const manifest = runManifest({
    spec,
    plan: { ...plan, points: [] },
    preflight: ready,
    host: hostFacts(),
    toolVersion: ports.toolVersion,
    runId: ports.runId,
    startedAt: ports.clock.wallStartIso,
    calibration: null,
  });
  const budget = new Budget(spec.budget);
  const generators = openGenerators(spec, { plan, ready, client }, ports);
  let toldNote: string | null = null;
  return {
    manifest,
    running: (window) => manifestPoint(window.spec, window.point, ports.clock.nowNs()),
    async run({ spec: own, point, watch, manifest: current, folder }) {
      const { load } = point;
      const { processes, note } = generators.plan(point);
      if (note !== null && note !== toldNote) ports.notify({ kind: 'note', text: note });
      toldNote = note;
      ports.notify({ kind: 'pointStarted', load, requests: point.schedule.requests.length });
      const { point: ended, leftWork } = await runPoint({
        generators: { pool: generators.pool, count: processes },
        spec: own,
        source: plan.source,
        point,
        preflight: ready,
        client,
        clock: ports.clock,
        dialect,
        budget,
        folder: watched(folder, watch),
        template: {
          source: current.source,
          clock: current.clock,
          experimentHash: current.experimentHash,
          runId: current.runId,
          pointIndex: point.index,
          labels: { model: ready.talk.model, tenant: null, region: null },
          streamed: own.target.stream,
          oneTokenPerEvent: ready.talk.oneTokenPerEvent,
          countedLocally: ready.talk.local?.judged ?? false,
        },
        stopStarts: AbortSignal.any([ports.stopStarts, watch.stopStarts]),
        cancelAll: AbortSignal.any([ports.cancelAll, watch.cancelAll]),
        onProgress: (progress) => ports.notify({ kind: 'progress', load, progress }),
      });
      ports.notify({ kind: 'pointEnded', load });
      if (leftWork && !ports.stopStarts.aborted) await settle(ports.clock);
      return ended;
    },
    close() {
      client.close();
      void generators.pool.close();
    },
  };
}

/** The preflight; the client is closed when there will be no window. */
async function readyTarget(
  { target }: RunSpec,
  { source }: RunPlan,
  ports: MeasuredPorts,
  { client, tokenizer }: { readonly client: HttpClient; readonly tokenizer: LocalTokenizer | null },
): Promise<Preflight | null> {
  let ready: Preflight | null = null;
  try {
    const asked = await preflight({
      client,
      clock: ports.clock,
      dialect: DIALECTS[target.api],
      target,
      seed: ports.freshSeed,
      needsCalibration: isMadeOfWords(source),
      tokenizer,
      probesExact: false,
      signal: ports.stopStarts,
    });
    if (!ports.stopStarts.aborted) ready = asked;
    return ready;
  } finally {
    if (ready === null) client.close();
  }
}

/**
 * Serves windows in virtual time.
 * Errors: ProblemsError for what a spec may ask of a server and a simulated one cannot give.
 */
export function simulatedDriver(
  spec: RunSpec,
  plan: RunPlan,
  options: {
    readonly target: SimulatedTarget;
    readonly ports: Pick<
      SimulationPorts,
      'toolVersion' | 'startedAt' | 'stopStarts' | 'cancelAll' | 'notify'
    >;
  },
): WindowDriver {
  const { target, ports } = options;
  const problems = notSimulated(spec, plan, target.service);
  if (problems.length > 0) throw new ProblemsError(problems);
  for (const text of countingNotes(plan)) ports.notify({ kind: 'note', text });
  const budget = new Budget(spec.budget);
  return {
    manifest: simulationManifest({ spec, plan: { ...plan, points: [] }, target }, ports),
    running: (window) => manifestPoint(window.spec, window.point, 0),
    async run({ spec: own, point, watch, manifest, folder }) {
      const { load, schedule } = point;
      ports.notify({ kind: 'pointStarted', load, requests: schedule.requests.length });
      const recorder = pointRecorder(point, watched(folder, watch));
      const { stopNs, partial, stopReason } = await simulateSchedule({
        schedule,
        service: target.service,
        answers: { exact: own.target.exactOutput, seed: own.seeds.lengths },
        promptTokensOf: (request) => request.promptTokens ?? wordsOf(request, plan),
        requestTimeoutNs: own.target.limits.requestTimeoutNs,
        maxInFlight: own.budget.maxInFlight,
        retry: own.retry,
        budget,
        atEnd: own.atEnd,
        stopStarts: AbortSignal.any([ports.stopStarts, watch.stopStarts]),
        cancelAll: AbortSignal.any([ports.cancelAll, watch.cancelAll]),
        template: {
          experimentHash: manifest.experimentHash,
          runId: manifest.runId,
          pointIndex: point.index,
          labels: { model: own.target.model, tenant: null, region: null },
        },
        onRecord: recorder.take,
      });
      const recordCount = recorder.written;
      return { ...manifestPoint(own, point, 0), stopNs, partial, stopReason, recordCount };
    },
    close: () => {},
  };
}

/** The summary of one window's records, judged exactly as those of a run. */
export async function summariseWindow(
  records: AsyncIterable<Parameters<WindowWatch['add']>[0]>,
  options: {
    readonly spec: RunSpec;
    readonly manifest: Manifest;
    readonly point: ManifestPoint;
    readonly toolVersion: string;
  },
): Promise<Summary> {
  const { spec, manifest, point, toolVersion } = options;
  const summariser = createSummariser({
    objective: spec.objective,
    correctness: correctnessOf(spec),
    toolVersion,
    experimentHash: manifest.experimentHash,
    source: manifest.source,
    clock: manifest.clock,
    prefixCache: manifest.prefixCache,
    exactOutput: manifest.counting.exactOutput,
    points: [point],
  });
  for await (const record of records) summariser.add(record);
  return summariser.finish();
}

/** The folder as the watch sees through it. */
function watched(folder: RunFolder | null, watch: WindowWatch): Pick<RunFolder, 'appendRecord'> {
  return {
    appendRecord(record) {
      watch.add(record);
      return folder?.appendRecord(record);
    },
  };
}

async function settle(clock: Clock): Promise<void> {
  await waitUntil(clock, clock.nowNs() + SETTLE_NS);
}
