import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { FinishQueue } from './finish-queue.ts';

it('gives slots in the order of their steps, whatever was pushed in between', () => {
  const actions = fc.array(
    fc.oneof(fc.record({ step: fc.integer({ min: 0, max: 1e9 }) }), fc.constant('pop' as const)),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(actions, (list) => {
      const slots = 20;
      const queue = new FinishQueue(slots);
      const held: { readonly step: number; readonly slot: number }[] = [];
      for (const action of list) {
        if (action !== 'pop' && held.length < slots) {
          const taken = new Set(held.map(({ slot }) => slot));
          const slot = [...Array(slots).keys()].find((free) => !taken.has(free))!;
          held.push({ step: action.step, slot });
          queue.push(action.step, slot);
        } else if (held.length > 0) {
          const firstStep = Math.min(...held.map(({ step }) => step));
          expect(queue.firstStep).toBe(firstStep);
          const at = held.findIndex(({ slot, step }) => step === firstStep && slot === peek(held));
          expect(held[at]!.slot).toBe(queue.pop());
          held.splice(at, 1);
        }
        expect(queue.size).toBe(held.length);
      }
      if (held.length === 0) expect(queue.firstStep).toBe(Number.POSITIVE_INFINITY);
    }),
  );
});

/** Of requests that end in the same step, the one in the lowest slot comes first. */
function peek(held: readonly { readonly step: number; readonly slot: number }[]): number {
  return held.toSorted((a, b) => a.step - b.step || a.slot - b.slot)[0]!.slot;
}
