/** Options that say how logs are to be read. */
import { printable, type Problem, ProblemsError, usageProblem } from '../base/index.ts';
import { parseLogMapping } from '../config/index.ts';
import { LOG_FORMATS, logFormatNamed, type LogFormat } from '../importers/index.ts';
import type { LogMapping } from '../logs/index.ts';
import type { CommandContext } from './context.ts';
import { readTextFile } from './files.ts';

/** `--log-format`: the format of that name, or the mistake. */
export function namedLogFormat(name: string): LogFormat | Problem {
  const named = logFormatNamed(name);
  if (named !== null) return named;
  const known = LOG_FORMATS.map((format) => format.name).join(', ');
  return usageProblem(
    'E_USAGE_VALUE',
    `there is no log format ${printable(name)}`,
    `known are ${known}`,
  );
}

/** `--mapping`: which columns hold what. Errors: ProblemsError with every mistake of the file. */
export function readLogMapping(file: string, context: CommandContext): LogMapping {
  const parsed = parseLogMapping(readTextFile(file), { file, env: context.env });
  if ('problems' in parsed) throw new ProblemsError(parsed.problems);
  return parsed.mapping;
}
