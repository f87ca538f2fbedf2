/** The `workload` section: what is asked, and how long the answers may be. */
import { z } from 'zod';
import { classList } from './class-schema.ts';
import { lengthDistribution } from './length-schema.ts';
import { prefixPolicy } from './prefix-schema.ts';
import { count, expects, fail, mapping, oneOf, text } from './scalars.ts';

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
 * `workload` in a run file. At most one of `classes`, `prompts`, `sharegpt`, `bodies`, `trace`; with
 * none of them prompts are synthetic and all of one kind.
 */
export const workloadSection = mapping({
  input: lengthDistribution
    .optional()
    .describe('Prompt tokens of synthetic prompts (default 1024): a number or a distribution.'),
  output: lengthDistribution
    .optional()
    .describe('Most answer tokens of a request (default 128): a number or a distribution.'),
  prefix: prefixPolicy
    .optional()
    .describe(
      'What the prefix cache may reuse: `unique` (default), `shared:TOKENS[xGROUPS]` or `asGiven`.',
    ),
  classes: classList
    .optional()
    .describe(
      'Kinds of synthetic requests, mixed at random by weight: a list of `name`, `weight` (1), ' +
        '`priority` (0; vLLM’s, smaller goes first), `input`, `output` and `prefix`.',
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
