/** A chat server that counts with a real tokenizer, as a model's server does. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openTokenizer } from '../../src/tokenizers/index.ts';

/** Tokens that its chat template puts around a prompt. */
export const TEMPLATE_TOKENS = 7;

export interface TokenizingServer {
  readonly url: string;
  /** Prompts in order of arrival. */
  readonly prompts: readonly string[];
  close(): void;
}

export interface ServedAnswer {
  readonly reasoning?: string;
  readonly answer: string;
  /** Arguments of one call. */
  readonly toolCall?: string;
}

/**
 * Streams the same answer to everybody, piece by piece. Where it tells usage, that is by
 * `vocabulary`: prompt and template, and the answer with its end token.
 */
export async function startTokenizingServer(options: {
  readonly vocabulary: string;
  readonly answer: ServedAnswer;
  readonly tellsUsage: boolean;
}): Promise<TokenizingServer> {
  const { vocabulary, answer, tellsUsage } = options;
  const tokenizer = await openTokenizer({ kind: 'gpt', vocabulary }, () => '');
  const prompts: string[] = [];
  const texts = [answer.reasoning ?? '', answer.answer, answer.toolCall ?? ''];
  const outputTokens = texts.reduce((sum, text) => sum + tokenizer.count(text), 1);
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url !== '/v1/chat/completions') {
        response.writeHead(request.url === '/v1/models' ? 200 : 404);
        response.end(JSON.stringify({ data: [{ id: 'm', owned_by: 'test' }] }));
        return;
      }
      const body = JSON.parse(await bodyOf(request)) as {
        readonly messages: readonly { readonly content: string }[];
      };
      const prompt = body.messages.map(({ content }) => content).join('');
      prompts.push(prompt);
      const usage = {
        prompt_tokens: tokenizer.count(prompt) + TEMPLATE_TOKENS,
        completion_tokens: outputTokens,
      };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (data: object | string): void => {
        response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
      };
      for (const delta of deltasOf(answer)) {
        send({ choices: [{ index: 0, delta, finish_reason: null }] });
        // The next piece is another read, so that a pace can be seen.
        // eslint-disable-next-line no-await-in-loop
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
      send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
      if (tellsUsage) send({ choices: [], usage });
      send('[DONE]');
      response.end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    prompts,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Pieces of eight characters, whatever words they cut. */
function deltasOf({ reasoning = '', answer, toolCall = '' }: ServedAnswer): object[] {
  const pieces = (text: string): string[] => text.match(/[\s\S]{1,8}/gu) ?? [];
  return [
    ...pieces(reasoning).map((text) => ({ reasoning_content: text })),
    ...pieces(answer).map((content) => ({ content })),
    ...pieces(toolCall).map((text) => ({
      tool_calls: [{ index: 0, function: { arguments: text } }],
    })),
  ];
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
