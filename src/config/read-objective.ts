/** `--slo` in all its forms: an expression, a preset's name, or `@file.yaml`. */
import {
  EnvironmentError,
  nearestWord,
  printable,
  type Place,
  type Problem,
} from '../base/index.ts';
import { objectivePreset, parseObjective, PRESET_NAMES } from '../slo/index.ts';
import { issueProblems } from './issue-problems.ts';
import { valueAt } from './key-path.ts';
import { objectiveKeys } from './objective-schema.ts';
import { inOrder } from './problem-at.ts';
import type { ReadObjective } from './fitted-objective.ts';
import type { Environment } from './substitute-env.ts';
import { readYaml } from './yaml-source.ts';

/** What config may look at besides the text. */
export interface ConfigContext {
  readonly env: Environment;
  /** Reads a file named in the text. Config touches no file itself. */
  readonly readFile: (path: string) => string;
}

/** The objective that `--slo VALUE` names, for commands that judge without a run file. */
export function readObjective(
  value: string,
  context: ConfigContext,
): ReadObjective | { readonly problems: readonly Problem[] } {
  return objectiveFromText(value, context, { place: null, resolvePath: (path) => path });
}

/** The YAML form of an objective in a file of its own. */
export function parseObjectiveFile(
  text: string,
  options: { readonly file: string; readonly env: Environment },
): ReadObjective | { readonly problems: readonly Problem[] } {
  const { source, problems } = readYaml(text, { ...options, kind: 'objective', jsonPaths: [] });
  if (source === null) return { problems };
  const result = objectiveKeys.safeParse(source.tree ?? {});
  const all = [
    ...problems,
    ...(result.error?.issues ?? []).flatMap((issue) => issueProblems(issue, source)),
  ];
  if (all.length > 0 || !result.success) return { problems: inOrder(all) };
  const namesFinish = valueAt(source.tree, ['request', 'finish']) !== undefined;
  return { objective: result.data, namesFinish };
}

/** Reads any of the text forms. `resolvePath` places a file name that the text holds. */
export function objectiveFromText(
  value: string,
  context: ConfigContext,
  at: { readonly place: Place | null; readonly resolvePath: (path: string) => string },
): ReadObjective | { readonly problems: readonly Problem[] } {
  const text = value.trim();
  if (text.startsWith('@')) return fromFile(at.resolvePath(text.slice(1)), context, at.place);
  if (/^[A-Za-z][A-Za-z0-9_-]*$/.test(text)) return fromPreset(text, at.place);
  const parsed = parseObjective(value, { place: at.place });
  return 'problems' in parsed
    ? parsed
    : { objective: parsed.objective, namesFinish: /\bfinish\s*=/.test(text) };
}

function fromFile(
  file: string,
  context: ConfigContext,
  place: Place | null,
): ReadObjective | { readonly problems: readonly Problem[] } {
  let text: string;
  try {
    text = context.readFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const problem: Problem = {
      code: 'E_FILE_READ',
      message: `the objective file cannot be read: ${printable(reason)}`,
      hint: error instanceof EnvironmentError ? error.hint : 'check the path after @',
      place,
    };
    return { problems: [problem] };
  }
  return parseObjectiveFile(text, { file, env: context.env });
}

function fromPreset(
  name: string,
  place: Place | null,
): ReadObjective | { readonly problems: readonly Problem[] } {
  const known = PRESET_NAMES.find((preset) => preset === name);
  if (known !== undefined) return { objective: objectivePreset(known), namesFinish: false };
  const nearest = nearestWord(name, PRESET_NAMES);
  const problem: Problem = {
    code: 'E_OBJECTIVE_VALUE',
    message: `there is no preset ${name}`,
    hint:
      nearest === null
        ? `presets: ${PRESET_NAMES.join(', ')}; an expression is like ttft<=500ms`
        : `did you mean ${nearest}?`,
    place,
  };
  return { problems: [problem] };
}
