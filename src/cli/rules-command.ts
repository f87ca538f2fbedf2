/** `goodput rules`: alerts that fire, with their tests; or what is wrong with those that exist. */
import { join } from 'node:path';
import {
  EXIT_CODES,
  type ExitCode,
  printable,
  ProblemsError,
  usageProblem,
} from '../base/index.ts';
import {
  alertFolder,
  type AlertPlan,
  fireTimeCells,
  fireTimes,
  isOpenSlo,
  isSlothSpec,
  lintRules,
  planAlerts,
  type PlannedAlerts,
  readOpenSlo,
  readSloth,
} from '../alerting/index.ts';
import { parseObjectiveFile } from '../config/index.ts';
import { alignedRows } from '../report/index.ts';
import { shareText } from '../slo/index.ts';
import { formatOption, type Register } from './command.ts';
import type { CommandContext } from './context.ts';
import { readTextFile, writeTextFile } from './files.ts';
import { OptionReader } from './option-reader.ts';

interface RulesOptions {
  readonly lint: boolean;
  readonly out?: string;
  readonly rps?: string;
  readonly format: 'text' | 'json';
}

export const rulesCommand: Register = (program, context, finish) => {
  program
    .command('rules')
    .description(
      'Writes Prometheus rules for an objective: burn-rate alerts whose factors can fire at its target,\n' +
        'their promtool tests, an Alertmanager and a Grafana file, Sloth and OpenSLO. The objective must\n' +
        'name its owner, runbook and rollback. With --lint: what is wrong with rules that exist (exits 3\n' +
        'when an alert can never fire or a budget is a mean of ratios).',
    )
    .argument('<file>', 'objective file, Sloth or OpenSLO file; with --lint, a rules file')
    .option('--out <folder>', 'where the files go; left out: only the table is shown')
    .option('--lint', 'check existing Prometheus rules instead', false)
    .option('--rps <number>', 'traffic at which the table says how soon alerts fire')
    .addOption(formatOption(', the windows and times or the findings'))
    .addHelpText(
      'after',
      `
Examples:
  goodput rules objective.yaml --out alerts && promtool test rules alerts/*.test.yml
  goodput rules objective.yaml --rps 0.05
  goodput rules --lint /etc/prometheus/rules/slo.yml`,
    )
    .action((file: string, options: RulesOptions) => {
      finish(options.lint ? lint(file, options, context) : write(file, options, context));
    });
};

function lint(file: string, options: RulesOptions, context: CommandContext): ExitCode {
  const misplaced = options.out === undefined ? options.rps && '--rps' : '--out';
  if (misplaced !== undefined) {
    throw new ProblemsError([
      usageProblem('E_USAGE_CONFLICT', `${misplaced} writes rules, --lint checks some`),
    ]);
  }
  const result = lintRules(readTextFile(file), file);
  if ('problems' in result) throw new ProblemsError(result.problems);
  const { findings } = result;
  if (options.format === 'json') context.stdout(`${JSON.stringify({ findings }, null, 2)}\n`);
  else if (findings.length === 0) context.stdout('nothing found\n');
  else {
    for (const { weight, rule, message, hint, place } of findings) {
      const where = `${printable(place.file)}:${place.line}:${place.column}`;
      context.stdout(`${where}: ${weight}: ${rule} ${message}\n  hint: ${hint}\n`);
    }
  }
  return findings.some(({ weight }) => weight === 'error')
    ? EXIT_CODES.objectiveMissed
    : EXIT_CODES.fine;
}

function write(file: string, options: RulesOptions, context: CommandContext): ExitCode {
  const reader = new OptionReader();
  const rps = options.rps === undefined ? null : reader.positiveNumber('--rps', options.rps);
  reader.finish();
  const planned = readPlan(file, context);
  if ('problems' in planned) throw new ProblemsError(planned.problems);
  const { plan, notes } = planned;
  for (const note of notes) context.stderr(`note: ${note}\n`);
  const written = options.out === undefined ? [] : writeFolder(options.out, plan);
  const slos = plan.slos.map((slo) => ({ slo, times: fireTimes(slo, rps) }));
  if (options.format === 'json') {
    const { name, periodNs, people } = plan;
    context.stdout(`${JSON.stringify({ name, periodNs, people, rps, slos, written }, null, 2)}\n`);
    return EXIT_CODES.fine;
  }
  for (const { slo, times } of slos) {
    context.stdout(`${slo.slo}: ${slo.title}, target ${shareText(slo.targetShare)}\n`);
    const rows = [HEADER, ...times.map((time) => fireTimeCells(time))];
    context.stdout(`${alignedRows(rows, 2).join('\n')}\n\n`);
  }
  for (const path of written) context.stdout(`wrote ${printable(path)}\n`);
  return EXIT_CODES.fine;
}

const HEADER = [
  'alert',
  'windows',
  'factor',
  'fires above',
  'spent',
  'all bad',
  'half bad',
  '2× budget',
];

/** The file says itself what it is. */
function readPlan(file: string, context: CommandContext): PlannedAlerts {
  const text = readTextFile(file);
  if (isSlothSpec(text)) return readSloth(text, file);
  if (isOpenSlo(text)) return readOpenSlo(text, file);
  const parsed = parseObjectiveFile(text, { file, env: context.env });
  return 'problems' in parsed ? parsed : planAlerts(parsed.objective, { file, line: 1, column: 1 });
}

function writeFolder(folder: string, plan: AlertPlan): string[] {
  return alertFolder(plan).map(({ path, text }) => {
    const whole = join(folder, path);
    writeTextFile(whole, text);
    return whole;
  });
}
