/** `goodput simulate SPEC`: the load of a run file, or of its flags, on a simulated service. */
import { type Command, Option } from 'commander';
import { type ExitCode, ProblemsError, usageProblem } from '../base/index.ts';
import {
  parseRunSpec,
  RUN_FLAGS,
  runSpecFromFlags,
  type RunSpec,
  type ServiceKeys,
} from '../config/index.ts';
import type { EngineLimits, EngineOptions, HullAxis, KvMemoryOptions } from '../engine/index.ts';
import {
  isSweep,
  type ReachedLoads,
  runExitCode,
  SIMULATED_URL,
  type SimulatedTarget,
  simulateRun,
} from '../experiment/index.ts';
import type { RoutingPolicy } from '../simulator/index.ts';
import { givenRunFlags, SERVER_VIEW_FLAGS, type ShowOptions } from './command.ts';
import type { CommandContext } from './context.ts';
import { DEVICE_NAMES } from './device-option.ts';
import { readTextFile } from './files.ts';
import { catchInterrupts } from './interrupts.ts';
import { OptionReader } from './option-reader.ts';
import { progressLine } from './progress.ts';
import { configContext, isUrl } from './read-spec.ts';
import { defaultRunDir } from './run-load.ts';
import { showSummary } from './show-summary.ts';
import {
  addPoolOptions,
  decodeDescription,
  disaggregation,
  type PoolFlags,
  readAutoscaling,
  readDecodeOptions,
} from './simulate-pools.ts';
import {
  checkStepCostFlags,
  readStepCost,
  type StepCost,
  type StepCostFlags,
} from './step-cost-option.ts';
import { TOOL_VERSION } from './version.ts';

/** Flags of `run` about the wire, the client and its lateness: there is none of these here. */
const WIRE_FLAGS: ReadonlySet<string> = new Set([
  '--url',
  '--api',
  '--no-stream',
  '--key-env',
  '--key-file',
  '--key-header',
  '--header',
  '--body',
  '--tokens-per-event',
  '--tokenizer',
  '--proxy',
  '--ca',
  '--cert',
  '--cert-key',
  '--unix-socket',
  '--transport',
  '--http2',
  '--connect-timeout',
  '--max-line-bytes',
  '--max-response-bytes',
  '--bodies',
  '--lateness-limit',
  '--processes',
  ...SERVER_VIEW_FLAGS,
]);

export const SIMULATED_FLAGS: ReadonlySet<string> = new Set(
  RUN_FLAGS.map(({ flag }) => flag).filter((flag) => !WIRE_FLAGS.has(flag)),
);

const ROUTERS: Readonly<Record<string, RoutingPolicy>> = {
  'round-robin': 'roundRobin',
  'least-outstanding': 'leastOutstanding',
  'prefix-affine': 'prefixAffine',
};

export interface ServiceFlags extends StepCostFlags, PoolFlags {
  readonly asyncScheduling: boolean;
  readonly policy: string;
  readonly method: 'naive' | 'skip';
  readonly tokenBudget: string;
  readonly maxSequences: string;
  readonly maxWaiting?: string;
  readonly maxModelTokens?: string;
  readonly longPrefillThreshold?: string;
  readonly kvBlocks?: string;
  readonly blockSize: string;
  readonly prefixCaching: boolean;
  readonly reserveFullPrompt: boolean;
  readonly queueTimeout?: string;
  readonly replicas: string;
  readonly router: string;
  readonly speedScale: string;
}

export function addServiceOptions(command: Command): Command {
  const engines = command
    .option('--token-budget <tokens>', 'most tokens computed in a step', '512')
    .option('--max-sequences <count>', 'most requests in a step', '256')
    .option('--max-waiting <count>', 'most requests waiting; more get 503. Left out: no limit')
    .option('--max-model-tokens <tokens>', 'longest prompt and answer. Left out: no limit')
    .option(
      '--long-prefill-threshold <tokens>',
      'most tokens of one prompt in a step. Left out: no limit',
    )
    .option('--kv-blocks <count>', 'blocks of KV memory per replica. Left out: never short')
    .option('--block-size <count>', 'tokens a block holds', '16')
    .option(
      '--prefix-caching',
      'find the blocks of earlier prompts again; needs --kv-blocks',
      false,
    )
    .option('--no-reserve-full-prompt', 'start prompts whose blocks are not all free yet')
    .option('--async-scheduling', 'plan a step while the one before it runs, as vLLM does', false)
    .option('--queue-timeout <duration>', 'turn away (503) who waited so long. Left out: never')
    .addOption(
      new Option('--policy <policy>', 'fcfs, or priority: smaller `priority` first')
        .choices(['fcfs', 'priority'])
        .default('fcfs'),
    )
    .option('--replicas <count>', 'engines behind the router; with --autoscale at the start', '1')
    .addOption(
      new Option('--router <policy>', 'which replica a request goes to')
        .choices(Object.keys(ROUTERS))
        .default('round-robin'),
    )
    .option('--device <name|@file>', `device of a replica: ${DEVICE_NAMES}, or a sheet in YAML`)
    .option('--config <file>', 'config.json of the model. Without it: a 70B model on 8 devices')
    .option('--fit <file>', 'what goodput fit --format json printed, in place of --device')
    .option(
      '--step-cost <kind:file>',
      'costs measured elsewhere, in place of --config: affine:FILE.yaml or table:FILE.csv',
    )
    .option('--tensor-parallel <count>', 'devices that every layer is split over. Left out: 1')
    .option('--speed-scale <factor>', 'factor on every step time: 1.05 is 5 % slower', '1')
    .addOption(
      new Option('--method <method>', 'step by step, or repeated steps together: the same instants')
        .choices(['naive', 'skip'])
        .default('skip'),
    );
  return addPoolOptions(engines);
}

interface SpecOptions extends ShowOptions, ServiceFlags {
  readonly threads?: string;
  readonly steps: boolean;
  readonly force: boolean;
}

export async function simulateSpec(
  file: string | undefined,
  command: Command,
  context: CommandContext,
): Promise<ExitCode> {
  const spec = readSimulatedSpec(file, command, context);
  const options = { ...command.opts<SpecOptions>(), ...standingIn(spec.service, command) };
  const threads = readThreads(options);
  const { target, beyondMeasured } = readTarget(options);
  const now = new Date();
  const dir = spec.out ?? defaultRunDir(spec.name, now);
  const interrupts = catchInterrupts(context);
  const progress = progressLine(context, { quiet: options.quiet });
  try {
    const { summary, manifest, interrupted, reached } = await simulateRun(spec, target, {
      readText: readTextFile,
      toolVersion: TOOL_VERSION,
      dir,
      threads,
      keepsSteps: options.steps,
      force: options.force,
      startedAt: now.toISOString(),
      stopStarts: interrupts.stopStarts,
      cancelAll: interrupts.cancelAll,
      notify: progress.notify,
    });
    progress.end();
    const beyond = beyondMeasured(reached);
    if (beyond.length > 0) {
      context.stderr(`note: steps went beyond what was measured: ${beyond.join(', ')}\n`);
    }
    showSummary(context, { summary, manifest }, { ...options, files: [dir] });
    return runExitCode({ summary, interrupted, sweep: isSweep(spec), requireProof: false });
  } finally {
    progress.end();
    interrupts.release();
  }
}

/** `null` = one per core. The results are the same however many there are. */
function readThreads({ threads }: SpecOptions): number | null {
  if (threads === undefined) return null;
  const reader = new OptionReader();
  const count = reader.count('--threads', threads);
  reader.finish();
  return count;
}

/** What the run file says of the service where no flag does: to be laid over the command's options. */
export function standingIn(
  service: ServiceKeys,
  command: Command,
): Record<string, string | boolean> {
  const given = Object.entries(service).filter(
    ([name]) => command.getOptionValueSource(name) !== 'cli',
  );
  return Object.fromEntries(given);
}

/** As for `run`, save that there is no target to name. */
export function readSimulatedSpec(
  file: string | undefined,
  command: Command,
  context: CommandContext,
): RunSpec {
  if (file !== undefined && isUrl(file)) {
    throw new ProblemsError([
      usageProblem('E_USAGE_CONFLICT', 'a URL is not simulated', `goodput run ${file} loads it`),
    ]);
  }
  const flags = { ...givenRunFlags(command), url: SIMULATED_URL };
  const settings = configContext(context);
  const parsed =
    file === undefined
      ? runSpecFromFlags(flags, settings)
      : parseRunSpec(readTextFile(file), { ...settings, file, flags });
  if ('problems' in parsed) throw new ProblemsError(parsed.problems);
  return parsed.spec;
}

/** Errors: ProblemsError with every option that cannot be read. */
export function readTarget(flags: ServiceFlags): {
  readonly target: SimulatedTarget;
  /** Axes along which such steps are beyond what their cost was measured on. */
  readonly beyondMeasured: (reached: ReachedLoads) => readonly HullAxis[];
} {
  const reader = new OptionReader();
  const limits = readLimits(flags, reader);
  const memory = readMemory(flags, reader);
  const queueTimeoutNs =
    flags.queueTimeout === undefined
      ? null
      : reader.durationNs('--queue-timeout', flags.queueTimeout, 'above0');
  const speedScale = reader.positiveNumber('--speed-scale', flags.speedScale);
  const replicas = reader.count('--replicas', flags.replicas);
  if (flags.router === 'prefix-affine' && !flags.prefixCaching) {
    const hint = 'there is nothing to find again without';
    reader.add(
      usageProblem('E_USAGE_MISSING', '--router prefix-affine needs --prefix-caching', hint),
    );
  }
  const decode = readDecodeOptions(flags, reader);
  const autoscaling = readAutoscaling(flags, replicas, reader);
  const { cost, decodeCost } = readCosts(flags, reader);
  const policy = flags.policy === 'priority' ? 'priority' : 'fcfs';
  const { asyncScheduling: plansAhead } = flags;
  const costModel = cost.model;
  const engine: EngineOptions = { limits, policy, memory, plansAhead, costModel, speedScale };
  const apart = decode === null ? null : disaggregation(decode, engine, { decodeCost, reader });
  reader.finish();
  const target = {
    service: {
      engine,
      replicas,
      router: ROUTERS[flags.router] as RoutingPolicy,
      method: flags.method,
      disaggregation: apart,
      autoscaling,
      queueTimeoutNs,
    },
    description: {
      cost: cost.description,
      limits: { ...limits },
      memory: memory === null ? null : { ...memory },
      queueTimeoutNs,
      plansAhead,
      speedScale,
      replicas,
      router: flags.router,
      policy,
      decode: decode === null ? null : decodeDescription(decode, decodeCost),
      autoscaling: autoscaling === null ? null : { ...autoscaling },
    },
  };
  const beyondMeasured = ({ engine: served, decodeEngine }: ReachedLoads): readonly HullAxis[] => [
    ...new Set([...cost.beyondMeasured(served), ...decodeCost.beyondMeasured(decodeEngine)]),
  ];
  return { target, beyondMeasured };
}

function readLimits(flags: ServiceFlags, reader: OptionReader): EngineLimits {
  return {
    tokenBudget: reader.count('--token-budget', flags.tokenBudget),
    maxSequences: reader.count('--max-sequences', flags.maxSequences),
    maxWaiting: optionalCount(reader, '--max-waiting', flags.maxWaiting),
    maxModelTokens: optionalCount(reader, '--max-model-tokens', flags.maxModelTokens),
    longPrefillTokenThreshold: optionalCount(
      reader,
      '--long-prefill-threshold',
      flags.longPrefillThreshold,
    ),
  };
}

function optionalCount(reader: OptionReader, flag: string, text: string | undefined) {
  return text === undefined ? null : reader.count(flag, text);
}

/** What steps cost, on a decode replica too. Errors: ProblemsError with all read so far. */
function readCosts(
  flags: ServiceFlags,
  reader: OptionReader,
): { readonly cost: StepCost; readonly decodeCost: StepCost } {
  const { tensorParallel, decodeTensorParallel } = flags;
  const tensor = optionalCount(reader, '--tensor-parallel', tensorParallel) ?? 1;
  const decodeTensor = optionalCount(reader, '--decode-tensor-parallel', decodeTensorParallel);
  const decodeFlags = decodeCostFlags(flags);
  checkStepCostFlags(flags, reader);
  if (decodeFlags !== flags) checkStepCostFlags(decodeFlags, reader);
  reader.finish();
  const cost = readStepCost(flags, tensor);
  const decodeCost =
    decodeFlags === flags ? cost : readStepCost(decodeFlags, decodeTensor ?? tensor);
  return { cost, decodeCost };
}

/** The same flags where decode replicas are as the prefill ones. */
function decodeCostFlags(flags: ServiceFlags): StepCostFlags {
  const { decodeDevice, decodeTensorParallel } = flags;
  if (decodeDevice === undefined && decodeTensorParallel === undefined) return flags;
  return {
    ...flags,
    ...(decodeDevice === undefined ? {} : { device: decodeDevice }),
    ...(decodeTensorParallel === undefined ? {} : { tensorParallel: decodeTensorParallel }),
  };
}

function readMemory(flags: ServiceFlags, reader: OptionReader): KvMemoryOptions | null {
  const blockTokens = reader.count('--block-size', flags.blockSize);
  const { prefixCaching, reserveFullPrompt } = flags;
  if (flags.kvBlocks === undefined) {
    const flag = prefixCaching ? '--prefix-caching' : '--no-reserve-full-prompt';
    if (prefixCaching || !reserveFullPrompt) {
      const hint = 'say how many blocks of memory there are';
      reader.add(usageProblem('E_USAGE_MISSING', `${flag} needs --kv-blocks`, hint));
    }
    return null;
  }
  const blocks = reader.count('--kv-blocks', flags.kvBlocks);
  return { blocks, blockTokens, prefixCaching, reserveFullPrompt };
}
