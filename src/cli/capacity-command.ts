/** `goodput capacity`: the highest load that meets the objective, and how sure that is. */
import { randomBytes } from 'node:crypto';
import { type Command, Option } from 'commander';
import {
  createRealClock,
  EXIT_CODES,
  type ExitCode,
  type Problem,
  ProblemsError,
  usageProblem,
} from '../base/index.ts';
import { type FlagValues, parseRunSpec, runSpecFromFlags, type RunSpec } from '../config/index.ts';
import {
  type CapacityPorts,
  type CapacityResult,
  type CapacitySearch,
  measuredDriver,
  searchCapacity,
  SIMULATED_URL,
  type SimulatedTarget,
  simulatedDriver,
  stepTimeBand,
} from '../experiment/index.ts';
import type { CapacityReport } from '../planner/index.ts';
import { terminalCapacity } from '../report/index.ts';
import {
  addBreakerOptions,
  addNeedsOptions,
  addSearchOptions,
  CAPACITY_FLAGS,
  readSearch,
  type SearchFlags,
} from './capacity-options.ts';
import { capacityProgress } from './capacity-progress.ts';
import { addRunFlags, formatOption, givenRunFlags, type Register } from './command.ts';
import type { CommandContext } from './context.ts';
import { readTextFile } from './files.ts';
import { catchInterrupts, type Interrupts } from './interrupts.ts';
import { type ProgressMode, progressOption } from './progress.ts';
import { configContext, isUrl, readKey } from './read-spec.ts';
import { defaultRunDir } from './run-load.ts';
import {
  addServiceOptions,
  readTarget,
  type ServiceFlags,
  SIMULATED_FLAGS,
  standingIn,
} from './simulate-spec.ts';
import { TOOL_VERSION } from './version.ts';

interface CapacityOptions extends SearchFlags, ServiceFlags {
  readonly simulate: boolean;
  readonly preset?: 'goodput-sweep';
  readonly resume?: string;
  readonly force: boolean;
  readonly format: 'text' | 'json';
  readonly explain: boolean;
  readonly quiet: boolean;
  readonly progress: ProgressMode;
  readonly requireProof: boolean;
}

export const capacityCommand: Register = (program, context, finish) => {
  const command = program
    .command('capacity')
    .description(
      'Finds the load at which attainment crosses its target, with an interval and the lower bound to\n' +
        'plan with. Looks at coarse loads first, then at many near the crossing, each with fresh requests.\n' +
        'Says what it will take before it starts. TARGET is a URL or a run file; with --simulate a run file\n' +
        'or nothing.',
    )
    .argument('[target]', 'URL of the server, or a YAML run file');
  addSearchOptions(command.optionsGroup('Search:'));
  addNeedsOptions(command.optionsGroup('What must fit:'));
  addBreakerOptions(command.optionsGroup('Circuit breakers, each stops a window:'));
  addRunFlags(
    command.optionsGroup('Target, workload and objective, as in goodput run:'),
    CAPACITY_FLAGS,
  );
  addServiceOptions(
    command
      .optionsGroup('Simulated service:')
      .option('--simulate', 'search on a simulated service, in virtual time', false)
      .addOption(
        new Option(
          '--preset <name>',
          'simulate the engine, workload and objective of "Latency SLOs and goodput"',
        ).choices(['goodput-sweep']),
      ),
  );
  command
    .optionsGroup('Output:')
    .option('--resume <folder>', 'go on with the search stored there, by the same command')
    .option('--force', 'replace an earlier run in --out', false)
    .addOption(formatOption(': what capacity.json holds'))
    .option('--explain', 'add every window', false)
    .option('--quiet', 'no progress on stderr', false)
    .addOption(progressOption())
    .addHelpText('after', EXAMPLES)
    .action(async (target: string | undefined, _options: unknown, self: Command) => {
      finish(await capacity(target, self, context));
    });
};

const EXAMPLES = `
Examples:
  goodput capacity http://127.0.0.1:8000 --slo 'ttft<=1s,tpot<=40ms,attainment>=95%' --effort smoke
  goodput capacity spec.yaml --demand 40 --burst 1.5 --failover 1/8 --price-per-hour 98
  goodput capacity --preset goodput-sweep --demand 6.5 --require-proof
  goodput capacity spec.yaml --resume goodput-runs/2026-11-29T20-26-05-capacity`;

/** The mission document's workload and objective. */
const PRESET_FLAGS: FlagValues = {
  input: 'lognormal:2000,0.8,max=16000',
  output: 'lognormal:200,0.7,min=2,max=1500',
  exact: true,
  slo: 'ttft<=1s, tpot<=15ms, attainment>=95%',
};

async function capacity(
  target: string | undefined,
  command: Command,
  context: CommandContext,
): Promise<ExitCode> {
  const options = command.opts<CapacityOptions>();
  const simulates = options.simulate || options.preset !== undefined;
  checkOptions(target, options, command, simulates);
  const spec = readCapacitySpec(target, command, context, simulates);
  const search = readSearch(options, spec);
  const service = { ...options, ...standingIn(spec.service, command) };
  const simulated = simulates ? readTarget(service).target : null;
  const dir = options.resume ?? spec.out ?? defaultRunDir(spec.name ?? 'capacity', new Date());
  const progress = capacityProgress(context, options);
  const interrupts = catchInterrupts(context, progress.say);
  try {
    const ports = portsOf(
      { spec, search, simulated, options, dir },
      interrupts,
      context,
      progress.notify,
    );
    const result = await searchCapacity(spec, search, ports);
    progress.end();
    if (result === null) {
      context.stderr('interrupted before the first window: nothing was measured or written\n');
      return EXIT_CODES.interrupted;
    }
    show(result.report, options, dir, context);
    return exitCodeOf(result, options);
  } finally {
    progress.end();
    interrupts.release();
  }
}

/** Errors: ProblemsError for options that exclude each other. */
function checkOptions(
  target: string | undefined,
  options: CapacityOptions,
  command: Command,
  simulates: boolean,
): void {
  const problems: Problem[] = [];
  const conflict = (message: string, hint: string | null = null): void => {
    problems.push(usageProblem('E_USAGE_CONFLICT', message, hint));
  };
  if (simulates && target !== undefined && isUrl(target)) {
    conflict('a URL is not simulated', 'leave --simulate and --preset out to load it');
  }
  if (options.preset !== undefined && target !== undefined) {
    conflict('a run file does not go with --preset');
  }
  const service = new Set(
    addServiceOptions(command.createCommand('service')).options.map(({ long }) => long),
  );
  for (const option of command.options) {
    if (command.getOptionValueSource(option.attributeName()) !== 'cli') continue;
    const flag = option.long ?? option.flags;
    if (!simulates && service.has(flag)) conflict(`${flag} needs --simulate`);
    if (simulates && CAPACITY_FLAGS.has(flag) && !SIMULATED_FLAGS.has(flag)) {
      conflict(`${flag} does not go with a simulated service`);
    }
  }
  if (options.resume !== undefined && command.getOptionValueSource('out') === 'cli') {
    conflict('--resume names the folder, so --out does not go with it');
  }
  if (options.resume !== undefined && options.force) {
    conflict('--resume goes on with what --force would delete');
  }
  if (options.requireProof && options.demand === undefined) {
    conflict('--require-proof needs --demand: proof of what?');
  }
  if (problems.length > 0) throw new ProblemsError(problems);
}

/** As for `run`, save that the search chooses the load where the file or the flags name none. */
function readCapacitySpec(
  target: string | undefined,
  command: Command,
  context: CommandContext,
  simulates: boolean,
): RunSpec {
  if (target === undefined && !simulates) {
    throw new ProblemsError([
      usageProblem(
        'E_USAGE_MISSING',
        'no target: give a URL or a run file, or --simulate',
        'goodput capacity http://127.0.0.1:8000 --slo ttft<=1s,attainment>=95%',
      ),
    ]);
  }
  const options = command.opts<CapacityOptions>();
  const preset = options.preset === undefined ? {} : PRESET_FLAGS;
  const given = { ...preset, ...givenRunFlags(command) };
  const settings = configContext(context);
  const url = simulates ? { url: SIMULATED_URL } : {};
  if (target !== undefined && !isUrl(target)) {
    const flags = { ...given, ...url };
    const parsed = parseRunSpec(readTextFile(target), { ...settings, file: target, flags });
    if ('problems' in parsed) throw new ProblemsError(parsed.problems);
    return parsed.spec;
  }
  const start = options.start ?? '1';
  const load = options.closed
    ? { concurrency: String(Math.max(1, Math.round(Number(start)) || 1)) }
    : { rate: start };
  const parsed = runSpecFromFlags({ ...given, ...load, url: target ?? SIMULATED_URL }, settings);
  if ('problems' in parsed) throw new ProblemsError(parsed.problems);
  return parsed.spec;
}

interface Wanted {
  readonly spec: RunSpec;
  readonly search: CapacitySearch;
  /** `null` = a real target. */
  readonly simulated: SimulatedTarget | null;
  readonly options: CapacityOptions;
  readonly dir: string;
}

function portsOf(
  { spec, search, simulated, options, dir }: Wanted,
  { stopStarts, cancelAll }: Interrupts,
  context: CommandContext,
  notify: CapacityPorts['notify'],
): CapacityPorts {
  const random = randomBytes(12);
  const freshSeed = simulated === null ? random.readUIntBE(6, 6) : spec.seeds.prompts;
  const common = { toolVersion: TOOL_VERSION, stopStarts, cancelAll, notify };
  const shared = {
    ...common,
    readText: readTextFile,
    freshSeed,
    dir,
    force: options.force,
    resume: options.resume !== undefined,
  };
  if (simulated === null) {
    const ports = {
      ...common,
      clock: createRealClock(),
      wallNowMs: () => Date.now(),
      readText: readTextFile,
      apiKey: readKey(spec, context),
      runId: random.toString('hex', 0, 6),
      freshSeed,
    };
    return {
      ...shared,
      openDriver: (plan) => measuredDriver(spec, plan, ports),
      stepTimeBand: null,
    };
  }
  const ports = { ...common, startedAt: new Date().toISOString() };
  const { objective } = spec;
  return {
    ...shared,
    openDriver: (plan) =>
      Promise.resolve(simulatedDriver(spec, plan, { target: simulated, ports })),
    stepTimeBand:
      objective === null
        ? null
        : (plan, report) =>
            stepTimeBand(report, { spec, objective, search, plan, target: simulated, ports }),
  };
}

function show(
  report: CapacityReport,
  options: CapacityOptions,
  dir: string,
  context: CommandContext,
): void {
  if (options.format === 'json') return context.stdout(`${JSON.stringify(report, null, 2)}\n`);
  const { columns: width, color } = context;
  const page = { width, color, explain: options.explain, files: [dir] };
  context.stdout(terminalCapacity(report, page));
}

function exitCodeOf({ report, interrupted }: CapacityResult, options: CapacityOptions): ExitCode {
  if (interrupted) return EXIT_CODES.interrupted;
  if (report.end === 'unusable') return EXIT_CODES.invalidRun;
  const verdict = report.demand?.verdict ?? null;
  if (report.end === 'missedEverywhere' || report.end === 'targetDown' || verdict === 'missed') {
    return EXIT_CODES.objectiveMissed;
  }
  return options.requireProof && verdict !== 'met' ? EXIT_CODES.notProven : EXIT_CODES.fine;
}
