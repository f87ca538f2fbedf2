import { describe, expect, it } from 'vitest';
import { type Objective, objectiveText, parseObjective } from '../slo/index.ts';
import { askedObjective } from './what-if-question.ts';

function objectiveOf(text: string): Objective {
  const parsed = parseObjective(text);
  if ('problems' in parsed) throw new Error(parsed.problems[0]?.message);
  return parsed.objective;
}

/** The objective as people write it, or what is wrong. */
function asked(base: string, query: string): string {
  const answer = askedObjective(objectiveOf(base), new URLSearchParams(query));
  return typeof answer === 'string' ? answer : objectiveText(answer);
}

describe('limits in an address', () => {
  it('stay as they are where nothing is asked', () => {
    const text = 'ttft[0-1k]<=300ms, ttft[1k+]<=1s, tpot<=15ms, gap<=300ms, attainment>=95%';
    expect(asked(text, '')).toBe(text);
  });

  it('change one by one', () => {
    expect(asked('ttft<=1s, tpot<=15ms', 'ttft=500.5&gap=100&e2e=30000&attainment=99')).toBe(
      'ttft<=500.5ms, tpot<=15ms, gap<=100ms, e2e<=30s, attainment>=99%',
    );
  });

  it('go when their field is empty', () => {
    expect(asked('ttft<=1s, tpot<=15ms, attainment>=95%', 'ttft=&attainment=')).toBe('tpot<=15ms');
  });

  it('change a bucket at a time', () => {
    expect(asked('ttft[0-1k]<=300ms, ttft[1k+]<=1s', 'ttft=200&ttft=900')).toBe(
      'ttft[0-1k]<=200ms, ttft[1k+]<=900ms',
    );
  });

  it.each([
    ['ttft=abc', 'ttft must be a number'],
    ['ttft=-1', 'ttft must be a number'],
    ['tpot=1e99', 'tpot must be a number'],
    ['attainment=101', 'attainment must be a number from 0 to 100'],
    ['ttft=1&ttft=2', 'ttft needs 1 limits'],
  ])('are refused: %s', (query, problem) => {
    expect(asked('ttft<=1s', query)).toContain(problem);
  });

  it('are refused for half of the buckets', () => {
    expect(asked('ttft[0-1k]<=300ms, ttft[1k+]<=1s', 'ttft=&ttft=9')).toContain(
      'every TTFT bucket',
    );
  });
});
