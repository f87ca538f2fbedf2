/** A load test from spec to summary: preflight, load points in order, records on disk. */
import { NS_PER_SECOND, printable, type RealClock, waitUntil } from '../base/index.ts';
import type { ClientKey, HttpClient } from '../client/index.ts';
import { correctnessOf, type RunSpec } from '../config/index.ts';
import { hostFacts } from '../host/index.ts';
import { Budget } from '../loadgen/index.ts';
import type { ClientCalibration, Manifest, ManifestPoint } from '../record/index.ts';
import { createRunFolder, openRun, requireFreeFolder, type RunFolder } from '../store/index.ts';
import type { PointLoad, Summary } from '../summary/index.ts';
import type { ServerPoint } from '../telemetry/index.ts';
import { DIALECTS } from '../wire/index.ts';
import type { GeneratorPlan } from './generators/generator-need.ts';
import type { GeneratorPool } from './generators/generator-pool.ts';
import { openGenerators } from './generators/open-generators.ts';
import { openLocalTokenizer } from './local-tokenizer.ts';
import { loadWarnings } from './load-warnings.ts';
import { openClient } from './open-client.ts';
import { type PlannedPoint, planRun, type RunPlan } from './plan-run.ts';
import { type Preflight, preflight } from './preflight.ts';
import { isMadeOfWords } from './prompt-source.ts';
import { runManifest } from './run-manifest.ts';
import { type LiveProgress, manifestPoint, type PointRunOptions, runPoint } from './run-point.ts';
import { summariseRun } from './summarise-run.ts';
import { type ServerWatch, watchServers } from './watch-servers.ts';

/** What happens on the way, for whoever shows it. */
export type ExperimentEvent =
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'planned'; readonly plan: RunPlan }
  | { readonly kind: 'ready'; readonly preflight: Preflight }
  | { readonly kind: 'pointStarted'; readonly load: PointLoad; readonly requests: number }
  | { readonly kind: 'progress'; readonly load: PointLoad; readonly progress: LiveProgress }
  | { readonly kind: 'pointEnded'; readonly load: PointLoad }
  | { readonly kind: 'summarising' };

export interface ExperimentPorts {
  readonly clock: RealClock;
  readonly wallNowMs: () => number;
  readonly readText: (path: string) => string;
  /** The key itself, read by the caller from the environment or a file. */
  readonly apiKey: ClientKey | null;
  readonly runId: string;
  /** Different for every run: makes unique prompts unique across runs. */
  readonly freshSeed: number;
  readonly toolVersion: string;
  /** What is known of this client's error; left out: nothing. */
  readonly calibration?: ClientCalibration | null;
  readonly dir: string;
  readonly force: boolean;
  readonly stopStarts: AbortSignal;
  readonly cancelAll: AbortSignal;
  readonly notify: (event: ExperimentEvent) => void;
}

export interface ExperimentResult {
  readonly manifest: Manifest;
  readonly summary: Summary;
  readonly interrupted: boolean;
}

export interface MeasuredResult extends ExperimentResult {
  /** What the servers said of each load point that was watched. */
  readonly servers: readonly ServerPoint[];
}

/** A server that was left working on cancelled requests gets this long before the next point. */
const SETTLE_NS = 2 * NS_PER_SECOND;

/**
 * `null` when interrupted before the load: nothing was measured, and nothing is written.
 *
 * Errors: ProblemsError before the target hears from us, when the spec cannot be carried out or
 * the folder is taken; EnvironmentError when the target cannot be reached or a file not be written.
 */
export async function runExperiment(
  spec: RunSpec,
  ports: ExperimentPorts,
): Promise<MeasuredResult | null> {
  const plan = planRun(spec, ports);
  ports.notify({ kind: 'planned', plan });
  for (const text of plan.notes) ports.notify({ kind: 'note', text });
  await requireFreeFolder(ports.dir, { force: ports.force });
  const tokenizer = await openLocalTokenizer(spec.target, ports.readText);
  const client = await openClient(spec, ports, tokenizer);
  try {
    const ready = await preflight({
      client,
      clock: ports.clock,
      dialect: DIALECTS[spec.target.api],
      target: spec.target,
      seed: ports.freshSeed,
      needsCalibration: isMadeOfWords(plan.source),
      tokenizer,
      probesExact: false,
      signal: ports.stopStarts,
    });
    if (ports.stopStarts.aborted) return null;
    ports.notify({ kind: 'ready', preflight: ready });
    for (const text of loadWarnings(spec, plan, ready)) ports.notify({ kind: 'note', text });
    const generators = openGenerators(spec, { plan, ready, client }, ports);
    const processes = plan.points.map((point) => generators.plan(point));
    for (const { note } of processes) if (note !== null) ports.notify({ kind: 'note', text: note });
    const folder = await createRunFolder(ports.dir, { force: ports.force });
    const watch = await watchServers(spec, ports, folder);
    const { pool } = generators;
    const parts = { plan, ready, client, pool, processes, folder, watch };
    const manifest = await runPoints(spec, ports, parts);
    ports.notify({ kind: 'summarising' });
    const summary = await summariseFolder(spec, ports);
    await folder.writeSummary(summary);
    const interrupted = ports.stopStarts.aborted || ports.cancelAll.aborted;
    return { manifest, summary, servers: watch?.points() ?? [], interrupted };
  } finally {
    client.close();
  }
}

interface RunParts {
  readonly plan: RunPlan;
  readonly ready: Preflight;
  readonly client: HttpClient;
  readonly pool: GeneratorPool;
  /** Of each point. */
  readonly processes: readonly GeneratorPlan[];
  readonly folder: RunFolder;
  /** `null` when nobody is looked at. */
  readonly watch: ServerWatch | null;
}

/** Runs the points in order of load, keeping the manifest true at every moment; closes what they were run with. */
async function runPoints(
  spec: RunSpec,
  ports: ExperimentPorts,
  parts: RunParts,
): Promise<Manifest> {
  const { plan, ready, folder } = parts;
  let manifest = runManifest({
    spec,
    plan,
    preflight: ready,
    host: hostFacts(),
    toolVersion: ports.toolVersion,
    runId: ports.runId,
    startedAt: ports.clock.wallStartIso,
    calibration: ports.calibration ?? null,
  });
  try {
    await folder.writeManifest(manifest);
    for (const point of plan.points) await folder.writeSchedule(point.index, point.schedule);
    const budget = new Budget(spec.budget);
    const done: ManifestPoint[] = [];
    for (const point of plan.points) {
      if (ports.stopStarts.aborted || ports.cancelAll.aborted) break;
      const running = manifestPoint(spec, point, ports.clock.nowNs());
      manifest = { ...manifest, points: [...done, running] };
      await folder.writeManifest(manifest);
      const { point: ended, leftWork } = await runOne(spec, ports, {
        ...parts,
        point,
        budget,
        manifest,
      });
      ports.notify({ kind: 'pointEnded', load: point.load });
      done.push(ended);
      manifest = { ...manifest, points: [...done] };
      await folder.writeManifest(manifest);
      const isLast = done.length === plan.points.length;
      if (leftWork && !isLast && !ports.stopStarts.aborted) {
        await waitUntil(ports.clock, ports.clock.nowNs() + SETTLE_NS);
      }
    }
    return manifest;
  } finally {
    parts.watch?.close();
    await Promise.all([parts.pool.close(), folder.close()]);
  }
}

function runOne(
  spec: RunSpec,
  ports: ExperimentPorts,
  parts: RunParts & {
    readonly point: PlannedPoint;
    readonly budget: Budget;
    readonly manifest: Manifest;
  },
): ReturnType<typeof runPoint> {
  const { point, plan, ready, manifest, watch } = parts;
  const { load, schedule } = point;
  ports.notify({ kind: 'pointStarted', load, requests: schedule.requests.length });
  const options: PointRunOptions = {
    spec,
    source: plan.source,
    point,
    preflight: ready,
    client: parts.client,
    generators: { pool: parts.pool, count: parts.processes[point.index]?.processes ?? 1 },
    clock: ports.clock,
    dialect: DIALECTS[spec.target.api],
    budget: parts.budget,
    folder: parts.folder,
    template: {
      source: manifest.source,
      clock: manifest.clock,
      experimentHash: manifest.experimentHash,
      runId: ports.runId,
      pointIndex: point.index,
      labels: { model: ready.talk.model, tenant: null, region: null },
      streamed: spec.target.stream,
      oneTokenPerEvent: ready.talk.oneTokenPerEvent,
      countedLocally: ready.talk.local?.judged ?? false,
    },
    stopStarts: ports.stopStarts,
    cancelAll: ports.cancelAll,
    onProgress: (progress) => ports.notify({ kind: 'progress', load, progress }),
  };
  return watch === null ? runPoint(options) : watch.around(point.index, () => runPoint(options));
}

/** The same way from records to summary as `goodput judge` takes. */
async function summariseFolder(spec: RunSpec, ports: ExperimentPorts): Promise<Summary> {
  const run = await openRun(ports.dir);
  const summary = await summariseRun(run, {
    objective: spec.objective,
    correctness: correctnessOf(spec),
    toolVersion: ports.toolVersion,
  });
  for (const { message } of run.problems) {
    ports.notify({ kind: 'note', text: printable(message) });
  }
  return summary;
}
