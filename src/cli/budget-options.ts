/** What `goodput budget` and `goodput gate` read a budget from. */
import type { Command } from 'commander';
import { NS_PER_MS, parseInstantMs, ProblemsError, usageProblem } from '../base/index.ts';
import {
  type BudgetInputs,
  type BudgetStatement,
  type BudgetTargets,
  budgetStatement,
  CALENDAR_UNITS,
  type CountsFile,
  isTimeZone,
  parseAnnotations,
  parseCounts,
  periodAt,
  type PeriodChoice,
} from '../budget/index.ts';
import { readObjective } from '../config/index.ts';
import type { CommandContext } from './context.ts';
import { readTextFile } from './files.ts';
import { OptionReader } from './option-reader.ts';
import { configContext } from './read-spec.ts';

export interface BudgetOptions {
  readonly slo?: string;
  readonly quality?: string;
  readonly period?: string;
  readonly calendar?: string;
  readonly timeZone?: string;
  readonly at?: string;
  readonly annotations?: string;
}

export function addBudgetOptions(command: Command): Command {
  return command
    .option(
      '--slo <expression|preset|@file>',
      'its attainment and success targets, its period; left out: those the logs were judged by',
    )
    .option('--quality <share>', 'least share of answers that are right, as a budget of its own')
    .option('--period <duration>', 'the last so many days; left out: that of the objective, or 30d')
    .option('--calendar <unit>', `instead: this ${CALENDAR_UNITS.join(', ')}`)
    .option('--time-zone <name>', 'whose calendar, e.g. Europe/Berlin; left out: UTC')
    .option('--at <instant>', 'look from here instead of from the last count')
    .option('--annotations <file>', 'what was going on: a list of kind, from, to, note');
}

const DEFAULT_PERIOD_NS = 30 * 86_400e9;

/** Errors: ProblemsError with every mistake in options and files. */
export function readBudget(
  file: string,
  options: BudgetOptions,
  context: CommandContext,
): BudgetStatement {
  const reader = new OptionReader();
  const value = (
    code: 'E_USAGE_VALUE' | 'E_USAGE_MISSING' | 'E_USAGE_CONFLICT',
    text: string,
    hint: string,
  ): void => reader.add(usageProblem(code, text, hint));
  const counts = parseCounts(readTextFile(file), file);
  if ('problems' in counts) throw new ProblemsError(counts.problems);
  const population = budgetTargets(options.slo, counts, context);
  if (population === null) {
    value(
      'E_USAGE_MISSING',
      'no objective: a budget is what its target lets miss',
      'add --slo "attainment>=97%, success>=99.5%"',
    );
  }
  const quality = options.quality === undefined ? null : reader.share('--quality', options.quality);
  const targets = {
    attainment: population?.attainmentShare ?? null,
    failures: population?.successShare ?? null,
    quality,
  };
  if (population !== null && Object.values(targets).every((target) => target === null)) {
    value(
      'E_USAGE_MISSING',
      'the objective has no target over requests',
      'add attainment>=97% to it',
    );
  }
  const unit = CALENDAR_UNITS.find((each) => each === options.calendar);
  if (options.calendar !== undefined && unit === undefined) {
    value('E_USAGE_VALUE', `--calendar ${options.calendar} is no unit`, CALENDAR_UNITS.join(', '));
  }
  if (unit !== undefined && options.period !== undefined) {
    value('E_USAGE_CONFLICT', '--period and --calendar exclude each other', 'keep one of them');
  }
  if (options.calendar === undefined && options.timeZone !== undefined) {
    value('E_USAGE_CONFLICT', '--time-zone is for --calendar, which is not given', 'write both');
  }
  const { timeZone = 'UTC' } = options;
  if (!isTimeZone(timeZone))
    value('E_USAGE_VALUE', `--time-zone ${timeZone} is not known`, 'write Europe/Berlin');
  const periodNs =
    options.period === undefined
      ? (population?.periodNs ?? DEFAULT_PERIOD_NS)
      : reader.durationNs('--period', options.period, 'above0');
  const atMs = options.at === undefined ? null : parseInstantMs(options.at);
  if (options.at !== undefined && atMs === null) {
    value('E_USAGE_VALUE', `--at ${options.at} is no instant`, 'write 2026-11-30T00:00:00Z');
  }
  reader.finish();
  const choice: PeriodChoice =
    unit === undefined
      ? { kind: 'rolling', lengthMs: periodNs / NS_PER_MS }
      : { kind: 'calendar', unit, timeZone };
  return statementOf(counts, options.annotations, { choice, atMs, targets });
}

/** The targets of `--slo`; without it those of the file, where it has any. */
function budgetTargets(
  slo: string | undefined,
  { targets }: CountsFile,
  context: CommandContext,
): BudgetTargets | null {
  if (slo === undefined) return targets;
  const parsed = readObjective(slo, configContext(context));
  if ('problems' in parsed) throw new ProblemsError(parsed.problems);
  return parsed.objective.population;
}

/** Reads the annotations, and counts. */
function statementOf(
  { windows }: CountsFile,
  annotationsFile: string | undefined,
  { choice, atMs, targets }: BudgetQuestion,
): BudgetStatement {
  const noted =
    annotationsFile === undefined
      ? { annotations: [] }
      : parseAnnotations(readTextFile(annotationsFile), annotationsFile);
  if ('problems' in noted) throw new ProblemsError(noted.problems);
  const nowMs = atMs ?? windows.reduce((last, { toMs }) => Math.max(last, toMs), 0);
  return budgetStatement({
    windows,
    period: periodAt(choice, nowMs),
    nowMs,
    targets,
    annotations: noted.annotations,
    seed: 1,
  });
}

interface BudgetQuestion {
  readonly choice: PeriodChoice;
  /** `null` = where the counts end. */
  readonly atMs: number | null;
  readonly targets: BudgetInputs['targets'];
}
