/** `goodput simulate --preset goodput-sweep`: the mission document's program. */
import type { Command } from 'commander';
import { NS_PER_SECOND, nsFromSeconds, usageProblem } from '../base/index.ts';
import {
  type AttainmentCounts,
  rateGrid,
  sweepCapacity,
  SWEEP_DEFAULTS,
  SWEEP_RATES,
  type SweepCapacity,
  sweepCapacityText,
  sweepObjectiveText,
  type SweepOptions,
  type SweepRow,
  sweepRow,
  sweepTable,
} from '../simulator/index.ts';
import type { CommandContext } from './context.ts';
import { OptionReader } from './option-reader.ts';

/** Options of the preset. Those without a value here are shared with the simulation of a spec. */
export interface PresetOptions {
  readonly preset: 'goodput-sweep';
  readonly method: 'naive' | 'skip';
  readonly leakFree: boolean;
  readonly rate?: string;
  readonly duration?: string;
  readonly cut: string;
  readonly seed?: string;
  readonly tokenBudget: string;
  readonly maxSequences: string;
  readonly ttft: string;
  readonly tpot: string;
  readonly split?: string;
  readonly itl: boolean;
  readonly capacity?: string;
  readonly grid: string;
  readonly format: 'text' | 'json';
}

/** Names of the options that only the preset takes, as commander hands them over. */
export const PRESET_ONLY: ReadonlySet<string> = new Set([
  'leakFree',
  'cut',
  'ttft',
  'tpot',
  'split',
  'itl',
  'capacity',
  'grid',
]);

/** Names of the others that it takes. */
export const PRESET_SHARED: ReadonlySet<string> = new Set([
  'preset',
  'rate',
  'duration',
  'seed',
  'tokenBudget',
  'maxSequences',
  'method',
  'format',
]);

export function addPresetOptions(command: Command): Command {
  return command
    .option('--leak-free', 'without the leak of one context token per finished request', false)
    .option('--cut <time>', 'arrivals this near to start and end do not count', '30s')
    .option('--ttft <time>', 'limit on the time to first token', '1s')
    .option('--tpot <time>', 'limit on the time per output token', '15ms')
    .option('--split <tokens>', 'attainment of prompts below and from so many tokens as columns')
    .option('--itl', 'gaps between tokens as columns: each step, weighted by what decodes', false)
    .option('--capacity <share>', 'search for the largest rate that attains this share')
    .option('--grid <rps>', 'distance of the rates that --capacity tries', '0.25');
}

/** Errors: ProblemsError with every option that cannot be read. */
export function simulatePreset(options: PresetOptions, context: CommandContext): void {
  const { sweep, rates, targetShare } = readOptions(options);
  if (targetShare === null) {
    const rows = rates.map((offeredRps) => sweepRow(offeredRps, sweep));
    context.stdout(
      options.format === 'json'
        ? jsonText({ ...settingsJson(sweep), rows: rows.map((row) => rowJson(row, sweep)) })
        : sweepText(rows, sweep),
    );
    return;
  }
  const capacity = sweepCapacity(rates, targetShare, sweep);
  context.stdout(
    options.format === 'json'
      ? jsonText({ ...settingsJson(sweep), ...capacityJson(capacity) })
      : `${[sweepObjectiveText(sweep), '', ...sweepCapacityText(capacity)].join('\n')}\n`,
  );
}

interface Simulation {
  readonly sweep: SweepOptions;
  readonly rates: Iterable<number>;
  /** `null` = rows, no search. */
  readonly targetShare: number | null;
}

function readOptions(options: PresetOptions): Simulation & { readonly rates: readonly number[] } {
  const reader = new OptionReader();
  const durationNs = reader.durationNs('--duration', options.duration ?? '300s', 'above0');
  const cutNs = reader.durationNs('--cut', options.cut, 'any');
  if (durationNs > 0 && durationNs <= 2 * cutNs) {
    reader.add(
      usageProblem('E_USAGE_CONFLICT', '--cut leaves nothing of --duration', 'cut less than half'),
    );
  }
  const isSearch = options.capacity !== undefined;
  if (isSearch && (options.itl || options.split !== undefined)) {
    const columns = options.itl ? '--itl' : '--split';
    reader.add(usageProblem('E_USAGE_CONFLICT', `${columns} adds columns, --capacity prints none`));
  }
  const grid = reader.positiveNumber('--grid', options.grid);
  const rates =
    options.rate === undefined
      ? isSearch
        ? [...rateGrid(grid)]
        : SWEEP_RATES
      : reader.positiveNumbers('--rate', options.rate);
  const sweep: SweepOptions = {
    durationSeconds: durationNs / NS_PER_SECOND,
    cutSeconds: cutNs / NS_PER_SECOND,
    seed: reader.wholeNumber('--seed', options.seed ?? String(SWEEP_DEFAULTS.seed), 0),
    tokenBudget: reader.count('--token-budget', options.tokenBudget),
    maxSequences: reader.count('--max-sequences', options.maxSequences),
    objective: {
      ttftSeconds: reader.durationNs('--ttft', options.ttft, 'above0') / NS_PER_SECOND,
      tpotSeconds: reader.durationNs('--tpot', options.tpot, 'above0') / NS_PER_SECOND,
    },
    leakFree: options.leakFree,
    method: options.method,
    splitTokens: options.split === undefined ? null : reader.count('--split', options.split),
    gaps: options.itl,
  };
  const targetShare =
    options.capacity === undefined ? null : reader.share('--capacity', options.capacity);
  reader.finish();
  return { sweep, rates: isSearch ? rates.toSorted((a, b) => a - b) : rates, targetShare };
}

function sweepText(rows: readonly SweepRow[], sweep: SweepOptions): string {
  return `${[
    sweepObjectiveText(sweep),
    '',
    ...sweepTable(rows, sweep),
    '',
    'no interval: each row is one draw of requests that share a queue; another --seed differs.',
    ...(rows.some(({ flags }) => flags.includes('growingBacklog'))
      ? ['growing backlog: the figures depend on how long requests arrive.']
      : []),
  ].join('\n')}\n`;
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function settingsJson(sweep: SweepOptions) {
  const { durationSeconds, cutSeconds, objective, gaps: _, splitTokens: __, ...rest } = sweep;
  return {
    preset: 'goodput-sweep',
    ...rest,
    durationNs: nsFromSeconds(durationSeconds),
    cutNs: nsFromSeconds(cutSeconds),
    objective: {
      ttftNs: nsFromSeconds(objective.ttftSeconds),
      tpotNs: nsFromSeconds(objective.tpotSeconds),
    },
  };
}

function rowJson(row: SweepRow, { splitTokens }: SweepOptions) {
  const { counts, split, itl, ttftP95Seconds, tpotP95Seconds, ...rest } = row;
  return {
    ...rest,
    ...counts,
    ttftP95Ns: nsOrNull(ttftP95Seconds),
    tpotP95Ns: nsOrNull(tpotP95Seconds),
    split: split === null ? null : { splitTokens, ...split },
    itl: itl === null ? null : { p50Ns: nsOrNull(itl.p50Seconds), p99Ns: nsOrNull(itl.p99Seconds) },
  };
}

function capacityJson({ capacity, fullStepSeconds, loads, ...rest }: SweepCapacity) {
  const flat = (load: { readonly offeredRps: number; readonly counts: AttainmentCounts }) => ({
    offeredRps: load.offeredRps,
    ...load.counts,
  });
  return {
    ...rest,
    firstBeyond: rest.firstBeyond === null ? null : flat(rest.firstBeyond),
    capacity: capacity === null ? null : flat(capacity),
    fullStepNs: nsFromSeconds(fullStepSeconds),
    loads: loads.map(flat),
  };
}

function nsOrNull(seconds: number | null): number | null {
  return seconds === null ? null : nsFromSeconds(seconds);
}
