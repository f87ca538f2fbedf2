import { expect, test } from 'vitest';
import { parseDeviceSheet } from './device-sheet.ts';

const SHEET = `name: card
memoryBytes: 96e9
memoryBytesPerSecond: 1.597e12
flopPerSecond: 504e12
linkBytesPerSecond: 64e9
`;

function problems(text: string): string[] {
  const result = parseDeviceSheet(text, { file: 'card.yaml' });
  if (result.kind !== 'problems') throw new Error('it was read');
  return result.problems.map(
    ({ code, place, message }) => `${code} ${place?.line}:${place?.column} ${message}`,
  );
}

test('a sheet is read', () => {
  const result = parseDeviceSheet(SHEET, { file: 'card.yaml' });
  expect(result).toMatchObject({
    kind: 'imported',
    value: { name: 'card', memoryBytesPerSecond: 1.597e12, flopPerSecond: 504e12 },
  });
});

test('mistakes are told together, each at its place', () => {
  const wrong = SHEET.replace('96e9', '-1').replace('flopPerSecond', 'flopsPerSecond');
  expect(problems(wrong)).toEqual([
    'E_CONFIG_MISSING_KEY 1:1 flopPerSecond is missing',
    'E_CONFIG_VALUE 2:14 memoryBytes is not a number above 0',
    expect.stringMatching(/^E_CONFIG_UNKNOWN_KEY 4:\d+ there is no key flopsPerSecond/),
  ]);
});

test('what is no mapping, or no YAML', () => {
  expect(problems('just words')).toEqual(['E_CONFIG_SYNTAX 1:1 not a mapping of keys']);
  expect(problems('a: [1')[0]).toMatch(/^E_CONFIG_SYNTAX/);
});
