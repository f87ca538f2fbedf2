/** The target argument and the flags → a run spec, whichever way the user chose. */
import { ProblemsError, usageProblem } from '../base/index.ts';
import type { ClientKey } from '../client/index.ts';
import {
  type ConfigContext,
  fittedObjective,
  type FlagValues,
  type JudgedRun,
  parseRunSpec,
  readObjective,
  type RunSpec,
  runSpecFromFlags,
} from '../config/index.ts';
import type { Objective } from '../slo/index.ts';
import { readAwsKey } from './aws-key.ts';
import type { CommandContext } from './context.ts';
import { readTextFile } from './files.ts';

/** Settings for `config`: the environment, and files read on demand. */
export function configContext(context: CommandContext): ConfigContext {
  return { env: context.env, readFile: readTextFile };
}

/**
 * `target` is a URL or the path of a run file, over which the flags are laid.
 * Errors: ProblemsError with every mistake; EnvironmentError when the file cannot be read.
 */
export function readSpec(
  target: string | undefined,
  flags: FlagValues,
  context: CommandContext,
): RunSpec {
  if (target === undefined) {
    throw new ProblemsError([
      usageProblem(
        'E_USAGE_MISSING',
        'no target: give a URL or a run file',
        'goodput run http://127.0.0.1:8000 --rate 4, or goodput run spec.yaml',
      ),
    ]);
  }
  const options = configContext(context);
  const parsed = isUrl(target)
    ? runSpecFromFlags({ ...flags, url: target }, options)
    : parseRunSpec(readTextFile(target), { ...options, file: target, flags });
  if ('problems' in parsed) throw new ProblemsError(parsed.problems);
  return parsed.spec;
}

/** `http:`, `https:` and these over a Unix socket; anything else is a file name, even if it looks like a host. */
export function isUrl(text: string): boolean {
  return /^https?(?:\+unix)?:\/\//i.test(text);
}

/** `--slo` of commands that judge what is stored: the objective as that run is judged by it. */
export function readSlo(slo: string, run: JudgedRun, context: CommandContext): Objective {
  const parsed = readObjective(slo, configContext(context));
  if ('problems' in parsed) throw new ProblemsError(parsed.problems);
  return fittedObjective(parsed, run);
}

/**
 * The key, from the variable or file that the spec names, else the AWS credentials of the environment
 * where the API has requests signed. It goes to the client and nowhere else.
 * Errors: ProblemsError when the named variable is not set.
 */
export function readKey(spec: Pick<RunSpec, 'target'>, context: CommandContext): ClientKey | null {
  const { apiKeyEnv, apiKeyFile } = spec.target;
  if (apiKeyFile !== null) return readTextFile(apiKeyFile).trim();
  if (apiKeyEnv === null) return readAwsKey(spec, context);
  const key = context.env[apiKeyEnv];
  if (key === undefined || key === '') {
    throw new ProblemsError([
      usageProblem(
        'E_CONFIG_ENV',
        `the variable ${apiKeyEnv}, which should hold the key, is not set`,
        `export ${apiKeyEnv}=… or name another with --key-env`,
      ),
    ]);
  }
  return key.trim();
}
