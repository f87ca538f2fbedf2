import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { chainBlockIds } from './chain-block-ids.ts';

test('ids are equal exactly as far as the tokens are', () => {
  const anyTokens = fc.array(fc.constantFrom('a', 'b', 'a b'), { maxLength: 12 });
  fc.assert(
    fc.property(anyTokens, anyTokens, fc.integer({ min: 1, max: 4 }), (one, other, blockTokens) => {
      const [ids, otherIds] = [one, other].map((tokens) => chainBlockIds(tokens, blockTokens));
      expect(ids).toHaveLength(Math.floor(one.length / blockTokens));
      for (const [at, id] of (ids ?? []).entries()) {
        const end = (at + 1) * blockTokens;
        const isEqual = JSON.stringify(one.slice(0, end)) === JSON.stringify(other.slice(0, end));
        expect(otherIds?.[at] === id).toBe(isEqual);
      }
    }),
  );
});
