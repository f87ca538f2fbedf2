import { expect, test } from 'vitest';
import { runSpecFromFlags } from '../config/index.ts';
import { readAwsKey } from './aws-key.ts';

const BOTH = { AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret' };
const HOST = 'https://bedrock-runtime.eu-west-1.amazonaws.com';

function read(env: Record<string, string>, url = HOST, api = 'bedrock-converse'): unknown {
  const flags = { url, api, rate: '1', maxRequests: '60' };
  const parsed = runSpecFromFlags(flags, { env, readFile: () => '' });
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return readAwsKey(parsed.spec, { env });
}

test('the credentials of the environment, for the region of the host', () => {
  const key = { accessKeyId: 'AKIA', secretAccessKey: 'secret', service: 'bedrock' };
  expect(read(BOTH)).toEqual({ ...key, sessionToken: null, region: 'eu-west-1' });
  const session = { ...BOTH, AWS_SESSION_TOKEN: 'T', AWS_REGION: 'us-gov-west-1' };
  expect(read(session, 'http://127.0.0.1:8000')).toEqual({
    ...key,
    sessionToken: 'T',
    region: 'us-gov-west-1',
  });
});

test('none for other APIs, and none where there are none', () => {
  expect(read({})).toBeNull();
  expect(read(BOTH, 'http://127.0.0.1:8000', 'chat')).toBeNull();
});

test.each([
  [{ AWS_ACCESS_KEY_ID: 'AKIA' }, HOST, /AWS_SECRET_ACCESS_KEY/],
  [{ AWS_SECRET_ACCESS_KEY: 'secret' }, HOST, /AWS_ACCESS_KEY_ID/],
  [BOTH, 'http://127.0.0.1:8000', /AWS_REGION/],
])('%j at %s: what is missing is named', (env, url, name) => {
  expect(() => read(env, url)).toThrow(name);
});
