import { describe, expect, test } from 'vitest';
import { DIALECTS } from '../wire/index.ts';
import { headerProblems, requestHeaders } from './request-head.ts';

const request = {
  requestId: 'r-1',
  body: {},
  headers: {},
  streamed: true,
  deadlineNs: 0,
  traceId: null,
};

const BEARER = { keyHeader: 'authorization', dialect: DIALECTS.chat };

describe('request headers', () => {
  test('the key is a Bearer token, or bare in a header of another name', () => {
    const bearer = requestHeaders({ ...BEARER, apiKey: 'k', headers: {} }, request);
    expect(bearer['authorization']).toBe('Bearer k');
    const bare = requestHeaders(
      { ...BEARER, keyHeader: 'api-key', apiKey: 'k', headers: {} },
      request,
    );
    expect(bare['api-key']).toBe('k');
    expect(bare).not.toHaveProperty('authorization');
  });

  test('ours, then the user’s, then the request’s own, whatever their case', () => {
    const options = { ...BEARER, apiKey: 'k', headers: { Accept: 'text/plain', 'X-Team': 'a' } };
    const own = { ...request, headers: { 'x-team': 'b', Authorization: 'Basic x' } };
    expect(requestHeaders(options, own)).toEqual({
      accept: 'text/plain',
      'accept-encoding': 'identity',
      authorization: 'Basic x',
      'content-type': 'application/json',
      'user-agent': 'goodput',
      'x-request-id': 'r-1',
      'x-team': 'b',
    });
  });

  test('what an API demands, and the form of answer it streams', () => {
    const options = { keyHeader: 'x-api-key', apiKey: 'k', headers: {} };
    const anthropic = requestHeaders({ ...options, dialect: DIALECTS.anthropic }, request);
    expect(anthropic).toMatchObject({ 'anthropic-version': '2023-06-01', 'x-api-key': 'k' });
    const bedrock = requestHeaders({ ...options, dialect: DIALECTS['bedrock-converse'] }, request);
    expect(bedrock['accept']).toBe('application/vnd.amazon.eventstream');
  });

  test('a trace id becomes a W3C traceparent', () => {
    const traced = { ...request, traceId: '0af7651916cd43dd8448eb211c80319c' };
    expect(requestHeaders({ ...BEARER, apiKey: null, headers: {} }, traced)['traceparent']).toMatch(
      /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/,
    );
  });

  test.each(['accessKeyId', 'sessionToken', 'region'])('of a key that signs, %s', (part) => {
    const aws = {
      accessKeyId: 'AKIA1',
      secretAccessKey: 's\n',
      sessionToken: null,
      region: 'eu-west-1',
      service: 'bedrock',
    };
    expect(headerProblems({ ...BEARER, apiKey: aws, headers: {} })).toEqual([]);
    const broken = { ...aws, [part]: 'a\r\nb' };
    expect(headerProblems({ ...BEARER, apiKey: broken, headers: {} })).toHaveLength(1);
  });

  test('what cannot be sent is found early, without repeating the secret', () => {
    const options = {
      ...BEARER,
      apiKey: 'sk-secret\n',
      headers: { 'bad name': 'x', good: 'line\nend' },
    };
    const problems = headerProblems(options);
    expect(problems).toHaveLength(3);
    expect(JSON.stringify(problems)).not.toContain('secret');
    expect(headerProblems({ ...BEARER, apiKey: 'sk-1', headers: { 'x-a': 'b' } })).toEqual([]);
  });
});
