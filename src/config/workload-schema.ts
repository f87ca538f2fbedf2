/** The `workload` section: what is asked, and how long the answers may be. */
import { classList } from './class-schema.ts';
import { lengthDistribution } from './length-schema.ts';
import { prefixPolicy } from './prefix-schema.ts';
import { count, mapping, oneOf, text } from './scalars.ts';
import { systemPrompts } from './session-schema.ts';
import { traceFile } from './trace-schema.ts';

/**
 * `workload` in a run file. At most one of `classes`, `prompts`, `sharegpt`, `bodies`, `trace`,
 * `turns`; with none of them prompts are synthetic and all of one kind.
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
  sharegpt: text
    .optional()
    .describe(
      'ShareGPT conversations in JSON: with `sessionRate` turn by turn, else their first prompts.',
    ),
  bodies: text
    .optional()
    .describe('JSONL of whole request bodies, `{"body": {…}}` a line, sent as they are.'),
  trace: traceFile
    .optional()
    .describe(
      'Trace with times and lengths: `azure:FILE` or `mooncake:FILE`; or with sessions: ' +
        '`sessions:FILE`, `bailian:FILE`, `kvcache:FILE` (docs/guides/sessions.md).',
    ),
  turns: lengthDistribution
    .optional()
    .describe(
      'Turns of a synthetic session: a number or a distribution. `input` is the first prompt.',
    ),
  followUp: lengthDistribution
    .optional()
    .describe('Prompt tokens of each later turn, without what was said before (default 128).'),
  system: systemPrompts
    .optional()
    .describe(
      'System prompt that sessions share: its tokens, or `2000=0.7,500=0.2` for shares of the sessions.',
    ),
  maxContext: count
    .optional()
    .describe('A session ends before a turn whose prompt and answer would pass this many tokens.'),
  history: oneOf(['planned', 'answers'])
    .optional()
    .describe(
      'What stands for earlier answers in a session’s prompts: `planned` (default) text, or the ' +
        '`answers` the server gave, kept in memory until the session ends.',
    ),
  order: oneOf(['sequential', 'shuffled'])
    .optional()
    .describe('Order of a file’s prompts: `sequential` (default) or `shuffled` by the seed.'),
  badRows: oneOf(['fail', 'skip'])
    .optional()
    .describe('Trace rows with holes: `fail` (default), or `skip` and count them.'),
  maxInput: count.optional().describe('Cuts longer prompts of a trace to this many tokens.'),
  maxOutput: count.optional().describe('Cuts longer answers of a trace to this many tokens.'),
});
