import { expect, test } from 'vitest';
import { randomStream } from '../base/index.ts';
import { sequentialSide } from './sequential-mean.ts';

const batch = (good: number, offered = 20) => ({ good, offered });

test('decides soon when all is plain, and only then', () => {
  const options = { target: 0.95, alpha: 0.05 };
  const bad = Array.from({ length: 5 }, () => batch(10));
  expect(sequentialSide(bad, options)).toBe('below');
  expect(sequentialSide(bad.slice(0, 2), options)).toBeNull();
  const perfect = Array.from({ length: 60 }, () => batch(20));
  expect(sequentialSide(perfect.slice(0, 5), options)).toBeNull();
  expect(sequentialSide(perfect, options)).toBe('above');
  expect(
    sequentialSide(
      Array.from({ length: 60 }, () => batch(19)),
      options,
    ),
  ).toBeNull();
  expect(sequentialSide([batch(0, 0), batch(0, 0), batch(0, 0)], options)).toBeNull();
});

test('asked after every batch it errs no more often than it says', () => {
  const random = randomStream(7, 'sequential');
  let wrong = 0;
  for (let run = 0; run < 1_000; run += 1) {
    const batches: { good: number; offered: number }[] = [];
    // Overdispersed: each batch has a share of its own around the target.
    for (let at = 0; at < 40; at += 1) {
      const share = 0.8 + 0.2 * (random() - 0.5);
      let good = 0;
      for (let request = 0; request < 30; request += 1) if (random() < share) good += 1;
      batches.push({ good, offered: 30 });
      if (sequentialSide(batches, { target: 0.8, alpha: 0.1 }) !== null) {
        wrong += 1;
        break;
      }
    }
  }
  expect(wrong / 1_000).toBeLessThanOrEqual(0.1);
  expect(wrong).toBeGreaterThan(0);
});
