import { describe, expect, test } from 'vitest';
import type { MetricComparison } from './comparison.ts';
import { answerHypothesis, expectationsText, parseExpectations } from './hypothesis.ts';

describe('parseExpectations', () => {
  test('reads metrics, signs and sizes, and writes them back', () => {
    const text =
      'p50(tpot) <= -5%, goodput >= +3%, attainment[4k-16k] >= -0.5%, p95(ttft) unchanged';
    const read = parseExpectations(text);
    expect(read?.[0]).toEqual({ metric: 'p50(tpot)', relation: 'atMost', change: -0.05 });
    expect(read?.[3]).toEqual({ metric: 'p95(ttft)', relation: 'unchanged', change: 0 });
    expect(expectationsText(read ?? [])).toBe(text);
    expect(parseExpectations('goodput>=3%')).toEqual([
      { metric: 'goodput', relation: 'atLeast', change: 0.03 },
    ]);
  });

  test('refuses what it does not know', () => {
    for (const text of [
      '',
      'speed <= -5%',
      'goodput >= 3',
      'goodput > 3%',
      'attainment[x] >= 1%',
    ]) {
      expect(parseExpectations(text), text).toBeNull();
    }
  });
});

function comparedWith(low: number, high: number, verdict: MetricComparison['verdict']) {
  const interval = { low, high, level: 0.95, method: 'm', effectiveN: 12 };
  return { metric: 'p50(tpot)', interval, verdict } as MetricComparison;
}

describe('answerHypothesis', () => {
  const hypothesis = (expected: string) => ({
    change: 'CUDA graphs',
    bottleneck: 'launch overhead',
    expected: parseExpectations(expected) ?? [],
  });

  test.each([
    [-0.08, -0.06, 'confirmed'],
    [-0.08, -0.04, 'cannotTell'],
    [-0.04, -0.02, 'notConfirmed'],
  ] as const)('5 %% faster, from %f to %f: %s', (low, high, answer) => {
    const metrics = [comparedWith(low, high, 'better')];
    expect(answerHypothesis(hypothesis('p50(tpot) <= -5%'), metrics).answer).toBe(answer);
  });

  test('one expectation that fails is enough; one unanswered leaves the rest in doubt', () => {
    const metrics = [comparedWith(-0.08, -0.06, 'better')];
    const answer = (text: string) => answerHypothesis(hypothesis(text), metrics);
    expect(answer('p50(tpot) <= -5%, goodput >= 1%')).toMatchObject({
      answer: 'cannotTell',
      answers: ['confirmed', 'cannotTell'],
    });
    expect(answer('p50(tpot) unchanged, goodput >= 1%').answer).toBe('notConfirmed');
    expect(answer('p50(tpot) >= -9%').answer).toBe('confirmed');
  });
});
