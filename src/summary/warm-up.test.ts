import { expect, it } from 'vitest';
import type { Stay } from './in-flight.ts';
import { warmUpOf } from './warm-up.ts';

const SECOND_NS = 1_000_000_000;
const OFFERING = { fromNs: 0, toNs: 600 * SECOND_NS };
const OPEN = { steadyFromNs: null, closedLoop: false };

/** Two requests a second for 600 s; those of the first `slowSeconds` stay 10 s, the rest 1 s. */
function stays(slowSeconds: number): Stay[] {
  return Array.from({ length: 1_200 }, (_, index) => {
    const fromNs = index * 0.5 * SECOND_NS;
    const seconds = fromNs < slowSeconds * SECOND_NS ? 10 : 1 + 0.3 * Math.sin(index);
    return { fromNs, toNs: fromNs + seconds * SECOND_NS };
  });
}

it('is found where a cold service was slow, and ends about when that did', () => {
  const { basis, untilNs } = warmUpOf(stays(60), OPEN, OFFERING);
  expect(basis).toBe('detected');
  expect((untilNs as number) / SECOND_NS).toBeGreaterThan(60);
  expect((untilNs as number) / SECOND_NS).toBeLessThan(90);
});

it('is none in a run that was steady, in a short one, and in a closed loop', () => {
  const none = { basis: 'none', untilNs: null };
  expect(warmUpOf(stays(0), OPEN, OFFERING)).toEqual(none);
  expect(warmUpOf(stays(60).slice(0, 400), OPEN, OFFERING)).toEqual(none);
  expect(warmUpOf(stays(60), { ...OPEN, closedLoop: true }, OFFERING)).toEqual(none);
});

it('is not accepted when it would take half of the run', () => {
  expect(warmUpOf(stays(400), OPEN, OFFERING).basis).toBe('none');
});

it('is the declared one where there is one', () => {
  const declared = { steadyFromNs: 5 * SECOND_NS, closedLoop: false };
  expect(warmUpOf(stays(60), declared, OFFERING)).toEqual({
    basis: 'declared',
    untilNs: 5 * SECOND_NS,
  });
});
