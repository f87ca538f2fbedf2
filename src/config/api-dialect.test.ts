import { describe, expect, test } from 'vitest';
import { runSpecFromFlags, type FlagValues, type RunSpec } from './index.ts';

const ENV = {
  OPENAI_API_KEY: 'sk-openai',
  ANTHROPIC_API_KEY: 'sk-anthropic',
  GEMINI_API_KEY: 'g',
  AWS_BEARER_TOKEN_BEDROCK: 'b',
};
const BASE = { url: 'http://127.0.0.1:8000', rate: '1' };

function read(flags: FlagValues, env: Record<string, string> = ENV): RunSpec['target'] {
  const parsed = runSpecFromFlags({ ...BASE, ...flags }, { env, readFile: () => '' });
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.spec.target;
}

describe('the key follows the API', () => {
  test.each([
    ['chat', 'OPENAI_API_KEY', 'authorization'],
    ['responses', 'OPENAI_API_KEY', 'authorization'],
    ['anthropic', 'ANTHROPIC_API_KEY', 'x-api-key'],
    ['gemini', 'GEMINI_API_KEY', 'x-goog-api-key'],
    ['bedrock-converse', 'AWS_BEARER_TOKEN_BEDROCK', 'authorization'],
  ])('%s: %s in %s', (api, variable, header) => {
    expect(read({ api })).toMatchObject({ apiKeyEnv: variable, apiKeyHeader: header });
  });

  test('a key of one service is never sent to another by default', () => {
    const env = { OPENAI_API_KEY: 'sk-openai' };
    for (const api of ['anthropic', 'gemini', 'cohere-v2', 'watsonx', 'ollama-chat', 'tgi']) {
      expect(read({ api }, env).apiKeyEnv, api).toBeNull();
    }
  });

  test('what is said wins', () => {
    const flags = { api: 'anthropic', keyEnv: 'MINE', keyHeader: 'Authorization' };
    expect(read(flags)).toMatchObject({ apiKeyEnv: 'MINE', apiKeyHeader: 'authorization' });
  });
});

test('exact lengths are refused where the API has no way to ask for them', () => {
  expect(read({ api: 'watsonx', exact: true }).exactOutput).toBe(true);
  expect(() => read({ api: 'anthropic', exact: true })).toThrow(
    /--exact is nothing the anthropic API can be asked for/,
  );
});

test('a URL that ends in an endpoint is no base URL, whichever API it is of', () => {
  for (const path of ['v1/messages', 'v1/responses', 'v1beta/models/m:streamGenerateContent']) {
    expect(() => read({ url: `http://127.0.0.1:8000/${path}` })).toThrow(/is not a base URL/);
  }
});

test('an unknown API is refused with the nearest name', () => {
  expect(() => read({ api: 'anthropik' })).toThrow(/did you mean anthropic\?/);
});
