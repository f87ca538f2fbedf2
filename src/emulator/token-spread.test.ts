import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { NS_PER_MS, VirtualClock } from '../base/index.ts';
import { TokenSpread } from './token-spread.ts';

/** What left when, of steps of `stepMs` with so many tokens each. */
async function spread(stepMs: number, counts: readonly number[]) {
  const clock = new VirtualClock();
  const left: { token: string; dueNs: number; atNs: number }[] = [];
  const tokens = new TokenSpread<string>(clock, (token, dueNs) => {
    left.push({ token, dueNs, atNs: clock.nowNs() });
  });
  for (const [step, count] of counts.entries()) {
    await clock.advanceTo(step * stepMs * NS_PER_MS);
    const made = Array.from({ length: count }, (_, at) => `${step}/${at}`);
    tokens.add(made, clock.nowNs(), stepMs * NS_PER_MS);
  }
  await clock.runAll();
  return left;
}

it('lets the tokens of a step leave evenly until the next', async () => {
  const left = await spread(40, [4]);
  expect(left.map(({ atNs }) => atNs / NS_PER_MS)).toEqual([0, 10, 20, 30]);
});

it('sends many tokens in slots of a millisecond', async () => {
  const left = await spread(4, [8]);
  expect(left.map(({ atNs }) => atNs / NS_PER_MS)).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
});

it('loses none, keeps their order, and is done before the next step ends', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 5 }),
      async (stepMs, counts) => {
        const left = await spread(stepMs, counts);
        const made = counts.flatMap((count, step) =>
          Array.from({ length: count }, (_, at) => `${step}/${at}`),
        );
        expect(left.map(({ token }) => token)).toEqual(made);
        for (const { token, atNs, dueNs } of left) {
          const step = Number(token.split('/')[0]);
          expect(atNs).toBe(dueNs);
          expect(atNs).toBeGreaterThanOrEqual(step * stepMs * NS_PER_MS);
          expect(atNs).toBeLessThan((step + 1) * stepMs * NS_PER_MS);
        }
      },
    ),
    { numRuns: 40 },
  );
});

it('sends nothing more once stopped', async () => {
  const clock = new VirtualClock();
  const left: string[] = [];
  const tokens = new TokenSpread<string>(clock, (token) => void left.push(token));
  tokens.add(['a', 'b'], 0, 20 * NS_PER_MS);
  await clock.advanceTo(5 * NS_PER_MS);
  tokens.stop();
  await clock.runAll();
  expect(left).toEqual(['a']);
});
