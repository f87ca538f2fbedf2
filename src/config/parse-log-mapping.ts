/** A mapping file: which columns of a log hold what, in YAML. */
import { z } from 'zod';
import type { Problem } from '../base/index.ts';
import { TIME_UNITS, type LogMapping } from '../logs/index.ts';
import { issueProblems } from './issue-problems.ts';
import { inOrder, problemAt } from './problem-at.ts';
import type { Environment } from './substitute-env.ts';
import { readYaml } from './yaml-source.ts';

const column = z.string().min(1);
const instant = z.strictObject({ column, unit: z.enum(TIME_UNITS) });
const duration = z.strictObject({ column, unit: z.enum(['s', 'ms', 'us', 'ns']) });
const words = z.array(z.string()).default([]);

const mappingKeys = z.strictObject({
  start: instant.nullable().default(null),
  ttft: duration.nullable().default(null),
  firstToken: instant.nullable().default(null),
  e2e: duration.nullable().default(null),
  end: instant.nullable().default(null),
  timePerToken: duration.nullable().default(null),
  request: column.nullable().default(null),
  promptTokens: column.nullable().default(null),
  outputTokens: column.nullable().default(null),
  status: column.nullable().default(null),
  outcome: z
    .strictObject({ column, completed: words, timedOut: words, cancelled: words })
    .nullable()
    .default(null),
  finish: column.nullable().default(null),
  model: column.nullable().default(null),
  tenant: column.nullable().default(null),
  class: column.nullable().default(null),
  clock: z.enum(['client', 'edge', 'server']).default('edge'),
});

/** The mapping, or every mistake that could be found in one pass, with its place. */
export function parseLogMapping(
  text: string,
  options: { readonly file: string; readonly env: Environment },
): { readonly mapping: LogMapping } | { readonly problems: readonly Problem[] } {
  const { source, problems } = readYaml(text, { ...options, kind: 'mapping', jsonPaths: [] });
  if (source === null) return { problems };
  const result = mappingKeys.safeParse(source.tree ?? {});
  const all = [
    ...problems,
    ...(result.error?.issues ?? []).flatMap((issue) => issueProblems(issue, source)),
  ];
  if (!result.success) return { problems: inOrder(all) };
  const { data } = result;
  for (const [one, other] of [
    ['ttft', 'firstToken'],
    ['e2e', 'end'],
  ] as const) {
    if (data[one] === null || data[other] === null) continue;
    const message = `${one} and ${other} say the same thing`;
    all.push(
      problemAt(source, [other], 'conflict', { message, hint: 'keep one of the two', at: 'key' }),
    );
  }
  for (const key of ['firstToken', 'end'] as const) {
    if (data[key] === null || data.start !== null) continue;
    const message = `${key} is an instant, and there is no start to measure it from`;
    all.push(problemAt(source, [key], 'conflict', { message, hint: 'map start too', at: 'key' }));
  }
  return all.length > 0 ? { problems: inOrder(all) } : { mapping: data };
}
