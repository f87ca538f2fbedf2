import { isatty } from 'node:tty';
import { EXIT_CODES } from '../base/index.ts';
import { StatusBlock } from './status-block.ts';

/**
 * The one door to the process. Commands get everything they touch from here, so that tests can run
 * a command whole with their own streams, environment and signals.
 */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Results: what a pipe reads. */
  readonly stdout: (text: string) => void;
  /** Progress, notes and errors. */
  readonly stderr: (text: string) => void;
  readonly stdoutIsTerminal: boolean;
  /** Lines redrawn in place on stderr; `null` where that is no terminal that can. */
  readonly status: LiveStatusBlock | null;
  readonly columns: number;
  readonly color: boolean;
  /**
   * Calls `action` with 1 for the first Ctrl-C (or SIGTERM), 2 for the next, and so on, instead of
   * ending the process. Returns a function that restores the default.
   */
  readonly onInterrupt: (action: (count: number) => void) => () => void;
}

export interface LiveStatusBlock extends Pick<StatusBlock, 'draw' | 'clear'> {
  /** Of the terminal at this moment. */
  readonly columns: () => number;
  readonly color: boolean;
}

export function processContext(): CommandContext {
  const { env, stdout, stderr } = process;
  const block = statusBlock(env);
  // A reader that has had enough (`| head`) is no fault: what is left to say goes nowhere.
  for (const stream of [stdout, stderr]) stream.on('error', onOutputError);
  return {
    env,
    stdout: (text) => void stdout.write(text),
    // What is drawn in place makes room for what stays.
    stderr: (text) => void (block === null ? stderr.write(text) : block.write(text)),
    stdoutIsTerminal: isatty(1),
    status: block,
    columns: stdout.columns ?? columnsNamed(env) ?? 100,
    color: wantsColor(env, isatty(1)),
    onInterrupt(action) {
      let count = 0;
      const listener = (): void => {
        count += 1;
        action(count);
      };
      process.on('SIGINT', listener);
      process.on('SIGTERM', listener);
      return () => {
        process.off('SIGINT', listener);
        process.off('SIGTERM', listener);
      };
    },
  };
}

/** A dumb terminal cannot move its cursor. */
function statusBlock(env: CommandContext['env']): (LiveStatusBlock & StatusBlock) | null {
  if (!isatty(2) || env['TERM'] === 'dumb') return null;
  const { stderr } = process;
  const columns = (): number => (stderr.columns > 0 ? stderr.columns : DEFAULT_COLUMNS);
  const block = new StatusBlock({ write: (text) => void stderr.write(text), columns });
  return Object.assign(block, { columns, color: wantsColor(env, true) });
}

/** Of a terminal that does not say how wide it is. */
const DEFAULT_COLUMNS = 80;

function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`cannot write the output (${error.message}) [E_FILE_WRITE]\n`);
  process.exit(EXIT_CODES.environment);
}

/** The width a user names for output that is no terminal, e.g. `COLUMNS=72 goodput … | less`. */
function columnsNamed(env: CommandContext['env']): number | null {
  const columns = Number(env['COLUMNS'] ?? '');
  return Number.isInteger(columns) && columns > 0 ? columns : null;
}

/** NO_COLOR and FORCE_COLOR as documented at no-color.org and force-color.org. */
function wantsColor(env: CommandContext['env'], isTerminal: boolean): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  if (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '') return true;
  return isTerminal && env['TERM'] !== 'dumb';
}
