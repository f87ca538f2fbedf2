/** Classes of requests, as written under `workload.classes`. */
import { z } from 'zod';
import type { LengthDistribution, RequestClass } from '../workload/index.ts';
import { lengthDistribution } from './length-schema.ts';
import { prefixPolicy } from './prefix-schema.ts';
import { expects, mapping, positiveNumber, text, wholeNumber, withHint } from './scalars.ts';

/** Lengths of synthetic requests where nothing is said. */
export const DEFAULT_INPUT: LengthDistribution = { kind: 'fixed', tokens: 1024 };
export const DEFAULT_OUTPUT: LengthDistribution = { kind: 'fixed', tokens: 128 };

const requestClass = mapping({
  name: text.describe('Label of its records, by which `worst(class)` judges.'),
  weight: positiveNumber('a weight above 0', '2').prefault(1),
  priority: wholeNumber('a whole number', '10', Number.MIN_SAFE_INTEGER).prefault(0),
  input: lengthDistribution.optional(),
  output: lengthDistribution.optional(),
  prefix: prefixPolicy.optional(),
}).transform(({ input, output, prefix, ...rest }, context): RequestClass => {
  if (prefix?.kind === 'asGiven') {
    const message = withHint(
      'needs given prompts, and these are synthetic',
      'write unique or shared:512',
    );
    context.addIssue({ code: 'custom', path: ['prefix'], message });
  }
  return {
    ...rest,
    input: input ?? DEFAULT_INPUT,
    output: output ?? DEFAULT_OUTPUT,
    prefix: prefix ?? { kind: 'unique' },
  };
});

/** A list of {@link RequestClass}es with distinct names. */
export const classList = z
  .array(requestClass, expects('a list of classes', 'write - name: interactive under it'))
  .superRefine((classes, context) => {
    if (classes.length === 0) {
      const message = withHint('names no class', 'write - name: interactive under it');
      context.addIssue({ code: 'custom', message });
    }
    const seen = new Set<string>();
    for (const [at, { name }] of classes.entries()) {
      if (seen.has(name)) {
        const message = withHint('is the name of an earlier class', 'give each its own name');
        context.addIssue({ code: 'custom', path: [at, 'name'], message });
      }
      seen.add(name);
    }
  });
