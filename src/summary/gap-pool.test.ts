import { describe, expect, it } from 'vitest';
import { nsFromSeconds } from '../base/index.ts';
import { GapPool, NO_GAPS } from './gap-pool.ts';

/** `count` answers, one a second, of which each has gaps of its own second. */
function poolOf(seconds: readonly number[]): GapPool {
  const pool = new GapPool();
  for (const second of seconds) pool.push(nsFromSeconds(second), [second, second], true);
  return pool;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, second) => second);

describe('pooled gaps', () => {
  it.each([40, 64, 65, 1_000, 5_000])(
    'of %i s lie in 32 to 64 slots of equal length, in order of time',
    (count) => {
      const { slots, all } = poolOf(upTo(count)).ranked().tokens;
      expect(slots.length).toBeGreaterThanOrEqual(32);
      expect(slots.length).toBeLessThanOrEqual(64);
      // Answers come at whole seconds, so a slot may hold one more or less than its neighbours.
      const answers = slots.slice(0, -1).map(({ length }) => length / 2);
      expect(Math.max(...answers) - Math.min(...answers)).toBeLessThanOrEqual(1);
      expect(slots.map(({ min }) => min)).toEqual(
        slots.map(({ min }) => min).toSorted((a, b) => (a as number) - (b as number)),
      );
      expect(all.length).toBe(2 * count);
      expect(all.sum).toBe(count * (count - 1));
    },
  );

  it('do not depend on the order in which they came', () => {
    const shuffled = upTo(1_000).map((second) => (second * 7_919) % 1_000);
    const [one, other] = [upTo(1_000), shuffled].map((order) => poolOf(order).ranked().tokens);
    const lengths = (of: typeof one) => of?.slots.map(({ min, length }) => [min, length]);
    expect(lengths(other)).toEqual(lengths(one));
    expect(other?.all.quantile(0.9)).toBe(one?.all.quantile(0.9));
  });

  it('of tokens are told from all', () => {
    const pool = new GapPool();
    pool.push(0, [1, 2], true);
    pool.push(0, [3], false);
    pool.push(nsFromSeconds(9), [], true);
    const { tokens, all } = pool.ranked();
    expect([tokens.all.length, all.all.length, all.slots.length]).toEqual([2, 3, 1]);
    expect(new GapPool().ranked().all).toEqual(NO_GAPS);
  });
});
