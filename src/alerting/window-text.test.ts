import { expect, it } from 'vitest';
import { MINUTE_NS } from './burn-alert.ts';
import { windowText } from './window-text.ts';

it.each([
  [5, '5m'],
  [60, '1h'],
  [84, '1h24m'],
  [1_008, '16h48m'],
  [4_320, '3d'],
])('writes %d minutes as %s', (minutes, text) => {
  expect(windowText(minutes * MINUTE_NS)).toBe(text);
});
