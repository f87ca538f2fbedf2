/** The objective's checks of the answer → functions over the text, run where the text is. */
import { Ajv } from 'ajv';
import { assertNever } from '../base/index.ts';
import type { AnswerTest } from '../client/index.ts';
import type { AnswerCheck } from '../slo/index.ts';

export function answerTests(checks: readonly AnswerCheck[]): AnswerTest[] {
  return checks.map((check) => ({ name: check.name, passes: testOf(check) }));
}

function testOf(check: AnswerCheck): (text: string) => boolean {
  switch (check.kind) {
    case 'regex': {
      const pattern = new RegExp(check.pattern, 'u');
      return (text) => pattern.test(text);
    }
    case 'json':
      return (text) => isJson(text);
    case 'jsonSchema': {
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
