import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { PlaceSet } from './place-set.ts';

test('holds what a set of numbers would', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 40 })), (places) => {
      const set = new PlaceSet(41);
      for (const place of places) set.add(place);
      const known = new Set(places);
      expect(set.size).toBe(known.size);
      for (let place = 0; place < 41; place += 1) expect(set.has(place)).toBe(known.has(place));
    }),
  );
});
