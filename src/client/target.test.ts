import { describe, expect, test } from 'vitest';
import { ProblemsError } from '../base/index.ts';
import { targetOf } from './target.ts';

describe('a base URL', () => {
  test.each([
    ['http://h:8000', '/v1', ''],
    ['http://h:8000/', '/v1', ''],
    ['http://h:8000/v1', '/v1', ''],
    ['http://h:8000/v1/', '/v1', ''],
    ['https://h/openai', '/openai/v1', '/openai'],
    ['https://h/api/v3', '/api/v3', '/api'],
    ['https://h/v1beta', '/v1beta', ''],
    ['https://h/v1/projects/p/publishers/g', '/v1/projects/p/publishers/g', ''],
    [
      'https://h/openai/deployments/d?api-version=1',
      '/openai/deployments/d',
      '/openai/deployments/d',
    ],
  ])('%s → API below %s, server below %j', (url, apiPath, rootPath) => {
    expect(targetOf(url)).toMatchObject({ apiPath, rootPath });
  });

  test('ports by scheme, IPv6 without brackets, the query kept', () => {
    expect(targetOf('https://[::1]/?team=a', 'v1beta')).toEqual({
      origin: 'https://[::1]',
      authority: '[::1]',
      host: '::1',
      port: 443,
      tls: true,
      apiPath: '/v1beta',
      rootPath: '',
      query: { team: 'a' },
    });
    expect(targetOf('http://h').port).toBe(80);
  });

  test.each(['', 'localhost:8000', 'ftp://h', 'http://user:secret@h'])('%j is refused', (url) => {
    expect(() => targetOf(url)).toThrow(ProblemsError);
  });

  test('a refused URL does not repeat its credentials', () => {
    expect(() => targetOf('http://user:secret@h')).not.toThrow(/secret/);
  });
});
