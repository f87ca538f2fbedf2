import { expect, test } from 'vitest';
import { ProblemList } from './problem-list.ts';

function listOf(count: number): ProblemList {
  const list = new ProblemList('t.csv');
  for (let line = 1; line <= count; line += 1) {
    list.add({ code: 'E_TRACE_ROW', line, column: 1, message: 'wrong', hint: 'mend it' });
  }
  return list;
}

test('keeps the first twenty and counts the rest where they begin', () => {
  expect(listOf(20).toProblems()).toHaveLength(20);
  const problems = listOf(1_000).toProblems();
  expect(problems).toHaveLength(21);
  expect(problems.at(-1)).toEqual({
    code: 'E_TRACE_ROW',
    message: 'and 980 more',
    hint: null,
    place: { file: 't.csv', line: 21, column: 1 },
  });
  expect(listOf(1_000).count).toBe(1_000);
});
