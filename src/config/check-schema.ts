/** Checks of the answer text, as written under `checks`. */
import { z } from 'zod';
import { assertNever, type JsonValue } from '../base/index.ts';
import type { AnswerCheck } from '../slo/index.ts';
import { expects, fail, mapping, text, withHint } from './scalars.ts';

const FORMS = 'write one of json: true, regex: …, equals: … or jsonSchema: …';

const check = mapping({
  name: text.describe('Name under which passes and fails are counted.'),
  json: z.literal(true, expects('true', 'write json: true')).optional(),
  regex: z.string(expects('a regular expression', 'quote it')).optional(),
  equals: z.string(expects('text', 'quote it')).optional(),
  jsonSchema: z
    .record(
      z.string(),
      z.json() as z.ZodType<JsonValue>,
      expects('a JSON Schema', 'write a mapping'),
    )
    .optional(),
}).transform((value, context): AnswerCheck => {
  const { name, regex, equals, json, jsonSchema } = value;
  const given = [regex, equals, json, jsonSchema].filter((form) => form !== undefined);
  if (given.length !== 1) return fail(context, 'needs exactly one kind of check', FORMS);
  if (regex !== undefined) {
    return isPattern(regex)
      ? { kind: 'regex', name, pattern: regex }
      : fail(context, 'holds a regular expression that cannot be read', 'test it in JavaScript');
  }
  if (equals !== undefined) return { kind: 'equals', name, expected: equals };
  return jsonSchema === undefined
    ? { kind: 'json', name }
    : { kind: 'jsonSchema', name, schema: jsonSchema };
});

/** A list of {@link AnswerCheck}s with distinct names. */
export const checkList = z
  .array(check, expects('a list of checks', 'write - name: … under it'))
  .superRefine((checks, context) => {
    const seen = new Set<string>();
    for (const [at, { name }] of checks.entries()) {
      if (seen.has(name)) {
        const message = withHint('is the name of an earlier check', 'give each its own name');
        context.addIssue({ code: 'custom', path: [at, 'name'], message });
      }
      seen.add(name);
    }
  });

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** The written form of a check: the inverse of the schema. */
export function checkTree(answerCheck: AnswerCheck): Record<string, unknown> {
  const { name } = answerCheck;
  switch (answerCheck.kind) {
    case 'json':
      return { name, json: true };
    case 'regex':
      return { name, regex: answerCheck.pattern };
    case 'equals':
      return { name, equals: answerCheck.expected };
    case 'jsonSchema':
      return { name, jsonSchema: answerCheck.schema };
    default:
      return assertNever(answerCheck);
  }
}
