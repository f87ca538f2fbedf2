/** A fault script in a YAML file of its own. */
import { z } from 'zod';
import type { Problem } from '../base/index.ts';
import type { FaultScript } from '../faults/index.ts';
import { faultScriptKeys } from './fault-script-schema.ts';
import { issueProblems } from './issue-problems.ts';
import { inOrder } from './problem-at.ts';
import type { Environment } from './substitute-env.ts';
import { readYaml } from './yaml-source.ts';

/** The script, or every mistake that could be found in one pass. */
export function parseFaultScript(
  text: string,
  options: { readonly file: string; readonly env: Environment },
): { readonly script: FaultScript } | { readonly problems: readonly Problem[] } {
  const { source, problems } = readYaml(text, { ...options, kind: 'faults', jsonPaths: [] });
  if (source === null) return { problems };
  const result = faultScriptKeys.safeParse(source.tree ?? {});
  const all = [
    ...problems,
    ...(result.error?.issues ?? []).flatMap((issue) => issueProblems(issue, source)),
  ];
  return all.length > 0 || !result.success ? { problems: inOrder(all) } : { script: result.data };
}

/** JSON Schema (draft 2020-12) of a fault script, for editors. The parser itself checks more. */
export function faultScriptJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(faultScriptKeys, { io: 'input' }), title: 'goodput fault script' };
}
