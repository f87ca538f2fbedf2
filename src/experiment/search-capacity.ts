/** A capacity search as a process: the planner decides, this measures, stores and goes on. */
import {
  assertNever,
  contentHash,
  type JsonValue,
  NS_PER_SECOND,
  nsFromSeconds,
  printable,
  ProblemsError,
  usageProblem,
} from '../base/index.ts';
import { correctnessOf, type RunSpec } from '../config/index.ts';
import {
  type CapacityPlan,
  type CapacityReport,
  capacitySchema,
  type CapacityWindow,
  type EffortName,
  type HeadroomNeeds,
  nextRung,
  nextStep,
  type SearchEnd,
  type SearchStep,
} from '../planner/index.ts';
import type { Manifest, ManifestPoint } from '../record/index.ts';
import type { Objective } from '../slo/index.ts';
import {
  createRunFolder,
  extendRunFolder,
  type OpenRun,
  openRun,
  requireFreeFolder,
  type RunFolder,
} from '../store/index.ts';
import type { Summary } from '../summary/index.ts';
import { capacityReport, plannedCost, type ReportInputs } from './capacity-report.ts';
import type { RunPlan } from './plan-run.ts';
import type { ExperimentEvent } from './run-experiment.ts';
import { summariseRun } from './summarise-run.ts';
import { planSearch, planWindow, summariseWindow, type WindowDriver } from './window-driver.ts';
import { type CircuitBreakers, judgedPart, WindowWatch } from './window-watch.ts';

export interface CapacitySearch {
  readonly plan: CapacityPlan;
  readonly effort: EffortName;
  readonly warmupSeconds: number;
  readonly breakers: CircuitBreakers;
  readonly headroom: HeadroomNeeds;
  /** Average demand to judge the capacity against; `null` = none. */
  readonly demandRps: number | null;
  /** Of the whole service under test. */
  readonly pricePerHourUsd: number | null;
}

/** As of a run, and what the search is about. */
export type CapacityEvent =
  | ExperimentEvent
  | {
      readonly kind: 'searchPlanned';
      readonly search: CapacitySearch;
      readonly planned: CapacityReport['planned'];
      readonly windowsBefore: number;
    }
  | {
      readonly kind: 'windowEnded';
      readonly plan: CapacityPlan;
      readonly windows: readonly CapacityWindow[];
    };

export interface CapacityPorts {
  readonly readText: (path: string) => string;
  readonly freshSeed: number;
  readonly toolVersion: string;
  readonly dir: string;
  readonly force: boolean;
  /** Whether `dir` holds an earlier part of this search. */
  readonly resume: boolean;
  readonly stopStarts: AbortSignal;
  readonly cancelAll: AbortSignal;
  readonly notify: (event: CapacityEvent) => void;
  /** `null` when interrupted before the first window. */
  readonly openDriver: (plan: RunPlan) => Promise<WindowDriver | null>;
  /** Simulated: the capacity with slower and faster steps, given the one found. */
  readonly stepTimeBand:
    | ((plan: RunPlan, report: CapacityReport) => Promise<CapacityReport['stepTimeBand']>)
    | null;
}

export interface CapacityResult {
  readonly report: CapacityReport;
  readonly summary: Summary;
  readonly interrupted: boolean;
}

/**
 * Measures window after window until the planner is done, storing each as a load point.
 * `null` when interrupted before the first window.
 *
 * Errors: ProblemsError before the target hears from us, when the spec, the folder or the search
 * to resume does not fit; EnvironmentError when the target cannot be reached or a file not written.
 */
export async function searchCapacity(
  spec: RunSpec,
  search: CapacitySearch,
  ports: CapacityPorts,
): Promise<CapacityResult | null> {
  const objective = requireTarget(spec);
  const first = nextOf(search.plan, []);
  if (first.kind === 'done') throw noRoom();
  const firstSpec = windowSpec(spec, search, first);
  const planned = plannedSeconds(search) * NS_PER_SECOND;
  const plan = planSearch(firstSpec, { ...ports, times: planned / firstSpec.durationNs });
  const stored = ports.resume ? await openSearch(ports.dir) : null;
  if (stored === null) await requireFreeFolder(ports.dir, ports);
  const windowsBefore = stored?.windows.length ?? 0;
  const cost = plannedCost(search, plan, plannedSeconds(search));
  ports.notify({ kind: 'searchPlanned', search, planned: cost, windowsBefore });
  for (const text of plan.notes) ports.notify({ kind: 'note', text });
  const driver = await ports.openDriver(plan);
  if (driver === null) return null;
  let folder: RunFolder | null = null;
  try {
    if (stored !== null) requireSameSearch(stored.manifest, driver.manifest);
    folder =
      stored === null
        ? await createRunFolder(ports.dir, { force: ports.force })
        : extendRunFolder(ports.dir);
    const run = { spec, objective, search, ports, plan, planned: cost, driver, folder };
    return await runWindows(run, stored ?? { manifest: driver.manifest, windows: [] });
  } finally {
    await folder?.close();
    driver.close();
  }
}

interface SearchParts {
  readonly spec: RunSpec;
  readonly objective: Objective;
  readonly search: CapacitySearch;
  readonly ports: CapacityPorts;
  readonly plan: RunPlan;
  readonly planned: CapacityReport['planned'];
  readonly driver: WindowDriver;
  readonly folder: RunFolder;
}

interface SearchState {
  readonly manifest: Manifest;
  readonly windows: readonly CapacityWindow[];
}

async function runWindows(parts: SearchParts, start: SearchState): Promise<CapacityResult> {
  const { search, ports, folder } = parts;
  let { manifest, windows } = start;
  await folder.writeManifest(manifest);
  let end: SearchEnd = 'interrupted';
  while (!ports.stopStarts.aborted && !ports.cancelAll.aborted) {
    const step = nextOf(search.plan, windows);
    if (step.kind === 'done') {
      end = step.reason;
      break;
    }
    const { point, window, hash } = await runWindow(parts, manifest, step);
    manifest = {
      ...manifest,
      scheduleHashes: [...manifest.scheduleHashes, hash],
      points: [...manifest.points, point],
    };
    windows = [...windows, window];
    await folder.writeManifest(manifest);
    await store(folder, capacityReport(inputsOf(parts, manifest, windows), [], 'interrupted'));
    ports.notify({ kind: 'windowEnded', plan: search.plan, windows });
    if (point.stopReason === 'budget') {
      end = 'spendingLimit';
      break;
    }
  }
  await folder.flush();
  ports.notify({ kind: 'summarising' });
  const summary = await summariseRun(await openRun(ports.dir), {
    objective: parts.spec.objective,
    correctness: correctnessOf(parts.spec),
    toolVersion: ports.toolVersion,
  });
  await folder.writeSummary(summary);
  const plain = capacityReport(inputsOf(parts, manifest, windows), summary.points, end);
  const stepTimeBand =
    end === 'interrupted' || ports.stepTimeBand === null
      ? null
      : await ports.stepTimeBand(parts.plan, plain);
  const report = { ...plain, stepTimeBand };
  await store(folder, report);
  return { report, summary, interrupted: end === 'interrupted' };
}

function inputsOf(
  { search, objective, planned, plan, ports }: SearchParts,
  manifest: Manifest,
  windows: readonly CapacityWindow[],
): ReportInputs {
  return { search, objective, planned, plan, manifest, windows, toolVersion: ports.toolVersion };
}

/** One window: planned afresh, watched, stored, judged from its records as any run is. */
async function runWindow(
  parts: SearchParts,
  manifest: Manifest,
  step: Extract<SearchStep, { kind: 'window' }>,
): Promise<{
  readonly point: ManifestPoint;
  readonly window: CapacityWindow;
  readonly hash: string;
}> {
  const { search, objective, plan, driver, folder, ports } = parts;
  const spec = windowSpec(parts.spec, search, step);
  const index = manifest.points.reduce((most, { index: at }) => Math.max(most, at + 1), 0);
  const planned = planWindow(spec, plan, index);
  const watch = new WindowWatch({
    objective,
    targetShare: search.plan.targetShare,
    schedule: planned.schedule,
    ...judgedPart({ warmupSeconds: search.warmupSeconds, seconds: step.seconds }),
    stopsEarly: step.stopsEarly,
    breakers: search.breakers,
  });
  await folder.writeSchedule(index, planned.schedule);
  const running = driver.running({ spec, point: planned });
  await folder.writeManifest({ ...manifest, points: [...manifest.points, running] });
  const ended = await driver.run({ spec, point: planned, watch, manifest, folder });
  await folder.flush();
  const { stopped } = watch;
  const point: ManifestPoint =
    stopped === null ? ended : { ...ended, partial: true, stopReason: stopped.why };
  const records = (await openRun(ports.dir)).records(index);
  const { toolVersion } = ports;
  const [told] = (await summariseWindow(records, { spec, manifest, point, toolVersion })).points;
  const answerNs = told?.completionNs.mean ?? null;
  const judgedNs = point.stopNs - (point.steadyFromNs ?? point.stopNs);
  const invalid = told?.validity.reasons.find(({ severity }) => severity === 'invalid');
  const interrupted = stopped === null && ended.partial;
  const window: CapacityWindow = {
    pointIndex: index,
    phase: step.phase,
    level: step.level,
    good: told?.attainment.good ?? 0,
    offered: told?.attainment.offered ?? 0,
    answerSeconds: answerNs === null ? null : answerNs / NS_PER_SECOND,
    measuredSeconds: Math.min(step.seconds, Math.max(0, judgedNs / NS_PER_SECOND)),
    ending:
      stopped?.ending ?? (interrupted ? 'interrupted' : invalid === undefined ? 'full' : 'invalid'),
    why: stopped?.why ?? (interrupted ? 'interrupted' : (invalid?.message ?? null)),
  };
  return { point, window, hash: planned.schedule.hash };
}

/** The planner's next wish, of either kind of search. */
export function nextOf(plan: CapacityPlan, windows: readonly CapacityWindow[]): SearchStep {
  switch (plan.kind) {
    case 'open':
      return nextStep(plan, windows);
    case 'closed':
      return nextRung(plan, windows);
    default:
      return assertNever(plan);
  }
}

/** The search's spec, narrowed to one window. */
export function windowSpec(
  spec: RunSpec,
  search: Pick<CapacitySearch, 'plan' | 'warmupSeconds'>,
  step: { readonly level: number; readonly seconds: number },
): RunSpec {
  const arrivals = spec.load.kind === 'rate' ? spec.load.arrivals : ({ kind: 'poisson' } as const);
  return {
    ...spec,
    load:
      search.plan.kind === 'open'
        ? { kind: 'rate', ratesRps: [step.level], arrivals }
        : { kind: 'concurrency', levels: [step.level] },
    warmupNs: nsFromSeconds(search.warmupSeconds),
    durationNs: judgedPart({ ...search, seconds: step.seconds }).toNs,
    requests: null,
  };
}

/** Wall-clock seconds of the whole search, drains and pauses not counted. */
export function plannedSeconds({ plan, warmupSeconds }: CapacitySearch): number {
  // A quarter more windows than the budget would hold of full ones: the coarse ones are shorter.
  const windows = Math.ceil((1.25 * plan.budgetSeconds) / plan.windowSeconds);
  return plan.budgetSeconds + windows * warmupSeconds;
}

/**
 * What a capacity search stored beside its windows; `null` when the run was none.
 * Errors: ProblemsError when this version cannot read it.
 */
export async function storedCapacity(
  run: Pick<OpenRun, 'dir' | 'capacityText'>,
): Promise<CapacityReport | null> {
  const text = await run.capacityText();
  if (text === null) return null;
  const parsed = capacitySchema.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  throw notASearch(run.dir);
}

/** The earlier part of a search. Errors: ProblemsError when the folder holds none. */
async function openSearch(dir: string): Promise<SearchState> {
  const run = await openRun(dir);
  const report = await storedCapacity(run);
  // Stopped in its very first window: a run, and nothing known of it.
  if (report === null && run.manifest.points.length > 1) throw notASearch(dir);
  return { manifest: run.manifest, windows: report?.windows ?? [] };
}

function notASearch(dir: string): ProblemsError {
  return new ProblemsError([
    usageProblem(
      'E_RUN_FORMAT',
      `${printable(dir)} holds no capacity search of this version`,
      'give the folder that goodput capacity wrote',
    ),
  ]);
}

/** Windows of two targets, workloads or objectives must never meet in one fit. */
function requireSameSearch(stored: Manifest, now: Manifest): void {
  const differing = [
    contentHash(stored.spec) === contentHash(now.spec) ? null : 'the spec',
    contentHash(stored.simulated) === contentHash(now.simulated) ? null : 'the simulated service',
    contentHash(stored.facts as unknown as JsonValue) ===
    contentHash(now.facts as unknown as JsonValue)
      ? null
      : 'what the server says of itself',
    stored.tool.version === now.tool.version ? null : 'the version of goodput',
  ].filter((part) => part !== null);
  if (differing.length === 0) return;
  throw new ProblemsError([
    usageProblem(
      'E_USAGE_CONFLICT',
      `the stored search differs from this one in ${differing.join(' and ')}`,
      'resume with the command that started it; effort, budget, headroom and demand may change',
    ),
  ]);
}

/** Errors: ProblemsError without a target that attainment could cross. */
function requireTarget({ objective }: RunSpec): Objective {
  const share = objective?.population.attainmentShare ?? null;
  if (objective !== null && share !== null && share < 1) return objective;
  throw new ProblemsError([
    usageProblem(
      'E_USAGE_MISSING',
      'a capacity needs a target below 100 % for attainment: where does the load become too much?',
      "add it to the objective: --slo 'ttft<=1s, tpot<=40ms, attainment>=95%'",
    ),
  ]);
}

function noRoom(): ProblemsError {
  return new ProblemsError([
    usageProblem('E_BUDGET_IMPOSSIBLE', 'the budget is shorter than its first window'),
  ]);
}

async function store(folder: RunFolder, report: CapacityReport): Promise<void> {
  await folder.writeCapacity(JSON.parse(JSON.stringify(report)) as JsonValue);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
