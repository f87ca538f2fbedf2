/** What a prefix cache may reuse: `unique`, `shared:512x4` or `asGiven`. */
import { z } from 'zod';
import type { PrefixPolicy } from '../workload/index.ts';
import { count, expects, fail } from './scalars.ts';

const PREFIX = 'write unique, shared:512, shared:512x4 or asGiven';

/** A {@link PrefixPolicy} as it is written. */
export const prefixPolicy = z
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
