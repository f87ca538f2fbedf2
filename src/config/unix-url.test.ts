import { expect, test } from 'vitest';
import { runSpecFromFlags, type FlagValues } from './index.ts';

const URL_FLAG = 'http+unix://%2Frun%2Fllm.sock/v1';

function read(flags: FlagValues): ReturnType<typeof runSpecFromFlags> {
  const all = { url: URL_FLAG, rate: '1', ...flags };
  return runSpecFromFlags(all, { env: {}, readFile: () => '' });
}

test.each([
  [URL_FLAG, '/run/llm.sock', 'http://localhost/v1'],
  ['http+unix://%2frun%2Fllm.sock', '/run/llm.sock', 'http://localhost'],
  [
    'HTTP+UNIX://%2Frun%2Fa%20b%25.sock?api-version=1',
    '/run/a b%.sock',
    'http://localhost?api-version=1',
  ],
  ['https+unix://%2Frun%2Fllm.sock/api', '/run/llm.sock', 'https://localhost/api'],
])('%s', (url, unixSocket, behind) => {
  expect(read({ url })).toMatchObject({ spec: { target: { url: behind, unixSocket } } });
});

test.each([
  ['http+unix:///run/llm.sock/v1', /absolute path/],
  ['http+unix://run/llm.sock', /absolute path/],
  ['http+unix://', /absolute path/],
  ['http+unix://%2F', /absolute path/],
  ['http+unix://%2Frun%2', /absolute path/],
  ['http+unix://%2Frun%00', /absolute path/],
  ['http+unix://user:secret@%2Frun', /absolute path/],
  ['http+unix://%2Frun%2Fllm.sock/v1/chat/completions', /not a base URL/],
  ['http+unix://%2Frun%2Fllm.sock?api_key=secret', /credential/],
  ['ftp+unix://%2Frun', /not an http or https URL/],
])('%s is refused', (url, why) => {
  const parsed = read({ url });
  const problems = 'problems' in parsed ? parsed.problems : [];
  expect(problems.map(({ message }) => message)).toEqual([expect.stringMatching(why)]);
  expect(JSON.stringify(problems)).not.toContain('secret');
});

test('two sockets, a proxy, and TLS that there is none of', () => {
  for (const flags of [
    { unixSocket: '/run/b.sock' },
    { proxy: 'http://127.0.0.1:3128' },
    { http2: true },
  ]) {
    expect(read(flags), JSON.stringify(flags)).toHaveProperty('problems');
  }
  expect(read({ proxy: 'http+unix://%2Frun%2Fp.sock', url: 'http://127.0.0.1:1' })).toHaveProperty(
    'problems',
  );
});
