/** Keys of sessions that are more than a scalar. */
import { z } from 'zod';
import type { SystemPrompt } from '../workload/index.ts';
import { count, expects, fail, mapping, share } from './scalars.ts';

const SYSTEM = 'write 2000, or 2000=0.7,500=0.2: the share of the sessions that begin with each';

const prompts = z
  .array(mapping({ tokens: count, share: share.prefault(1) }), expects('a list', SYSTEM))
  .superRefine((list, context) => {
    const sum = list.reduce((total, prompt) => total + prompt.share, 0);
    if (sum > 1 + 1e-9) fail(context, `has shares that add up to ${sum}`, SYSTEM);
  });

/** System prompts: one length for all sessions, lengths with shares, or the same as a list. */
export const systemPrompts = z
  .union([z.number(), z.string(), prompts], expects('a system prompt', SYSTEM))
  .transform((value, context): readonly SystemPrompt[] => {
    if (typeof value === 'object') return value;
    const listed = String(value)
      .split(',')
      .map((part) => {
        const [tokens, portion] = part.split('=');
        return portion === undefined ? { tokens } : { tokens, share: portion };
      });
    const read = prompts.safeParse(listed);
    return read.success ? read.data : fail(context, 'is not a system prompt', SYSTEM);
  });
