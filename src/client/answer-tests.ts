import type { CheckResult } from '../record/index.ts';

/** A check of the answer's text. Only its name and result leave this room. */
export interface AnswerTest {
  readonly name: string;
  passes(text: string): boolean;
}

/** A check that throws has not passed. */
export function runAnswerTests(tests: readonly AnswerTest[], text: string): CheckResult[] {
  return tests.map((test) => ({ name: test.name, passed: passes(test, text) }));
}

function passes(test: AnswerTest, text: string): boolean {
  try {
    return test.passes(text);
  } catch {
    return false;
  }
}
