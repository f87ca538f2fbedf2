/** Every file of the repository that is made from code: what `npm run generate` writes. */
import { readFileSync } from 'node:fs';
import {
  configReference,
  faultReference,
  faultScriptJsonSchema,
  runSpecJsonSchema,
} from '../src/config/index.ts';
import { definitionsMarkdown } from '../src/conventions/index.ts';
import { COMMAND_NAMES, commandTree } from '../src/cli/command-line.ts';
import type { CommandContext } from '../src/cli/context.ts';
import { capacityJsonSchema } from '../src/planner/index.ts';
import { progressJsonSchema } from '../src/report/index.ts';
import { summaryJsonSchema } from '../src/summary/index.ts';
import type { Command } from 'commander';

/** Path from the repository root → content. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/cli.md', await cliReference()],
    ['docs/config.md', configReference()],
    ['docs/faults.md', faultReference()],
    [CONVENTIONS_GUIDE, withDefinitions(readFileSync(fromRoot(CONVENTIONS_GUIDE), 'utf8'))],
    ['schema/summary.schema.json', jsonText(summaryJsonSchema())],
    ['schema/capacity.schema.json', jsonText(capacityJsonSchema())],
    ['schema/progress.schema.json', jsonText(progressJsonSchema())],
    ['schema/spec.schema.json', jsonText(runSpecJsonSchema())],
    ['schema/faults.schema.json', jsonText(faultScriptJsonSchema())],
  ]);
}

const CONVENTIONS_GUIDE = 'docs/guides/conventions.md';

function fromRoot(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}

/** The guide with what the conventions say of themselves between its two marks. */
function withDefinitions(guide: string): string {
  const marks = /(<!-- definitions: [^\n]*-->\n)[\s\S]*(<!-- end of definitions -->)/;
  return guide.replace(
    marks,
    (_, from: string, to: string) => `${from}\n${definitionsMarkdown()}\n${to}`,
  );
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const PAPER: CommandContext = {
  env: {},
  stdout: () => {},
  stderr: () => {},
  stdoutIsTerminal: false,
  status: null,
  columns: 100,
  color: false,
  onInterrupt: () => () => {},
};

async function cliReference(): Promise<string> {
  const program = await commandTree(PAPER, () => {}, COMMAND_NAMES);
  const sections = leaves(program, []).map(
    ({ names, command }) =>
      `## goodput ${names.join(' ')}\n\n\`\`\`text\n${helpText(command)}\`\`\`\n`,
  );
  return [
    '# Command line\n',
    'Made from the code by `npm run generate`. The exit codes are in [errors.md](errors.md), the keys',
    'that the flags set in [config.md](config.md).\n',
    ...sections,
  ].join('\n');
}

function leaves(
  command: Command,
  names: readonly string[],
): { readonly names: readonly string[]; readonly command: Command }[] {
  if (command.commands.length === 0) return [{ names, command }];
  return command.commands.flatMap((child) => leaves(child, [...names, child.name()]));
}

function helpText(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => 100,
  });
  command.outputHelp();
  return text.endsWith('\n') ? text : `${text}\n`;
}
