import { describe, expect, it } from 'vitest';
import { Secrets } from './secrets.ts';

const secrets = new Secrets({
  apiKey: 'sk-4711',
  headers: { 'x-team': 'team-of-four', 'x-flag': '1' },
});

describe('what was sent in confidence', () => {
  it('is taken out of a text, however often, and nothing else is', () => {
    expect(secrets.hideIn('Bearer sk-4711, sk-4711 of team-of-four, 1 of 1')).toBe(
      'Bearer [hidden], [hidden] of [hidden], 1 of 1',
    );
    expect(new Secrets({ apiKey: null, headers: {} }).hideIn('as it was')).toBe('as it was');
  });

  it('is each part of a key that signs', () => {
    const apiKey = {
      accessKeyId: 'AKIA1',
      secretAccessKey: 's3cr3t',
      sessionToken: 'T0ken',
      region: 'eu-west-1',
      service: 'bedrock',
    };
    const told = 'AKIA1 s3cr3t T0ken of bedrock in eu-west-1';
    const shown = '[hidden] [hidden] [hidden] of bedrock in eu-west-1';
    expect(new Secrets({ apiKey, headers: {} }).hideIn(told)).toBe(shown);
  });

  it('is taken out of a reply: its text, what was read of it, its headers', () => {
    const text = '{"data":[{"id":"m","owned_by":"Bearer sk-4711"}]}';
    const reply = secrets.hideInReply({
      httpStatus: 200,
      headers: { server: 'echo sk-4711', via: ['a', 'sk-4711'] },
      text,
      json: JSON.parse(text) as unknown,
    });
    expect(JSON.stringify(reply)).not.toContain('sk-4711');
    expect(reply.json).toEqual({ data: [{ id: 'm', owned_by: 'Bearer [hidden]' }] });
  });

  it('is found where JSON escapes it', () => {
    const odd = new Secrets({ apiKey: 'a/b', headers: { 'x-team': 'of "four" here' } });
    const text = '{"key":"a\\/b","same":"a/b","team":"of \\"four\\" here"}';
    const { json } = odd.hideInReply({
      httpStatus: 200,
      headers: {},
      text,
      json: JSON.parse(text),
    });
    expect(json).toEqual({ key: '[hidden]', same: '[hidden]', team: '[hidden]' });
  });

  it('drops an error’s word that is one, and keeps the others', () => {
    const error = {
      httpStatus: 401,
      code: 'sk-4711',
      type: 'invalid_key',
      retryAfterNs: null,
      evidence: [],
    };
    const end = secrets.hideInEnd({ kind: 'failed', failure: 'httpStatus', error });
    expect(end).toMatchObject({ error: { code: null, type: 'invalid_key' } });
    expect(secrets.hideInEnd({ kind: 'completed' })).toEqual({ kind: 'completed' });
  });
});
