import { describe, expect, test } from 'vitest';
import { serverErrorOf } from './server-error.ts';

const context = { httpStatus: 429, retryAfterNs: null };
const evidenceOf = (body: string): readonly string[] => serverErrorOf(body, context).evidence;

describe('evidence of a published limit', () => {
  test('OpenAI: quota used up', () => {
    const body = JSON.stringify({
      error: {
        message: 'You exceeded your current quota, please check your plan and billing details.',
        type: 'insufficient_quota',
        param: null,
        code: 'insufficient_quota',
      },
    });
    expect(serverErrorOf(body, { httpStatus: 429, retryAfterNs: 5 })).toEqual({
      httpStatus: 429,
      code: 'insufficient_quota',
      type: 'insufficient_quota',
      retryAfterNs: 5,
      evidence: ['quota'],
    });
  });

  test('rate limits by name, by unit and by code', () => {
    expect(evidenceOf('{"error":{"message":"Rate limit reached for m"}}')).toEqual(['rateLimit']);
    expect(evidenceOf('{"error":{"message":"20000 tokens per min exceeded"}}')).toEqual([
      'rateLimit',
    ]);
    expect(evidenceOf('{"error":{"code":"rate_limit_exceeded"}}')).toEqual(['rateLimit']);
  });

  test('context length as OpenAI and vLLM say it', () => {
    const openAi = "This model's maximum context length is 4096 tokens.";
    expect(evidenceOf(JSON.stringify({ error: { message: openAi } }))).toEqual(['contextLength']);
    const vllm = { object: 'error', message: 'prompt is longer than the maximum model length' };
    expect(evidenceOf(JSON.stringify(vllm))).toEqual(['contextLength']);
  });

  test('overload is no evidence: the name of status 429, an HTML page, an empty body', () => {
    expect(evidenceOf('Too Many Requests')).toEqual([]);
    expect(evidenceOf('<html><h1>503 Service Temporarily Unavailable</h1></html>')).toEqual([]);
    expect(evidenceOf('{"error":{"message":"Server is overloaded"}}')).toEqual([]);
    expect(evidenceOf('')).toEqual([]);
  });

  test('a prompt quoted in the error is not searched', () => {
    const body = { detail: [{ type: 'missing', msg: 'Field required', input: 'my quota' }] };
    expect(evidenceOf(JSON.stringify(body))).toEqual([]);
  });
});

test('only machine words are kept: no free text, no controls', () => {
  const error = serverErrorOf(
    { code: 'what went wrong: your prompt', type: 'a\u001b[31m', message: 'secret' },
    context,
  );
  expect(error).toEqual({ ...context, code: null, type: null, evidence: [] });
});

test('a numeric code and a gRPC status are machine words too', () => {
  const error = serverErrorOf({ error: { code: 8, status: 'RESOURCE_EXHAUSTED' } }, context);
  expect(error).toMatchObject({ code: '8', type: 'RESOURCE_EXHAUSTED' });
});

test('an error nested without end is read to a fixed depth', () => {
  const deep = `${'{"error":'.repeat(5_000)}"quota"${'}'.repeat(5_000)}`;
  expect(evidenceOf(deep)).toEqual([]);
});
