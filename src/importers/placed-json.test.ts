import { expect, test } from 'vitest';
import { parseJson, placeInJson } from './placed-json.ts';

test('good JSON is itself', () => {
  expect(parseJson('{"a": [1, "x"]}')).toEqual({ kind: 'json', value: { a: [1, 'x'] } });
});

test.each([
  ['{"a": foo}', 1, 7],
  ['{"a": 1', 1, 8],
  ['[\n  {"a" 1}\n]', 2, 8],
  ['{"a": 1}}', 1, 9],
  ['{"a": 1,\n "b": tru}', 2, 7],
])('%j stops being JSON at %d:%d', (text, line, column) => {
  expect(parseJson(text)).toEqual({ kind: 'invalid', place: { line, column } });
});

test('finds values by their path', () => {
  const text = '{"cdf": [[1, 0.5],\n   [2, "x"]]}';
  expect(placeInJson(text, ['cdf', 1, 1])).toEqual({ line: 2, column: 8 });
  expect(placeInJson(text, ['nothing'])).toEqual({ line: 1, column: 1 });
});
