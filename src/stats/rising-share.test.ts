import { expect, test } from 'vitest';
import { risingShare } from './rising-share.ts';

const at = (load: number, good: number) => ({ load, good, offered: 1_000 });

test('names the load from which the share rises', () => {
  const windows = [at(4, 700), at(5, 710), at(6, 950), at(7, 940)];
  expect(risingShare(windows, { dispersion: 10, level: 0.99 })).toEqual({
    fromLoad: 6,
    belowShare: 0.705,
    fromShare: 0.945,
  });
});

test('is silent on a fall, on chance, and on one load', () => {
  expect(risingShare([at(4, 990), at(5, 900)], { dispersion: 1, level: 0.99 })).toBeNull();
  const byChance = [at(4, 950), at(5, 962)];
  expect(risingShare(byChance, { dispersion: 20, level: 0.99 })).toBeNull();
  expect(risingShare([at(4, 500), at(4, 900)], { dispersion: 1, level: 0.99 })).toBeNull();
});
