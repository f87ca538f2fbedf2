import { expect, test } from 'vitest';
import { replicate } from '../wire/replicate.ts';
import { streamPlace } from './stream-place.ts';
import { targetOf } from './target.ts';

const follow = replicate.follow ?? { domains: [] };
const placed = (named: string, target: string): string | null => {
  const place = streamPlace(named, targetOf(target), follow);
  return place === null ? null : place.atTarget ? 'target' : place.url.host;
};

test.each([
  ['https://api.replicate.com/v1/s/1', 'target'],
  ['https://stream.replicate.com/v1/files/1', 'stream.replicate.com'],
  ['https://stream-b.svc.ric1.c.replicate.net/v1/streams/1', 'stream-b.svc.ric1.c.replicate.net'],
  ['https://STREAM.Replicate.com/', 'stream.replicate.com'],
])('%s of the service is %s', (named, place) => {
  expect(placed(named, 'https://api.replicate.com')).toBe(place);
});

test.each([
  'http://stream.replicate.com/',
  'https://replicate.com.evil.example/',
  'https://evilreplicate.com/',
  'https://user@stream.replicate.com/',
  'https://10.0.0.1/',
  'https://[::1]/',
  'file:///etc/passwd',
  '/v1/streams/1',
  '',
])('%s is another host', (named) => {
  expect(placed(named, 'https://api.replicate.com')).toBeNull();
});

test('a target elsewhere is led nowhere, to the service least of all', () => {
  const stream = 'https://stream.replicate.com/';
  for (const target of [
    'https://gateway.example',
    'http://api.replicate.com',
    'https://10.0.0.1',
  ]) {
    expect(placed(stream, target)).toBeNull();
  }
  expect(placed('http://127.0.0.1:9/s', 'http://127.0.0.1:9')).toBe('target');
  expect(placed('http://127.0.0.1:8/s', 'http://127.0.0.1:9')).toBeNull();
});
