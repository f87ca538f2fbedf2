/** How a failed command ends: the text on stderr and the exit code. */
import {
  EnvironmentError,
  EXIT_CODES,
  printable,
  problemText,
  ProblemsError,
  type ExitCode,
} from '../base/index.ts';

export interface Failure {
  readonly text: string;
  readonly exitCode: ExitCode;
}

/** Text and exit code for whatever a command threw. Never shows a stack for the user's mistake. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof ProblemsError) {
    return {
      text: `${error.problems.map((problem) => problemText(problem)).join('\n')}\n`,
      exitCode: EXIT_CODES.usage,
    };
  }
  if (error instanceof EnvironmentError) {
    const cause = untoldCause(error);
    const hint = error.hint === null ? '' : `\n  hint: ${error.hint}`;
    return {
      text: `${error.message}${cause} [${error.code}]${hint}\n`,
      exitCode: EXIT_CODES.environment,
    };
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    text: `internal error, a bug in goodput: ${detail}\n  please report it with the command you ran\n`,
    exitCode: EXIT_CODES.internal,
  };
}

/** ` (reason)`; empty when the message ends with its reason, or with the system's word for it. */
function untoldCause({ cause, message }: EnvironmentError): string {
  if (!(cause instanceof Error)) return '';
  const reason = printable(cause.message);
  const word = 'code' in cause && typeof cause.code === 'string' ? cause.code : reason;
  return message.includes(reason) || message.includes(word) ? '' : ` (${reason})`;
}
