import { describe, expect, it } from 'vitest';
import { type Asked, computingRefusal, refusalOf } from './guard.ts';

const fair: Asked = { method: 'GET', host: '127.0.0.1:8080', site: 'same-origin', token: 'secret' };
const ask = (change: Partial<Asked>): Asked => ({ ...fair, ...change });

describe('who is answered', () => {
  it.each(['127.0.0.1:8080', 'localhost:8080', 'LocalHost:8080'])('one who asks %s', (host) => {
    expect(refusalOf(ask({ host }), 8080)).toBeNull();
  });

  it.each([
    null,
    '',
    '127.0.0.1',
    '127.0.0.1:80',
    'evil.example:8080',
    'localhost:8080.evil.example',
    '127.0.0.1:8080@evil',
    '0.0.0.0:8080',
  ])('not one who asks %s: a name may be rebound to this machine', (host) => {
    expect(refusalOf(ask({ host }), 8080)?.status).toBe(421);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'CONNECT', ''])('no %s', (method) => {
    expect(refusalOf(ask({ method }), 8080)?.status).toBe(405);
  });
});

describe('who may have something computed', () => {
  it('a page of ours, and a program that knows the token', () => {
    expect(computingRefusal(fair, 'secret')).toBeNull();
    expect(computingRefusal(ask({ site: null }), 'secret')).toBeNull();
  });

  it.each([
    ['another origin', { site: 'cross-site' }],
    ['another port of this machine', { site: 'same-site' }],
    ['an address typed by hand', { site: 'none' }],
    ['no token', { token: null }],
    ['an empty token', { token: '' }],
    ['a guess of the same length', { token: 'secreT' }],
    ['half of it', { token: 'sec' }],
  ])('not %s', (_, change) => {
    expect(computingRefusal(ask(change), 'secret')?.status).toBe(403);
  });
});
