/** Which options go with which way of judging, so that none is read and ignored. */
import type { Command } from 'commander';
import { printable, type Problem, ProblemsError, usageProblem } from '../base/index.ts';
import { isRunFolder } from './judge-logs.ts';

/** What goes with `--as` and `--spans`; all else belongs to a verdict, which they do not give. */
const BESIDE: Readonly<Record<'as' | 'spans', ReadonlySet<string>>> = {
  as: new Set(['as', 'slo', 'format', 'explain', 'quiet', 'logFormat', 'mapping']),
  spans: new Set(['spans', 'slo', 'format', 'quiet']),
};
const OF_RUNS: ReadonlySet<string> = new Set([
  'as',
  'spans',
  'slo',
  'format',
  'explain',
  'quiet',
  'requireProof',
]);
/** Of files that are read line by line, and of those that a database reads. */
const OF_LINES: ReadonlySet<string> = new Set(['logFormat', 'rejects']);
const OF_PARQUET: ReadonlySet<string> = new Set(['threads', 'memory']);

/** Errors: ProblemsError with every option that does not go with the others or with the paths. */
export function refuseMisplaced(paths: readonly string[], command: Command): void {
  const isGiven = (name: string): boolean => command.getOptionValueSource(name) === 'cli';
  const asked = (['spans', 'as'] as const).find(isGiven) ?? null;
  const problems: Problem[] = pathFaults(paths, asked).map((message) =>
    usageProblem('E_USAGE_CONFLICT', message),
  );
  for (const option of command.options) {
    const name = option.attributeName();
    const isCsv = name === 'format' && command.opts()['format'] === 'csv';
    const why = isGiven(name) ? misfit(isCsv ? 'csv' : name, paths, asked) : null;
    if (why === null) continue;
    const flag = `${option.long ?? option.flags}${isCsv ? ' csv' : ''}`;
    problems.push(usageProblem('E_USAGE_CONFLICT', `${flag} ${why}`));
  }
  if (isGiven('logFormat') && isGiven('mapping')) {
    const message = '--mapping says how the rows are read, so --log-format does not go with it';
    problems.push(usageProblem('E_USAGE_CONFLICT', message));
  }
  if (problems.length > 0) throw new ProblemsError(problems);
}

function pathFaults(paths: readonly string[], asked: 'as' | 'spans' | null): string[] {
  const hasRun = paths.some(isRunFolder);
  if (asked === 'spans' && (paths.length > 1 || !hasRun)) {
    return ['--spans goes with one run folder, and no logs'];
  }
  return [
    ...(hasRun && paths.length > 1 ? ['one run at a time, and not together with logs'] : []),
    ...(asked === 'as' && paths.some(isParquet) ? ['Parquet does not go with --as'] : []),
  ];
}

/** Why an option does not go with this; `null` where it does. */
function misfit(
  name: string,
  paths: readonly string[],
  asked: 'as' | 'spans' | null,
): string | null {
  if (asked !== null && !BESIDE[asked].has(name)) {
    return `does not go with --${asked}, which gives no verdict`;
  }
  const run = paths.find(isRunFolder);
  if (run !== undefined) {
    return OF_RUNS.has(name) ? null : `is for logs, and ${printable(run)} is a run`;
  }
  if (name === 'explain' && asked === null) return 'is for a run, and these are logs';
  if (OF_LINES.has(name) && paths.every(isParquet)) return 'is not for Parquet';
  return OF_PARQUET.has(name) && !paths.some(isParquet) ? 'is for Parquet' : null;
}

function isParquet(path: string): boolean {
  return path.endsWith('.parquet');
}
