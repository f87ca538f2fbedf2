/** `goodput init`: a run file from flags, to keep under version control. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { EXIT_CODES, printable, ProblemsError, usageProblem } from '../base/index.ts';
import { runSpecYaml } from '../config/index.ts';
import { writeTextFile } from './files.ts';
import { addRunFlags, givenRunFlags, SERVER_VIEW_FLAGS, type Register } from './command.ts';
import { readSpec } from './read-spec.ts';

export const initCommand: Register = (program, context, finish) => {
  const command = program
    .command('init')
    .description('Writes the experiment that the flags describe as a YAML run file.')
    .argument('<url>', 'URL of the server');
  addRunFlags(addRunFlags(command), SERVER_VIEW_FLAGS)
    .option('--file <file>', 'where to write', 'goodput.yaml')
    .option('--force', 'replace the file if it exists', false)
    .action((url: string, options: { file: string; force: boolean }, self: Command) => {
      const yaml = runSpecYaml(readSpec(url, givenRunFlags(self), context));
      writeNewFile(options.file, yaml, options.force);
      context.stderr(
        `wrote ${printable(options.file)}; next: goodput run ${printable(options.file)}\n`,
      );
      finish(EXIT_CODES.fine);
    });
};

/** Errors: ProblemsError when the file exists; EnvironmentError when it cannot be written. */
export function writeNewFile(path: string, text: string, force: boolean): void {
  if (existsSync(path) && !force) {
    throw new ProblemsError([
      usageProblem('E_USAGE_CONFLICT', `${printable(path)} exists`, 'give --force to replace it'),
    ]);
  }
  writeTextFile(path, text);
}
