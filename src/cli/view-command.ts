/** `goodput view`: the runs of a folder in a local web page. */
import { randomBytes } from 'node:crypto';
import {
  createRealClock,
  EXIT_CODES,
  type ExitCode,
  printable,
  ProblemsError,
  usageProblem,
} from '../base/index.ts';
import { startViewServer } from '../viewer/index.ts';
import type { Register } from './command.ts';
import type { CommandContext } from './context.ts';
import { runShelf } from './run-shelf.ts';
import { TOOL_VERSION } from './version.ts';

export const viewCommand: Register = (program, context, finish) => {
  program
    .command('view')
    .description(
      'Serves a page on 127.0.0.1 to browse, search and compare the runs in a folder, to move limits\n' +
        'and see attainment move, and to follow a test that is running. Nobody else can reach it, it\n' +
        'changes nothing and opens nothing. Ctrl-C ends it.',
    )
    .argument('[folder]', 'folder that holds run folders', 'goodput-runs')
    .option('--port <number>', 'port to listen on; left out: any free one')
    .addHelpText('after', EXAMPLES)
    .action(async (folder: string, options: { readonly port?: string }) => {
      finish(await view(folder, options, context));
    });
};

const EXAMPLES = `
Examples:
  goodput view
  goodput view runs --port 8080`;

async function view(
  folder: string,
  options: { readonly port?: string },
  context: CommandContext,
): Promise<ExitCode> {
  const port = readPort(options.port);
  const server = await startViewServer({
    shelf: await runShelf(folder, context),
    clock: createRealClock(),
    port,
    token: randomBytes(18).toString('base64url'),
    toolVersion: TOOL_VERSION,
  });
  context.stdout(`${server.url}\n`);
  context.stderr(`showing the runs in ${printable(folder)}; Ctrl-C ends it\n`);
  await new Promise<void>((resolve) => {
    const release = context.onInterrupt(() => {
      release();
      resolve();
    });
  });
  await server.close();
  return EXIT_CODES.fine;
}

/** 0 = any free port. */
function readPort(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new ProblemsError([
    usageProblem('E_USAGE_VALUE', `--port ${text} is not a port from 0 to 65535`),
  ]);
}
