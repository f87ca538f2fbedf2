import { expect, it } from 'vitest';
import type { SweepKnee } from '../summary/index.ts';
import { kneeText } from './knee-text.ts';

const KNEE: SweepKnee = {
  target: 0.95,
  level: 6,
  goodputRps: 5.76,
  provenLevel: 4,
  next: { level: 8, state: 'missed', share: 0.8 },
  metAbove: [],
};

it('names the load, what is proven and what came next', () => {
  expect(kneeText(KNEE, 'rate')).toBe(
    '6/s is the largest load to meet 95.0 %: 5.76/s good (proven up to 4/s); 8/s missed it with 80.0 %',
  );
  expect(kneeText({ ...KNEE, provenLevel: 6, next: null }, 'concurrency')).toBe(
    '6 streams is the largest load to meet 95.0 %: 5.76/s good (proven); the knee is beyond the loads tried',
  );
  expect(kneeText({ ...KNEE, provenLevel: null, metAbove: [10, 12] }, 'rate')).toMatch(
    /\(not proven at any load: measure longer\); 8\/s missed it with 80\.0 %; 10\/s, 12\/s met it again above that, by luck or noise$/,
  );
});

it('says when the lowest load is too much, and when there is too little data', () => {
  const none = { ...KNEE, level: null, goodputRps: null, provenLevel: null };
  expect(kneeText(none, 'rate')).toBe('below the lowest load tried: 8/s missed it with 80.0 %');
  const unsure = { ...KNEE, next: { level: 8, state: 'notEnoughData', share: 0.96 } } as const;
  expect(kneeText(unsure, 'rate')).toMatch(/8\/s has too few requests to tell whether it met 95/);
});
