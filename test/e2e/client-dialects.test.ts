/** Every dialect over a real connection: where it posts, with which headers, and what it reads. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createRealClock } from '../../src/base/index.ts';
import type { ClientKey } from '../../src/client/index.ts';
import { DIALECT_NAMES, DIALECTS, type Dialect, type DialectName } from '../../src/wire/index.ts';
import { DIALECT_STREAMS } from '../support/dialect-streams.ts';
import { clientFor, failureOf, requestOf } from '../support/http-client-harness.ts';

interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that answers every request with this body. */
async function serverOf(
  contentType: string,
  bytes: Uint8Array,
): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as Record<string, unknown>;
      seen.push({ url: request.url ?? '', headers: request.headers, body });
      response.writeHead(200, { 'content-type': contentType }).end(bytes);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function ask(
  name: DialectName,
  url: string,
  apiKey: ClientKey = 'k',
): Promise<Awaited<ReturnType<ReturnType<typeof clientFor>['send']>>> {
  const dialect: Dialect = DIALECTS[name];
  const clock = createRealClock();
  const client = clientFor(url, { clock, dialect, apiKey, keyHeader: dialect.keyHeader });
  const body = dialect.buildBody({
    model: 'm',
    prompt: { kind: 'text', text: 'hi' },
    maxTokens: 8,
    maxTokensField: 'max_tokens',
    exactTokens: false,
    stream: true,
    usage: 'final',
    extra: {},
  });
  try {
    return await client.send(requestOf(clock, { body }), new AbortController().signal);
  } finally {
    client.close();
  }
}

const PATHS: Readonly<Record<DialectName, string>> = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  responses: '/v1/responses',
  anthropic: '/v1/messages',
  gemini: '/v1beta/models/m:streamGenerateContent?alt=sse',
  'cohere-v1': '/v1/chat',
  'cohere-v2': '/v2/chat',
  'bedrock-converse': '/model/m/converse-stream',
  'bedrock-invoke': '/model/m/invoke-with-response-stream',
  replicate: '/v1/predictions',
  watsonx: '/v1/text/generation_stream',
  'ollama-chat': '/api/chat',
  'ollama-generate': '/api/generate',
  llamacpp: '/completion',
  tgi: '/generate_stream',
  triton: '/v2/models/m/generate_stream',
};

describe.each(DIALECT_NAMES)('%s', (name) => {
  const dialect: Dialect = DIALECTS[name];

  test('posts to its path with its key, and reads the answer', async () => {
    const [type] = dialect.mediaTypes.stream;
    const { url, seen } = await serverOf(
      `${type}; charset=utf-8`,
      DIALECT_STREAMS[name](['a', 'b']),
    );
    const result = await ask(name, url);
    expect(result.end).toEqual({ kind: 'completed' });
    const usage = name === 'replicate' ? null : { promptTokens: 7, completionTokens: 2 };
    expect(result.timeline).toMatchObject({ finishReason: 'stop', usage, notes: [] });
    const [request] = seen;
    expect(request?.url).toBe(PATHS[name]);
    const isBearer = dialect.keyHeader === 'authorization';
    expect(request?.headers[dialect.keyHeader]).toBe(isBearer ? 'Bearer k' : 'k');
    const asked = dialect.mediaTypes[dialect.follow === null ? 'stream' : 'body'];
    expect(request?.headers.accept).toBe(asked.join(', '));
    expect(request?.headers).toMatchObject(dialect.headers);
  });

  test('an answer of another media type is refused', async () => {
    const { url } = await serverOf('text/html', DIALECT_STREAMS[name](['a']));
    expect(failureOf(await ask(name, url))).toBe('contentType');
  });
});

test('gemini without alt=sse streams one JSON array, if the URL asks for that', async () => {
  const response = {
    candidates: [{ content: { parts: [{ text: 'hi' }] }, finishReason: 'STOP' }],
  };
  const { url, seen } = await serverOf('application/json', Buffer.from(JSON.stringify([response])));
  const result = await ask('gemini', `${url}/v1beta?alt=json`);
  expect(result.end).toEqual({ kind: 'completed' });
  expect(seen[0]?.url).toBe('/v1beta/models/m:streamGenerateContent?alt=json');
});

test('an Azure deployment: its path and version are the URL’s own', async () => {
  const { url, seen } = await serverOf('text/event-stream', DIALECT_STREAMS.chat(['a']));
  await ask('chat', `${url}/openai/deployments/d?api-version=2024-10-21`);
  expect(seen[0]?.url).toBe('/openai/deployments/d/chat/completions?api-version=2024-10-21');
});

test('Bedrock with AWS credentials: each request is signed, and only its signature is sent', async () => {
  const { url, seen } = await serverOf(
    'application/vnd.amazon.eventstream',
    DIALECT_STREAMS['bedrock-converse'](['a']),
  );
  const key = {
    accessKeyId: 'AKIA',
    secretAccessKey: 'nobody may see this',
    sessionToken: 'T',
    region: 'eu-west-1',
    service: 'bedrock',
  };
  expect((await ask('bedrock-converse', url, key)).end).toEqual({ kind: 'completed' });
  const { headers } = seen[0] as Seen;
  expect(headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIA\/20260101\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
  );
  expect(headers).toMatchObject({ 'x-amz-date': '20260101T000000Z', 'x-amz-security-token': 'T' });
  expect(JSON.stringify(headers)).not.toContain(key.secretAccessKey);
});
