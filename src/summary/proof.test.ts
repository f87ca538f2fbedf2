import { describe, expect, it } from 'vitest';
import type { Inference } from './inference.ts';
import { proofOf } from './proof.ts';

const SECOND_NS = 1_000_000_000;

/** 32 batches of 100 in 320 s, of which `good(batch)` were good. */
const batches = (good: (batch: number) => number) =>
  Array.from({ length: 32 }, (_, batch) => ({ good: good(batch), offered: 100 }));

const inference = (of: Partial<Inference> = {}): Inference => ({
  fromNs: 0,
  toNs: 320 * SECOND_NS,
  count: 3_200,
  queueDesignEffect: 1,
  growing: false,
  sessions: null,
  ...of,
});

const met = { state: 'met', target: 0.95, unjudged: 0 } as const;
const missed = { state: 'missed', target: 0.95, unjudged: 0 } as const;

describe('proof', () => {
  it('is an interval wholly on the side that was seen', () => {
    expect(
      proofOf(
        inference(),
        batches(() => 98),
        met,
      ).proven,
    ).toBe(true);
    expect(
      proofOf(
        inference(),
        batches(() => 90),
        missed,
      ).proven,
    ).toBe(true);
    expect(
      proofOf(
        inference(),
        batches(() => 95),
        met,
      ).proven,
    ).toBe(false);
  });

  it('rests on the effective n: what 3,200 independent requests prove, clumps do not', () => {
    const clumped = batches((batch) => (batch % 8 < 2 ? 86 : 100));
    const { proven, toProve } = proofOf(inference(), clumped, met);
    expect(proven).toBe(false);
    expect(toProve?.requests).toBeGreaterThan(320);
    // 10 requests/s.
    expect(toProve?.seconds).toBe(Math.ceil((toProve?.requests as number) / 10));
  });

  it('of a miss holds even if all that is unknown were good', () => {
    const claim = { ...missed, unjudged: 160 };
    expect(
      proofOf(
        inference(),
        batches(() => 92),
        missed,
      ).proven,
    ).toBe(true);
    expect(
      proofOf(
        inference(),
        batches(() => 92),
        claim,
      ),
    ).toEqual({ proven: false, toProve: null });
  });

  it('of a miss is a growing backlog; of a target that was met, nothing is', () => {
    const growing = inference({ growing: true });
    expect(
      proofOf(
        growing,
        batches(() => 94),
        missed,
      ),
    ).toEqual({ proven: true, toProve: null });
    expect(
      proofOf(
        growing,
        batches(() => 99),
        met,
      ),
    ).toEqual({ proven: false, toProve: null });
  });

  it('cannot be had on the edge, nor for a share of 1', () => {
    expect(
      proofOf(
        inference(),
        batches(() => 95),
        met,
      ).toProve,
    ).toBeNull();
    expect(
      proofOf(
        inference(),
        batches(() => 100),
        { ...met, target: 1 },
      ).toProve,
    ).toBeNull();
  });
});
