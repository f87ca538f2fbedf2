import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvariantError } from '../base/index.ts';
import type { Sequence } from './sequence.ts';
import { WaitingLine } from './waiting-line.ts';

function sequence(priority: number, arrival: number): Sequence {
  return { priority, arrival } as Sequence;
}

test('whoever joins and leaves, the line is in the order of service', () => {
  const anyMoves = fc.array(
    fc.record({
      kind: fc.constantFrom('join', 'join', 'leave', 'serve', 'return'),
      priority: fc.integer({ min: 0, max: 2 }),
      pick: fc.nat(),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(anyMoves, (moves) => {
      const line = new WaitingLine();
      const [inLine, served]: [Sequence[], Sequence[]] = [[], []];
      for (const [arrival, { kind, priority, pick }] of moves.entries()) {
        const first = inLine[0];
        if (kind === 'join') {
          inLine.push(sequence(priority, arrival));
          line.join(inLine.at(-1) as Sequence);
        } else if (kind === 'return') {
          const back = served.pop();
          if (back === undefined) continue;
          inLine.push(back);
          line.join(back);
        } else if (first !== undefined) {
          const at = kind === 'serve' ? 0 : pick % inLine.length;
          const [gone] = inLine.splice(at, 1) as [Sequence];
          line.leave(gone);
          served.push(gone);
        }
        inLine.sort((a, b) => a.priority - b.priority || a.arrival - b.arrival);
        expect(line.inOrder()).toEqual(inLine);
        expect(line.first()).toBe(inLine[0]);
        expect(line.size).toBe(inLine.length);
      }
    }),
  );
});

test('a long line that is served from the front keeps its order', () => {
  const line = new WaitingLine();
  for (let arrival = 0; arrival < 5_000; arrival += 1) line.join(sequence(0, arrival));
  for (let arrival = 0; arrival < 4_000; arrival += 1) line.leave(line.first() as Sequence);
  expect(line.inOrder().map(({ arrival }) => arrival)).toEqual(
    Array.from({ length: 1_000 }, (_, at) => 4_000 + at),
  );
});

test('who is not in the line cannot leave it', () => {
  const line = new WaitingLine();
  line.join(sequence(0, 1));
  expect(() => line.leave(sequence(0, 0))).toThrow(InvariantError);
});

test('newcomers wait behind the line until they are let in, and take their place in it then', () => {
  const line = new WaitingLine();
  const [late, early, gone] = [sequence(1, 0), sequence(0, 1), sequence(0, 2)];
  line.join(late);
  for (const each of [gone, early]) line.announce(each);
  line.leave(gone);
  expect([line.size, line.first()]).toEqual([2, late]);
  expect(line.inOrder()).toEqual([late, early]);
  expect([line.letNewcomersIn(), line.letNewcomersIn()]).toEqual([true, false]);
  expect(line.inOrder()).toEqual([early, late]);
});
