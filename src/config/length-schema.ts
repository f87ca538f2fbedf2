/** Distributions of counts, of tokens or turns: `1024`, `uniform:100-200`, or the same as keys in YAML. */
import { z } from 'zod';
import { assertNever } from '../base/index.ts';
import type { LengthDistribution } from '../workload/index.ts';
import { count, expects, fail, mapping, positiveNumber, withHint } from './scalars.ts';

const FORMS =
  'write 1024, uniform:100-200, lognormal:2000,0.8,max=16000 or empirical:256=0.7,1024=0.3';

const lengthKeys = mapping({
  fixed: count.optional().describe('Always this many.'),
  uniform: mapping({ min: count, max: count })
    .optional()
    .describe('Every whole number from `min` to `max` is equally likely.'),
  lognormal: mapping({
    median: count,
    sigma: positiveNumber('a spread above 0', '0.8'),
    min: count.prefault(1),
    max: count,
  })
    .optional()
    .describe('exp(N(ln `median`, `sigma`²)) cut to whole numbers; draws outside are clamped.'),
  empirical: z
    .record(z.string(), positiveNumber('a weight', '0.7'), expects('a mapping', FORMS))
    .optional()
    .describe('Count → weight.'),
});

/** A {@link LengthDistribution} in any of its written forms. */
export const lengthDistribution = z
  .union([z.number(), z.string(), lengthKeys], expects('a distribution of token counts', FORMS))
  .transform((value, context): LengthDistribution => {
    if (typeof value !== 'object') {
      const parsed = parseLength(String(value));
      return parsed === null
        ? fail(context, 'is not a distribution of token counts', FORMS)
        : checked(parsed, context);
    }
    const forms = Object.entries(value).filter(([, form]) => form !== undefined);
    if (forms.length !== 1) {
      return fail(context, 'needs exactly one of fixed, uniform, lognormal, empirical', FORMS);
    }
    const { fixed, uniform, lognormal, empirical } = value;
    if (fixed !== undefined) return { kind: 'fixed', tokens: fixed };
    if (uniform !== undefined) return checked({ kind: 'uniform', ...uniform }, context);
    if (lognormal !== undefined) return checked({ kind: 'lognormal', ...lognormal }, context);
    return empiricalFrom(Object.entries(empirical ?? {}), context);
  });

function checked(
  distribution: LengthDistribution,
  context: z.core.$RefinementCtx,
): LengthDistribution {
  switch (distribution.kind) {
    case 'uniform':
      return distribution.min <= distribution.max
        ? distribution
        : fail(context, 'has min above max', 'write the smaller count first');
    case 'lognormal': {
      const { median, min, max } = distribution;
      return min <= median && median <= max
        ? distribution
        : fail(context, 'has its median outside min and max', 'clamp on both sides of the median');
    }
    case 'fixed':
      return distribution;
    case 'empirical':
      return distribution.values.length > 0
        ? distribution
        : fail(context, 'has no values', 'write 256: 0.7');
    default:
      return assertNever(distribution);
  }
}

function empiricalFrom(
  entries: readonly (readonly [string, number])[],
  context: z.core.$RefinementCtx,
): LengthDistribution {
  const values: { readonly tokens: number; readonly weight: number }[] = [];
  for (const [key, weight] of entries) {
    const tokens = count.safeParse(key).data;
    if (tokens === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['empirical', key],
        message: withHint('has a key that is not a token count', 'write 256: 0.7'),
      });
    } else if (values.some((value) => value.tokens === tokens)) {
      return fail(context, `gives ${tokens} tokens two weights`, 'keep one of them');
    } else {
      values.push({ tokens, weight });
    }
  }
  return checked({ kind: 'empirical', values: values.toSorted(byTokens) }, context);
}

function byTokens(a: { readonly tokens: number }, b: { readonly tokens: number }): number {
  return a.tokens - b.tokens;
}

const LENGTH_TEXT =
  /^(?:(?:fixed:)?(?<fixed>[^:,=]+)|(?<kind>uniform|lognormal|empirical):(?<rest>.+))$/;

/** Reads the one-line forms. `null` when the text is none of them. */
function parseLength(source: string): LengthDistribution | null {
  const groups = LENGTH_TEXT.exec(source.replaceAll(' ', ''))?.groups;
  if (groups === undefined) return null;
  const rest = groups['rest'] ?? '';
  switch (groups['kind']) {
    case 'uniform':
      return parseUniform(rest);
    case 'lognormal':
      return parseLognormal(rest);
    case 'empirical':
      return parseEmpirical(rest);
    default: {
      const tokens = countOf(groups['fixed']);
      return tokens === null ? null : { kind: 'fixed', tokens };
    }
  }
}

function parseUniform(rest: string): LengthDistribution | null {
  const [min, max, ...more] = rest.split('-').map(countOf);
  return min === null || min === undefined || max === null || max === undefined || more.length > 0
    ? null
    : { kind: 'uniform', min, max };
}

function parseLognormal(rest: string): LengthDistribution | null {
  const match = /^([^,]+),([^,]+),(?:min=([^,]+),)?max=([^,]+)$/.exec(rest);
  if (match === null) return null;
  const median = countOf(match[1]);
  const sigma = Number(match[2]);
  const min = countOf(match[3] ?? '1');
  const max = countOf(match[4]);
  if (median === null || min === null || max === null || !(sigma > 0 && sigma < 100)) return null;
  return { kind: 'lognormal', median, sigma, min, max };
}

function parseEmpirical(rest: string): LengthDistribution | null {
  const values = rest.split(',').map((pair) => {
    const [key, weight, ...more] = pair.split('=');
    const tokens = countOf(key);
    return tokens === null || more.length > 0 || !(Number(weight) > 0 && Number(weight) < Infinity)
      ? null
      : { tokens, weight: Number(weight) };
  });
  const known = values.filter((value) => value !== null);
  const isDistinct = new Set(known.map(({ tokens }) => tokens)).size === values.length;
  return isDistinct ? { kind: 'empirical', values: known.toSorted(byTokens) } : null;
}

function countOf(source: string | undefined): number | null {
  return count.safeParse(source).data ?? null;
}
