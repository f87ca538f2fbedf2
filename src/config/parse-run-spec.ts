/**
 * The two ways in: a run file, with or without flags laid over it, and flags alone. Both become
 * one tree of keys, which one validator checks and one function resolves.
 */
import type { z } from 'zod';
import type { Problem } from '../base/index.ts';
import { exclusionProblems } from './exclusive-keys.ts';
import { issueProblems } from './issue-problems.ts';
import { valueAt, type Written } from './key-path.ts';
import { inOrder } from './problem-at.ts';
import { objectiveFromText, type ConfigContext } from './read-objective.ts';
import type { ReadObjective } from './fitted-objective.ts';
import { assembleRunSpec, filePath } from './resolve-run-spec.ts';
import { RUN_SECTIONS, runFile, type ReadSections } from './run-file-schema.ts';
import type { RunSpec } from './run-spec.ts';
import { specProblems } from './spec-checks.ts';
import { layFlags, type FlagValues } from './written-flags.ts';
import { readYaml } from './yaml-source.ts';

/** The spec, or every mistake that could be found in one pass. */
export type ParsedRunSpec = { readonly spec: RunSpec } | { readonly problems: readonly Problem[] };

/** Free JSON: there a bare `${N}` may become a number. */
const JSON_PATHS = [['target', 'body'], ['declare']];

/** Reads a run file; `flags`, if any, override its keys. */
export function parseRunSpec(
  text: string,
  options: ConfigContext & { readonly file: string; readonly flags?: FlagValues },
): ParsedRunSpec {
  const { file, env, flags = {} } = options;
  const { source, problems } = readYaml(text, { kind: 'run', file, env, jsonPaths: JSON_PATHS });
  if (source === null) return { problems };
  const laid = layFlags(source, flags);
  return resolve(laid.written, options, [...problems, ...laid.problems]);
}

/** Reads flags as commander hands them over (`{ rate: '2,4', maxRequests: '100' }`). */
export function runSpecFromFlags(flags: FlagValues, context: ConfigContext): ParsedRunSpec {
  const { written, problems } = layFlags(null, flags);
  return resolve(written, context, problems);
}

function resolve(
  written: Written,
  context: ConfigContext,
  earlier: readonly Problem[],
): ParsedRunSpec {
  // Without a target, what is missing is its URL.
  const tree = isMapping(written.tree)
    ? { target: {}, ...written.tree }
    : (written.tree ?? { target: {} });
  const result = runFile.safeParse(tree);
  const issues = result.error?.issues ?? [];
  const sections = readableSections(tree);
  const read = readSlo(sections.slo, written, context);
  const objective = read !== null && 'objective' in read ? read.objective : null;
  const problems = [
    ...earlier,
    ...issues.flatMap((issue) => issueProblems(issue, written)),
    ...(read !== null && 'problems' in read ? read.problems : []),
    ...(isMapping(tree) ? exclusionProblems(written) : []),
    ...(isMapping(tree) ? specProblems(sections, objective, written) : []),
  ];
  if (problems.length > 0 || !result.success || (read !== null && 'problems' in read)) {
    return { problems: inOrder(problems) };
  }
  return { spec: assembleRunSpec(result.data, read, written, context.env) };
}

function isMapping(tree: unknown): tree is Readonly<Record<string, unknown>> {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree);
}

/** The sections that pass on their own, so that checks across keys need not wait for the others. */
function readableSections(tree: unknown): ReadSections {
  if (!isMapping(tree)) return {};
  const read: Record<string, unknown> = {};
  const schemas: Readonly<Record<string, z.ZodType>> = RUN_SECTIONS;
  for (const [key, schema] of Object.entries(schemas)) {
    const result = schema.safeParse(tree[key]);
    if (result.success) read[key] = result.data;
  }
  return read;
}

function readSlo(
  slo: ReadSections['slo'],
  written: Written,
  context: ConfigContext,
): ReadObjective | { readonly problems: readonly Problem[] } | null {
  if (slo === undefined || written.isUnresolved(['slo'])) return null;
  if (typeof slo !== 'string') {
    return { objective: slo, namesFinish: namesFinish(written.tree) };
  }
  const place = written.placeOf(['slo']);
  const isQuoted = /^['"]/.test(written.textOf(['slo']) ?? '');
  return objectiveFromText(slo, context, {
    place: place === null || !isQuoted ? place : { ...place, column: place.column + 1 },
    resolvePath: (path) => filePath(written, ['slo'], path),
  });
}

function namesFinish(tree: unknown): boolean {
  return valueAt(tree, ['slo', 'request', 'finish']) !== undefined;
}
