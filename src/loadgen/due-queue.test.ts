import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { scheduleOf } from '../../test/support/point-run.ts';
import { DueQueue } from './due-queue.ts';

it('gives out by planned instant, then by place in the schedule, whatever came when', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(9)), { maxLength: 60 }), (steps) => {
      const requests = scheduleOf(steps.map(() => ({ kind: 'slot' as const }))).requests;
      const queue = new DueQueue();
      const model: [number, number][] = [];
      const order = (a: [number, number], b: [number, number]): number =>
        a[0] - b[0] || a[1] - b[1];
      // A number puts a request in, null takes one out.
      for (const request of requests) {
        const plannedNs = steps[request.index] ?? null;
        if (plannedNs === null) {
          const [first] = model.sort(order).splice(0, 1);
          expect(queue.peek()?.request.index).toBe(first?.[1]);
          expect(queue.pop()?.request.index).toBe(first?.[1]);
        } else {
          model.push([plannedNs, request.index]);
          queue.push({ request, plannedNs });
        }
      }
      const rest = model.map(() => queue.pop()?.request.index);
      expect(rest).toEqual(model.sort(order).map(([, index]) => index));
      expect(queue.pop()).toBeNull();
    }),
  );
});
