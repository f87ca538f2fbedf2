import { describe, expect, it } from 'vitest';
import { assert, InvariantError, nearestWord, problemText, usageProblem } from './errors.ts';

describe('nearestWord', () => {
  it.each([
    ['ttfs', 'ttft'],
    ['durration', 'duration'],
    ['Rate', 'rate'],
    ['rtae', 'rate'],
  ])('%s → %s', (typed, meant) => {
    expect(nearestWord(typed, ['rate', 'duration', 'ttft', 'tpot'])).toBe(meant);
  });

  it('stays silent when nothing is near', () => {
    expect(nearestWord('banana', ['rate', 'duration'])).toBeNull();
    expect(nearestWord('x', ['rate'])).toBeNull();
  });
});

describe('problemText', () => {
  it('names place, code and hint', () => {
    expect(
      problemText({
        code: 'E_CONFIG_VALUE',
        message: 'rate must be above 0',
        hint: 'for example 4',
        place: { file: 'a.yaml', line: 3, column: 9 },
      }),
    ).toBe('a.yaml:3:9: rate must be above 0 [E_CONFIG_VALUE]\n  hint: for example 4');
    expect(problemText(usageProblem('E_USAGE_MISSING', 'URL is missing'))).toBe(
      'URL is missing [E_USAGE_MISSING]',
    );
  });
});

describe('assert', () => {
  it('crashes on a broken invariant only', () => {
    expect(() => assert(true, 'fine')).not.toThrow();
    expect(() => assert(false, 'one is two')).toThrow(InvariantError);
  });
});
