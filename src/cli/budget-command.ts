/** `goodput budget`: what of an error budget is spent, from counts. */
import { Option } from 'commander';
import { EXIT_CODES, printable } from '../base/index.ts';
import { htmlBudget, markdownBudget, terminalBudget } from '../report/index.ts';
import { addBudgetOptions, type BudgetOptions, readBudget } from './budget-options.ts';
import type { OutputFormat, Register } from './command.ts';
import { writeTextFile } from './files.ts';
import { TOOL_VERSION } from './version.ts';

interface BudgetCommandOptions extends BudgetOptions {
  readonly format: OutputFormat;
  readonly html?: string;
}

export const budgetCommand: Register = (program, context, finish) => {
  const command = program
    .command('budget')
    .description(
      'Says what of an error budget is spent and left, and when it will be gone, from counts of windows:\n' +
        'what goodput judge LOGS writes with --counts (one JSON object a line) or with --format json, which\n' +
        'holds its objective too. Attainment, hard failures and quality have budgets of their own. Exits 3\n' +
        'when one is overspent.',
    )
    .argument(
      '<counts>',
      'windows: windowStart, windowEnd, offered, good, bad, …; or a judgement of logs, JSON',
    );
  addBudgetOptions(command)
    .addOption(
      new Option('--format <format>', 'text for people, json, or md for a pull request')
        .choices(['text', 'json', 'md'])
        .default('text'),
    )
    .option('--html <file>', 'write one self-contained page: spend, burn rate, forecast')
    .addHelpText(
      'after',
      `
Examples:
  goodput judge gateway.ndjson --slo @chat.yaml --by 1h --counts counts.ndjson
  goodput budget counts.ndjson --slo "attainment>=97%, success>=99.5%"
  goodput budget counts.ndjson --slo @chat.yaml --calendar month --time-zone Europe/Berlin`,
    )
    .action(async (file: string, options: BudgetCommandOptions) => {
      const statement = readBudget(file, options, context);
      const { format, html } = options;
      if (html !== undefined) {
        writeTextFile(html, await htmlBudget(statement, TOOL_VERSION));
        context.stderr(`wrote ${printable(html)}\n`);
      }
      context.stdout(
        format === 'json'
          ? `${JSON.stringify(statement, null, 2)}\n`
          : format === 'md'
            ? markdownBudget(statement)
            : terminalBudget(statement),
      );
      const overspent = statement.budgets.some(
        ({ spentShare, bad }) => bad > 0 && (spentShare === null || spentShare > 1),
      );
      finish(overspent ? EXIT_CODES.objectiveMissed : EXIT_CODES.fine);
    });
};
