import { expect, test } from 'vitest';
import { compareCapacities } from './capacity-comparison.ts';
import { inMetricOrder, metricNamed, parseSignedShare } from './metric.ts';
import { differingFacts, type Question, questionHash } from './question.ts';

const QUESTION: Question = {
  objective: { ttft: 1 },
  checks: [],
  workload: { input: 512 },
  load: { rate: 4 },
  window: { durationNs: 1 },
  seeds: { arrivals: 1 },
  model: 'm',
  prefixCache: 'unique',
  api: 'chat',
  counting: 'usage',
  sampling: null,
  source: 'measured',
};

test('facts that differ are named, in whatever order their keys are written', () => {
  const other = { ...QUESTION, objective: { ttft: 2 }, model: 'n' };
  expect(differingFacts({ ...QUESTION }, { ...other })).toEqual([
    { fact: 'objective.ttft', a: 1, b: 2 },
    { fact: 'model', a: 'm', b: 'n' },
  ]);
  expect(differingFacts({ f: { x: 1, y: 2 } }, { f: { y: 2, x: 1 } })).toEqual([]);
});

test('a question is the same under other seeds, and another under another load', () => {
  const hash = questionHash(QUESTION);
  expect(questionHash({ ...QUESTION, seeds: { arrivals: 2 } })).toBe(hash);
  expect(questionHash({ ...QUESTION, load: { rate: 5 } })).not.toBe(hash);
});

test('capacities: 7.0 ± 2 % against 6.0 ± 2 % is −14.3 %, from −16.7 to −11.8', () => {
  const effects = { relativeShare: 0.02, pointsShare: 0.01 };
  const at = (rps: number) => ({ rps, low: rps / 1.02, high: rps * 1.02 });
  const found = compareCapacities(at(7), at(6), effects);
  expect(found).toMatchObject({ metric: 'capacity', a: 7, b: 6, verdict: 'worse' });
  const half = Math.SQRT2 * Math.log(1.02);
  expect(found.interval?.low).toBeCloseTo((6 / 7) * Math.exp(-half) - 1, 9);
  expect(compareCapacities(at(7), at(6.95), effects).verdict).toBe('noDifferenceShown');
});

test('metrics have names, parts and an order', () => {
  expect(metricNamed('attainment[4k-16k]')).toMatchObject({ scale: 'points', better: 'higher' });
  expect(metricNamed('finish[length]')).toMatchObject({ group: 'quality', better: 'neither' });
  expect(metricNamed('attainment[soon]')).toBeNull();
  expect(inMetricOrder(['finish[stop]', 'attainment[0-1k]', 'failures', 'attainment'])).toEqual([
    'attainment',
    'attainment[0-1k]',
    'failures',
    'finish[stop]',
  ]);
  expect([parseSignedShare('-5%'), parseSignedShare('+0.5%'), parseSignedShare('5')]).toEqual([
    -0.05,
    0.005,
    null,
  ]);
});
