import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockTable } from './block-table.ts';

test('free and held blocks are all there are, and free ones are taken by age', () => {
  const anyMoves = fc.array(
    fc.record({ kind: fc.constantFrom('take', 'hold', 'letGo'), pick: fc.nat() }),
    { maxLength: 100 },
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), anyMoves, (total, moves) => {
      const table = new BlockTable(total);
      const holders = new Map<number, number>();
      let free = Array.from({ length: total }, (_, at) => at + 1);
      for (const { kind, pick } of moves) {
        const block = [...holders.keys()][pick % Math.max(1, holders.size)];
        if (kind === 'take' && free.length > 0) {
          const before = table.uses(free[0] as number);
          expect(table.take()).toBe(free[0]);
          expect(table.uses(free[0] as number)).toBe(before + 1);
          holders.set(free.shift() as number, 1);
        } else if (kind === 'hold' && block !== undefined) {
          table.hold(block);
          holders.set(block, (holders.get(block) as number) + 1);
          free = free.filter((other) => other !== block);
        } else if (kind === 'letGo' && block !== undefined && (holders.get(block) as number) > 0) {
          table.letGo(block);
          holders.set(block, (holders.get(block) as number) - 1);
          if (holders.get(block) === 0) free.push(block);
        }
        const held = [...holders.values()].filter((count) => count > 0).length;
        expect(table.freeBlocks + held).toBe(total);
        for (const [known, count] of holders) expect(table.isFree(known)).toBe(count === 0);
      }
    }),
  );
});

test('a large memory costs nothing until it is used, and then grows', () => {
  const table = new BlockTable(1e9);
  const taken = Array.from({ length: 3_000 }, () => table.take());
  expect(taken).toEqual(Array.from({ length: 3_000 }, (_, at) => at + 1));
  for (const block of taken) table.letGo(block);
  expect(table.freeBlocks).toBe(1e9);
});
