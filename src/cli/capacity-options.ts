/** The options of `goodput capacity` and what they come to. */
import { type Command, Option } from 'commander';
import {
  assertNever,
  NS_PER_SECOND,
  parseShare,
  ProblemsError,
  usageProblem,
} from '../base/index.ts';
import { RUN_FLAGS, type RunSpec } from '../config/index.ts';
import { type CapacitySearch, DEFAULT_BREAKERS } from '../experiment/index.ts';
import { type Effort, type EffortName, EFFORT_NAMES, EFFORTS } from '../planner/index.ts';
import { SERVER_VIEW_FLAGS, SESSION_FLAGS } from './command.ts';
import { OptionReader } from './option-reader.ts';

/**
 * Loads, windows and their length are the search's to choose, and it varies no rate of sessions; it
 * looks at no engine's metrics.
 */
const CHOSEN_BY_SEARCH: ReadonlySet<string> = new Set([
  '--rate',
  '--concurrency',
  '--users',
  '--think',
  '--time-scale',
  '--from',
  '--duration',
  '--requests',
  ...SESSION_FLAGS,
  ...SERVER_VIEW_FLAGS,
]);

export const CAPACITY_FLAGS: ReadonlySet<string> = new Set(
  RUN_FLAGS.map(({ flag }) => flag).filter((flag) => !CHOSEN_BY_SEARCH.has(flag)),
);

export interface SearchFlags {
  readonly effort: EffortName;
  readonly budget?: string;
  readonly window?: string;
  readonly precision?: string;
  readonly start?: string;
  readonly max?: string;
  readonly closed: boolean;
  readonly demand?: string;
  readonly burst?: string;
  readonly growth?: string;
  readonly failover?: string;
  readonly pricePerHour?: string;
  readonly breakErrors: string;
  readonly breakFailures: string;
  readonly breakBacklog: string;
}

export function addSearchOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--effort <effort>',
        'smoke: minutes, a first idea. standard: over an hour, ±5 %. signoff: over four hours, ±2 %',
      )
        .choices([...EFFORT_NAMES])
        .default('standard'),
    )
    .option('--budget <duration>', 'judged time of all windows together, in place of the effort’s')
    .option('--window <duration>', 'judged time of a window near capacity, likewise')
    .option('--precision <share>', 'stop once half the interval is this part of the capacity: 3%')
    .option('--start <load>', 'load of the first window. Left out: the run file’s rate, or 1')
    .option('--max <load>', 'look at no load beyond. Left out: no bound; closed: --max-in-flight')
    .option('--closed', 'the largest concurrency instead of the highest rate; no capacity', false);
}

export function addNeedsOptions(command: Command): Command {
  return command
    .option('--demand <rps>', 'average demand to judge the capacity against; exit 3 if missed')
    .option('--burst <factor>', 'headroom: peak over average rate, e.g. 1.5')
    .option('--growth <share>', 'headroom: growth to provide for, e.g. 20%')
    .option('--failover <lost/replicas>', 'headroom: replicas that may be lost, e.g. 1/4')
    .option('--require-proof', 'exit 6 unless --demand is met by the lower bound', false)
    .option('--price-per-hour <usd>', 'of the whole service, for the cost of the search');
}

export function addBreakerOptions(command: Command): Command {
  const { errorShare, consecutiveFailures, backlogSeconds } = DEFAULT_BREAKERS;
  return command
    .option('--break-errors <share>', 'share of failed requests', `${100 * errorShare}%`)
    .option('--break-failures <count>', 'failed requests in a row', String(consecutiveFailures))
    .option(
      '--break-backlog <duration>',
      'requests inside, as time of arrivals',
      `${backlogSeconds}s`,
    );
}

/** Errors: ProblemsError with every option that cannot be read. */
export function readSearch(flags: SearchFlags, spec: RunSpec): CapacitySearch {
  const reader = new OptionReader();
  const seconds = (flag: string, text: string | undefined, otherwise: number): number =>
    text === undefined ? otherwise : reader.durationNs(flag, text, 'above0') / NS_PER_SECOND;
  const number = (flag: string, text: string | undefined): number | null =>
    text === undefined ? null : reader.positiveNumber(flag, text);
  const effort: Effort = EFFORTS[flags.effort];
  const windowSeconds = seconds('--window', flags.window, effort.windowSeconds);
  const budgetSeconds = seconds('--budget', flags.budget, effort.budgetSeconds);
  const targetShare = spec.objective?.population.attainmentShare ?? 1;
  const start = number('--start', flags.start) ?? levelOf(spec);
  const max = number('--max', flags.max);
  const wanted =
    flags.precision === undefined ? null : reader.share('--precision', flags.precision);
  if (flags.closed && wanted !== null) {
    reader.add(usageProblem('E_USAGE_CONFLICT', '--precision does not go with --closed'));
  }
  if (flags.closed && [flags.demand, flags.burst, flags.growth, flags.failover].some(isGiven)) {
    const hint = 'a closed loop gives no rate that users may arrive at';
    reader.add(
      usageProblem('E_USAGE_CONFLICT', 'demand and headroom do not go with --closed', hint),
    );
  }
  if (max !== null && start > max) {
    reader.add(usageProblem('E_USAGE_CONFLICT', `the search would start beyond --max ${max}`));
  }
  refuseMinuteLimits(spec, reader);
  const burst = number('--burst', flags.burst);
  if (burst !== null && burst < 1) {
    reader.add(usageProblem('E_USAGE_VALUE', '--burst is peak over average, so at least 1'));
  }
  const search: CapacitySearch = {
    plan: flags.closed
      ? {
          kind: 'closed',
          targetShare,
          startStreams: Math.max(1, Math.round(start)),
          maxStreams: Math.max(1, Math.floor(max ?? spec.budget.maxInFlight)),
          windowSeconds,
          budgetSeconds,
        }
      : {
          kind: 'open',
          targetShare,
          startRps: start,
          maxRps: max,
          bracketSeconds: Math.min(effort.bracketSeconds, windowSeconds),
          windowSeconds,
          budgetSeconds,
          wantedHalfWidthShare: wanted,
        },
    effort: flags.effort,
    warmupSeconds: spec.warmupNs > 0 ? spec.warmupNs / NS_PER_SECOND : effort.warmupSeconds,
    breakers: {
      errorShare: reader.share('--break-errors', flags.breakErrors),
      consecutiveFailures: reader.count('--break-failures', flags.breakFailures),
      backlogSeconds: seconds('--break-backlog', flags.breakBacklog, 0),
    },
    headroom: {
      burstFactor: burst,
      growthShare: flags.growth === undefined ? null : readGrowth(flags.growth, reader),
      failover: flags.failover === undefined ? null : readFailover(flags.failover, reader),
    },
    demandRps: number('--demand', flags.demand),
    pricePerHourUsd: number('--price-per-hour', flags.pricePerHour),
  };
  reader.finish();
  return search;
}

/** Each window is planned after the one before it: what fell into a minute is known too late. */
function refuseMinuteLimits({ target: { quota } }: RunSpec, reader: OptionReader): void {
  if (quota.requestsPerMinute === null && quota.tokensPerMinute === null) return;
  const message = 'a search keeps no limit a minute: it looks for the load that is too much';
  const hint = 'leave rpm and tpm out of the quota, and give the highest rate they allow as --max';
  reader.add(usageProblem('E_UNSUPPORTED', message, hint));
}

/** Errors: ProblemsError for a load that a search cannot vary. */
function levelOf({ load }: RunSpec): number {
  switch (load.kind) {
    case 'rate':
      return Math.min(...load.ratesRps);
    case 'concurrency':
      return Math.min(...load.levels);
    case 'users':
    case 'sessions':
    case 'trace':
      throw new ProblemsError([
        usageProblem(
          'E_UNSUPPORTED',
          `the capacity of a load of kind ${load.kind} is not searched`,
          'give the run file a rate, or concurrency and --closed; its workload may come from a trace',
        ),
      ]);
    default:
      return assertNever(load);
  }
}

function isGiven(text: string | undefined): boolean {
  return text !== undefined;
}

/** Growth may be more than 100 %. */
function readGrowth(text: string, reader: OptionReader): number {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text.trim())?.[1];
  const share = percent === undefined ? parseShare(text) : Number(percent) / 100;
  if (share !== null && share > 0) return share;
  reader.add(usageProblem('E_USAGE_VALUE', `--growth ${text} is not a share above 0`, 'write 20%'));
  return 0;
}

function readFailover(
  text: string,
  reader: OptionReader,
): { readonly lost: number; readonly replicas: number } {
  const parts = /^(\d+)\/(\d+)$/.exec(text.trim());
  const [lost, replicas] = [Number(parts?.[1]), Number(parts?.[2])];
  if (parts !== null && lost >= 1 && lost < replicas) return { lost, replicas };
  reader.add(
    usageProblem(
      'E_USAGE_VALUE',
      `--failover ${text} is not lost/replicas with some left`,
      'write 1/4: one of four may be lost',
    ),
  );
  return { lost: 1, replicas: 2 };
}
