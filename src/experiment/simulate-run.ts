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
import { Budget } from '../loadgen/index.ts';
import { type Manifest, MANIFEST_SCHEMA_VERSION, type ManifestPoint } from '../record/index.ts';
import { type ServiceOptions, type ServiceReport, simulateSchedule } from '../simulator/index.ts';
import { createRunFolder, openRun, requireFreeFolder, type RunFolder } from '../store/index.ts';
import { makePrompt, type ScheduledRequest, UNCALIBRATED } from '../workload/index.ts';
import { declaredFacts, specText } from './run-manifest.ts';
import { type PlannedPoint, planRun, type RunPlan } from './plan-run.ts';
import type { ExperimentPorts, ExperimentResult } from './run-experiment.ts';
import { manifestPoint, pointRecorder } from './run-point.ts';
import { serviceNotes } from './service-notes.ts';
import { summariseRun } from './summarise-run.ts';

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
};

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
): Promise<ExperimentResult> {
  // Texts are never made, so that theirs need not differ between runs.
  const plan = planRun(spec, { readText: ports.readText, freshSeed: spec.seeds.prompts });
  const problems = notSimulated(spec, plan, target.service);
  if (problems.length > 0) throw new ProblemsError(problems);
  ports.notify({ kind: 'planned', plan });
  for (const text of [...plan.notes, ...countingNotes(plan)]) ports.notify({ kind: 'note', text });
  await requireFreeFolder(ports.dir, { force: ports.force });
  const folder = await createRunFolder(ports.dir, { force: ports.force });
  const manifest = await simulatePoints({ spec, plan, target, folder }, ports);
  ports.notify({ kind: 'summarising' });
  const summary = await summariseRun(await openRun(ports.dir), {
    objective: spec.objective,
    correctness: correctnessOf(spec),
    toolVersion: ports.toolVersion,
  });
  await folder.writeSummary(summary);
  const interrupted = ports.stopStarts.aborted || ports.cancelAll.aborted;
  return { manifest, summary, interrupted };
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
  const traceBlocks = plan.source.kind === 'trace' ? plan.source.rows : [];
  const odd = traceBlocks.find(
    (row) => blockTokens !== null && row.blockTokens !== null && row.blockTokens % blockTokens > 0,
  );
  if (odd !== undefined) {
    unsupported(
      `blocks of ${odd.blockTokens} tokens in the trace are no multiple of the engine's ${blockTokens}`,
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

async function simulatePoints(parts: SimulationParts, ports: SimulationPorts): Promise<Manifest> {
  const { plan, spec, folder } = parts;
  let manifest = simulationManifest(parts, ports);
  try {
    await folder.writeManifest(manifest);
    for (const point of plan.points) await folder.writeSchedule(point.index, point.schedule);
    const budget = new Budget(spec.budget);
    const done: ManifestPoint[] = [];
    const served: (ServiceReport & { readonly pointIndex: number })[] = [];
    for (const point of plan.points) {
      if (ports.stopStarts.aborted || ports.cancelAll.aborted) break;
      const { load, schedule } = point;
      ports.notify({ kind: 'pointStarted', load, requests: schedule.requests.length });
      const { service, ...simulated } = await simulatePoint(parts, ports, {
        point,
        budget,
        manifest,
      });
      done.push(simulated.point);
      served.push({ pointIndex: point.index, ...service });
      for (const text of serviceNotes(load.label, service)) ports.notify({ kind: 'note', text });
      await folder.writeSimulation(JSON.parse(JSON.stringify({ points: served })) as JsonValue);
      manifest = { ...manifest, points: [...done] };
      await folder.writeManifest(manifest);
    }
    return manifest;
  } finally {
    await folder.close();
  }
}

async function simulatePoint(
  { spec, plan, target, folder }: SimulationParts,
  ports: SimulationPorts,
  options: { readonly point: PlannedPoint; readonly budget: Budget; readonly manifest: Manifest },
): Promise<{ readonly point: ManifestPoint; readonly service: ServiceReport }> {
  const { point, budget, manifest } = options;
  const recorder = pointRecorder(point, folder);
  const outcome = await simulateSchedule({
    schedule: point.schedule,
    service: target.service,
    answers: { exact: spec.target.exactOutput, seed: spec.seeds.lengths },
    promptTokensOf: (request) => request.promptTokens ?? wordsOf(request, plan),
    requestTimeoutNs: spec.target.limits.requestTimeoutNs,
    maxInFlight: spec.budget.maxInFlight,
    budget,
    atEnd: spec.atEnd,
    stopStarts: ports.stopStarts,
    cancelAll: ports.cancelAll,
    template: {
      experimentHash: manifest.experimentHash,
      runId: manifest.runId,
      pointIndex: point.index,
      labels: { model: spec.target.model, tenant: null, region: null },
    },
    onRecord: recorder.take,
  });
  const { stopNs, partial, stopReason, service } = outcome;
  const recordCount = recorder.written;
  const planned = manifestPoint(spec, point, 0);
  return { point: { ...planned, stopNs, partial, stopReason, recordCount }, service };
}

/** The emulator's rule: a token is a word. */
export function wordsOf(request: ScheduledRequest, { source }: RunPlan): number {
  const content = makePrompt(request.prompt, source, UNCALIBRATED);
  const words = content.kind === 'text' ? (content.text.match(/\S+/g)?.length ?? 0) : 0;
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
    counting: { tokens: 'perEventUsage', oneTokenPerEvent: true, exactOutput },
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
    points: [],
  };
}
