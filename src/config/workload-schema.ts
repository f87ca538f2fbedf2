/** The `workload` section: what is asked, and how long the answers may be. */
import { z } from 'zod';
import type { PrefixPolicy } from '../workload/index.ts';
import { lengthDistribution } from './length-schema.ts';
import { count, expects, fail, mapping, oneOf, text } from './scalars.ts';

const PREFIX = 'write unique, shared:512, shared:512x4 or asGiven';

const prefix = z
  .string(expects('a prefix policy', PREFIX))
  .transform((value, context): PrefixPolicy => {
    if (value === 'unique' || value === 'asGiven') return { kind: value };
    const match = /^shared:([^x]+)(?:x(.+))?$/.exec(value);
    const tokens = count.safeParse(match?.[1]).data;
    const groups = count.safeParse(match?.[2] ?? '1').data;
    return match === null || tokens === undefined || groups === undefined
      ? fail(context, 'is not a prefix policy', PREFIX)
      : { kind: 'shared', tokens, groups };
  });

const TRACE = 'write azure:FILE or mooncake:FILE';

const trace = z
  .union(
    [z.string(), mapping({ azure: text.optional(), mooncake: text.optional() })],
    expects('a trace', TRACE),
  )
  .transform((value, context) => {
    if (typeof value === 'string') {
      const match = /^(azure|mooncake):(.+)$/.exec(value);
      return match === null
        ? fail(context, 'is not a trace', TRACE)
        : { format: match[1] as 'azure' | 'mooncake', path: match[2] as string };
    }
    const { azure, mooncake } = value;
    if (azure !== undefined && mooncake === undefined)
      return { format: 'azure' as const, path: azure };
    if (mooncake !== undefined && azure === undefined) {
      return { format: 'mooncake' as const, path: mooncake };
    }
    return fail(context, 'needs exactly one of azure, mooncake', TRACE);
  });

/**
 * `workload` in a run file. At most one of `prompts`, `sharegpt`, `bodies`, `trace`; with none of
 * them prompts are synthetic.
 */
export const workloadSection = mapping({
  input: lengthDistribution
    .optional()
    .describe('Prompt tokens of synthetic prompts (default 1024): a number or a distribution.'),
  output: lengthDistribution
    .optional()
    .describe('Most answer tokens of a request (default 128): a number or a distribution.'),
  prefix: prefix
    .optional()
    .describe(
      'What the prefix cache may reuse: `unique` (default), `shared:TOKENS[xGROUPS]` or `asGiven`.',
    ),
  prompts: text.optional().describe('File of prompts: JSONL, or else text with one prompt a line.'),
  sharegpt: text.optional().describe('ShareGPT conversations in JSON.'),
  bodies: text
    .optional()
    .describe('JSONL of whole request bodies, `{"body": {…}}` a line, sent as they are.'),
  trace: trace
    .optional()
    .describe('Trace with times and lengths: `azure:FILE` or `mooncake:FILE`.'),
  order: oneOf(['sequential', 'shuffled'])
    .optional()
    .describe('Order of a file’s prompts: `sequential` (default) or `shuffled` by the seed.'),
  badRows: oneOf(['fail', 'skip'])
    .optional()
    .describe('Trace rows with holes: `fail` (default), or `skip` and count them.'),
  maxInput: count.optional().describe('Cuts longer prompts of a trace to this many tokens.'),
  maxOutput: count.optional().describe('Cuts longer answers of a trace to this many tokens.'),
});
