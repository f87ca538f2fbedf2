/** The objective's checks of the answer → functions over the text, run where the text is. */
import { assertNever } from '../base/index.ts';
import type { AnswerTest } from '../client/index.ts';
import type { AnswerCheck } from '../slo/index.ts';

export async function answerTests(checks: readonly AnswerCheck[]): Promise<AnswerTest[]> {
  const tests: AnswerTest[] = [];
  for (const check of checks) tests.push({ name: check.name, passes: await testOf(check) });
  return tests;
}

async function testOf(check: AnswerCheck): Promise<(text: string) => boolean> {
  switch (check.kind) {
    case 'regex': {
      const pattern = new RegExp(check.pattern, 'u');
      return (text) => pattern.test(text);
    }
    case 'json':
      return (text) => isJson(text);
    case 'jsonSchema': {
      // Loaded only where it is needed: it is the slowest part of starting up.
      const { Ajv } = await import('ajv');
      const validate = new Ajv({ strict: false }).compile(check.schema as object);
      return (text) => isJson(text) && validate(JSON.parse(text));
    }
    case 'equals':
      return (text) => text.trim() === check.expected.trim();
    default:
      return assertNever(check);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
