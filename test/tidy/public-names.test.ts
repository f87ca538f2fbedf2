/** Growth of the library's surface shows in review. */
import { expect, it } from 'vitest';
import * as library from '../../src/index.ts';

it('exports these values and no others', () => {
  expect(Object.keys(library).toSorted()).toMatchSnapshot();
});
