/** A load test's spec against a simulated service: same plan, same folder, virtual time. */
import {
  contentHash,
  type JsonValue,
  ProblemsError,
  type Problem,
  usageProblem,
} from '../base/index.ts';
import { correctnessOf, type RunSpec } from '../config/index.ts';
import { hostFacts } from '../host/index.ts';
import { EMPTY_HULL, type LoadHull, widerHull } from '../engine/index.ts';
import { type Manifest, MANIFEST_SCHEMA_VERSION } from '../record/index.ts';
import type { ServiceOptions } from '../simulator/index.ts';
import { createRunFolder, openRun, requireFreeFolder, type RunFolder } from '../store/index.ts';
import { type Summary, summaryOfPoints } from '../summary/index.ts';
import { makePrompt, type ScheduledRequest, UNCALIBRATED } from '../workload/index.ts';
import { declaredFacts, specText } from './run-manifest.ts';
import { type PlannedPoint, planRun, type RunPlan } from './plan-run.ts';
import type { ExperimentPorts, ExperimentResult } from './run-experiment.ts';
import { manifestPoint } from './run-point.ts';
import { serviceNotes, stepNotes } from './service-notes.ts';
import { simulateMany } from './simulate-many.ts';
import type { ReachedLoads, SimulatedPoint, SimulationJob } from './simulate-point.ts';
import { summariseRun, summaryOptions } from './summarise-run.ts';

/** A simulated service, and how manifests describe it. */
export interface SimulatedTarget {
  readonly service: ServiceOptions;
  /** Everything that shapes it. */
  readonly description: JsonValue;
}

export type SimulationPorts = Pick<
  ExperimentPorts,
  'readText' | 'toolVersion' | 'dir' | 'force' | 'stopStarts' | 'cancelAll' | 'notify'
> & {
  /** Wall-clock time, for the manifest alone. */
  readonly startedAt: string;
  /** Threads that load points are spread over, at most; `null` or left out = one per core. */
  readonly threads?: number | null;
  /** Whether what was computed when is kept (`steps-K.ndjson`); left out: no. */
  readonly keepsSteps?: boolean;
};

export interface SimulationResult extends ExperimentResult {
  /** Over all points. */
  readonly reached: ReachedLoads;
}

/** The address that manifests of simulations name; nothing is ever sent there. */
export const SIMULATED_URL = 'http://simulated.localhost/';

/**
 * Equal spec and target give equal records, byte by byte. Only an interrupt cuts it short.
 *
 * Errors: ProblemsError when the spec cannot be carried out or asks for what is not simulated, or
 * the folder is taken; EnvironmentError when a file cannot be read or written.
 */
export async function simulateRun(
  spec: RunSpec,
  target: SimulatedTarget,
  ports: SimulationPorts,
): Promise<SimulationResult> {
  // Texts are never made, so that theirs need not differ between runs.
  const plan = planRun(spec, { readText: ports.readText, freshSeed: spec.seeds.prompts });
  const problems = notSimulated(spec, plan, target.service);
  if (problems.length > 0) throw new ProblemsError(problems);
  ports.notify({ kind: 'planned', plan });
  for (const text of [...plan.notes, ...countingNotes(plan)]) ports.notify({ kind: 'note', text });
  await requireFreeFolder(ports.dir, { force: ports.force });
  const folder = await createRunFolder(ports.dir, { force: ports.force });
  const { manifest, done } = await simulatePoints({ spec, plan, target, folder }, ports);
  ports.notify({ kind: 'summarising' });
  const summary = await summaryOf(spec, { manifest, done }, ports);
  await folder.writeSummary(summary);
  const interrupted = ports.stopStarts.aborted || ports.cancelAll.aborted;
  const widest = (side: keyof ReachedLoads): LoadHull =>
    done.reduce((hull, { reached }) => widerHull(hull, reached[side]), EMPTY_HULL);
  const reached = { engine: widest('engine'), decodeEngine: widest('decodeEngine') };
  return { manifest, summary, interrupted, reached };
}

/** The points' own summaries; where one has none, all records are read again. */
async function summaryOf(
  spec: RunSpec,
  { manifest, done }: { readonly manifest: Manifest; readonly done: readonly SimulatedPoint[] },
  { dir, toolVersion }: SimulationPorts,
): Promise<Summary> {
  const { objective } = spec;
  const asked = { objective, correctness: correctnessOf(spec), toolVersion };
  const points = done.flatMap(({ summary }) => (summary === null ? [] : [summary]));
  if (points.length < manifest.points.length) return summariseRun(await openRun(dir), asked);
  return summaryOfPoints(summaryOptions(manifest, asked), points);
}

/** What a spec may ask of a server and a simulated one cannot give. */
export function notSimulated(spec: RunSpec, plan: RunPlan, { engine }: ServiceOptions): Problem[] {
  const problems: Problem[] = [];
  const unsupported = (message: string, hint: string | null = null): void => {
    problems.push(usageProblem('E_UNSUPPORTED', message, hint));
  };
  if (!spec.target.stream) unsupported('answers as one body are not simulated', 'stream them');
  if (spec.checks.length > 0) unsupported('a simulated answer has no text to check');
  if (plan.source.kind === 'bodies') {
    unsupported('raw bodies are not simulated', 'use --prompts, --trace or --input and --output');
  }
  const isPrioritised = plan.points.some(({ schedule }) =>
    schedule.requests.some(({ priority }) => priority !== 0),
  );
  if (isPrioritised && engine.policy === 'fcfs') {
    const message = 'the classes have priorities, and the service goes by arrival';
    unsupported(message, 'serve by --policy priority, or leave the priorities out');
  }
  const blockTokens = engine.memory?.blockTokens ?? null;
  const traceBlocks =
    plan.source.kind === 'trace'
      ? plan.source.rows
      : plan.source.kind === 'calls'
        ? [plan.source]
        : [];
  const odd = traceBlocks.find(
    (row) => blockTokens !== null && row.blockTokens !== null && row.blockTokens % blockTokens > 0,
  );
  if (odd !== undefined) {
    unsupported(
      `blocks of ${odd.blockTokens} tokens in the trace are no multiple of the engine's ${blockTokens}`,
    );
  }
  const repeatsAnswers = 'history' in plan.source && plan.source.history === 'answers';
  if (repeatsAnswers && !spec.target.exactOutput) {
    unsupported(
      'a simulated answer has no text to repeat in later turns',
      'use --history planned, or --exact, so that every answer is as long as planned',
    );
  }
  return problems;
}

export function countingNotes(plan: RunPlan): string[] {
  return plan.estimate.promptTokensUnknown === 0
    ? []
    : ['the prompts come without token counts: each word is taken for one token'];
}

interface SimulationParts {
  readonly spec: RunSpec;
  readonly plan: RunPlan;
  readonly target: SimulatedTarget;
  readonly folder: RunFolder;
}

async function simulatePoints(
  parts: SimulationParts,
  ports: SimulationPorts,
): Promise<{ readonly manifest: Manifest; readonly done: readonly SimulatedPoint[] }> {
  const { plan, folder } = parts;
  let manifest = simulationManifest(parts, ports);
  const keepsSteps = ports.keepsSteps ?? false;
  const jobs = plan.points.map((point) => ({
    ...simulationJob(parts, point, manifest),
    keepsSteps,
  }));
  const done: SimulatedPoint[] = [];
  try {
    await folder.writeManifest(manifest);
    for (const point of plan.points) await folder.writeSchedule(point.index, point.schedule);
    let written = Promise.resolve();
    await simulateMany(jobs, {
      threads: ports.threads ?? null,
      stopStarts: ports.stopStarts,
      cancelAll: ports.cancelAll,
      onStart({ point, schedule }) {
        const { kind, level, label, closedLoop } = point;
        const load = { kind, level, label, closedLoop };
        ports.notify({ kind: 'pointStarted', load, requests: schedule.requests.length });
      },
      onDone(point) {
        done.push(point);
        done.sort((a, b) => a.point.index - b.point.index);
        manifest = { ...manifest, points: done.map((one) => one.point) };
        // So that a finished point outlives whatever happens to the others.
        written = writeAfter(written, folder, { manifest, points: done.map(servedPoint) });
        written.catch(() => {});
      },
    });
    await written;
    for (const { point, service, stepsCutNs } of done) {
      const notes = [...serviceNotes(point.label, service), ...stepNotes(point.label, stepsCutNs)];
      for (const text of notes) ports.notify({ kind: 'note', text });
    }
    return { manifest, done };
  } finally {
    await folder.close();
  }
}

async function writeAfter(
  before: Promise<void>,
  folder: RunFolder,
  { manifest, points }: { readonly manifest: Manifest; readonly points: readonly JsonValue[] },
): Promise<void> {
  await before;
  await folder.writeSimulation({ points });
  await folder.writeManifest(manifest);
}

/** What a point's service did, as `simulation.json` has it. */
function servedPoint({ point, service }: SimulatedPoint): JsonValue {
  return JSON.parse(JSON.stringify({ pointIndex: point.index, ...service })) as JsonValue;
}

/** Also what searches and comparisons hand to `simulateMany`. */
export function simulationJob(
  {
    spec,
    plan,
    target,
    folder,
  }: Omit<SimulationParts, 'folder'> & {
    readonly folder: Pick<RunFolder, 'dir'> | null;
  },
  point: PlannedPoint,
  { experimentHash, runId }: Pick<Manifest, 'experimentHash' | 'runId'>,
): SimulationJob {
  return {
    point: manifestPoint(spec, point, 0),
    schedule: point.schedule,
    promptTokens: Int32Array.from(
      point.schedule.requests,
      (request) => request.promptTokens ?? wordsOf(request, plan),
    ),
    service: target.service,
    answers: { exact: spec.target.exactOutput, seed: spec.seeds.lengths },
    requestTimeoutNs: spec.target.limits.requestTimeoutNs,
    maxInFlight: spec.budget.maxInFlight,
    retry: spec.retry,
    atEnd: spec.atEnd,
    template: {
      experimentHash,
      runId,
      pointIndex: point.index,
      labels: { model: spec.target.model, tenant: null, region: null },
    },
    budget: spec.budget,
    dir: folder?.dir ?? null,
    objective: spec.objective ?? correctnessOf(spec),
    exactOutput: spec.target.exactOutput,
    prefixCache: plan.prefixCache,
    keepsSteps: false,
  };
}

/** The emulator's rule: a token is a word. */
export function wordsOf(request: ScheduledRequest, { source }: RunPlan): number {
  const content = makePrompt(request.prompt, source, UNCALIBRATED);
  const texts =
    content.kind === 'text'
      ? [content.text]
      : content.kind === 'messages'
        ? content.messages.map((message) => message.content)
        : [];
  const words = texts.reduce((sum, text) => sum + (text.match(/\S+/g)?.length ?? 0), 0);
  return Math.max(1, words);
}

/** The manifest before the first load point. */
export function simulationManifest(
  { spec, plan, target }: Omit<SimulationParts, 'folder'>,
  { toolVersion, startedAt }: Pick<SimulationPorts, 'toolVersion' | 'startedAt'>,
): Manifest {
  const { node, ...host } = hostFacts();
  const { api, stream, exactOutput } = spec.target;
  const shaping = {
    source: 'simulated',
    clock: 'server',
    target: { url: SIMULATED_URL, api, stream },
    facts: declaredFacts(spec),
    counting: { tokens: 'perEventUsage', oneTokenPerEvent: true, exactOutput, local: null },
    prefixCache: plan.prefixCache,
    spec: specText(spec),
    simulated: target.description,
  } as const;
  // Without the host: a simulation is the same on every machine.
  const experimentHash = contentHash({ ...shaping, version: toolVersion });
  return {
    schemaVersion: MANIFEST_SCHEMA_VERSION,
    tool: { name: 'goodput', version: toolVersion, node },
    experimentHash,
    runId: experimentHash.slice(0, 12),
    startedAt,
    ...shaping,
    scheduleHashes: plan.points.map(({ schedule }) => schedule.hash),
    seeds: { ...plan.seeds },
    host,
    preflight: null,
    calibration: null,
    points: [],
  };
}
