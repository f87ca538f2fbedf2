/** `goodput k6`: the same mixed workload as a k6 script. */
import type { Command } from 'commander';
import { EXIT_CODES, printable, ProblemsError } from '../base/index.ts';
import { RUN_FLAGS } from '../config/index.ts';
import { planRun } from '../experiment/index.ts';
import { k6Prompts, k6Script } from '../report/index.ts';
import {
  addRunFlags,
  givenRunFlags,
  type Register,
  SERVER_VIEW_FLAGS,
  SESSION_FLAGS,
} from './command.ts';
import { readTextFile } from './files.ts';
import { writeNewFile } from './init-command.ts';
import { readSpec } from './read-spec.ts';

/** What a script cannot carry, and refuses of a run file; processes are k6's own affair. */
const NOT_IN_K6: ReadonlySet<string> = new Set([
  '--tokenizer',
  '--cert',
  '--cert-key',
  '--unix-socket',
  '--retry',
  '--processes',
  ...SESSION_FLAGS,
  ...SERVER_VIEW_FLAGS,
]);

const K6_FLAGS: ReadonlySet<string> = new Set(
  RUN_FLAGS.map(({ flag }) => flag).filter((flag) => !NOT_IN_K6.has(flag)),
);

interface K6Options {
  readonly file?: string;
  readonly force: boolean;
}

export const k6Command: Register = (program, context, finish) => {
  const command = program
    .command('k6')
    .description(
      'Writes a k6 script that sends the same mix of requests and measures completed requests.\n' +
        'k6 buffers responses: the script has no TTFT and no token timing, and says so.',
    )
    .argument('<target>', 'run file, or URL of the server');
  addRunFlags(command, K6_FLAGS)
    .option('--file <file>', 'where to write; left out: stdout')
    .option('--force', 'replace the file if it exists', false)
    .action((target: string, options: K6Options, self: Command) => {
      const spec = readSpec(target, givenRunFlags(self), context);
      const { source, points } = planRun(spec, { readText: readTextFile, freshSeed: 1 });
      const written = k6Script(
        spec,
        k6Prompts(
          source,
          points.flatMap(({ schedule }) => schedule.requests),
        ),
      );
      if ('problems' in written) throw new ProblemsError(written.problems);
      if (options.file === undefined) context.stdout(written.script);
      else {
        writeNewFile(options.file, written.script, options.force);
        const file = printable(options.file);
        context.stderr(`wrote ${file}; next: k6 run ${file}\n`);
      }
      finish(EXIT_CODES.fine);
    });
};
