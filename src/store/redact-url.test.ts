import { expect, it } from 'vitest';
import { redactUrl } from './redact-url.ts';

it.each([
  ['http://127.0.0.1:8000/v1', 'http://127.0.0.1:8000/v1'],
  ['https://ann:pa55@api.example/v1#token', 'https://api.example/v1'],
  [
    'https://api.example/v1?api-version=2024-10-21&key=abc&sig=x&sig=y',
    'https://api.example/v1?api-version=2024-10-21&key=redacted&sig=redacted&sig=redacted',
  ],
  ['https://api.example/v1?sk-secret', 'https://api.example/v1?redacted='],
  ['ann:pa55@api.example', '(not an HTTP address)'],
  ['//', '(not an HTTP address)'],
])('shows %s as %s', (url, shown) => {
  expect(redactUrl(url)).toBe(shown);
});
