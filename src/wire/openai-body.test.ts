import { describe, expect, test } from 'vitest';
import { ProblemsError } from '../base/index.ts';
import type { RequestIntent } from './dialect.ts';
import { openAiChat } from './openai-chat.ts';
import { openAiCompletions } from './openai-completions.ts';

const intent = (over: Partial<RequestIntent> = {}): RequestIntent => ({
  model: 'm',
  prompt: { kind: 'text', text: 'hi' },
  maxTokens: 64,
  maxTokensField: 'max_tokens',
  exactTokens: false,
  stream: true,
  usage: 'final',
  extra: {},
  ...over,
});

/** Codes of the problems, or the messages' fields when nothing is wrong. */
function problemsOf(over: Partial<RequestIntent>): readonly string[] {
  try {
    openAiChat.buildBody(intent(over));
    return [];
  } catch (error) {
    if (error instanceof ProblemsError) return error.problems.map((problem) => problem.message);
    throw error;
  }
}

describe('a request body', () => {
  test('chat: the mission document’s client, field by field', () => {
    expect(openAiChat.buildBody(intent())).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 64,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('completions take the text as it is', () => {
    const body = openAiCompletions.buildBody(intent());
    expect(body).toMatchObject({ prompt: 'hi' });
    expect(body).not.toHaveProperty('messages');
    const messages = intent({ prompt: { kind: 'messages', messages: [{ role: 'user' }] } });
    expect(() => openAiCompletions.buildBody(messages)).toThrow(ProblemsError);
  });

  test('running totals, exact lengths and the newer length field on demand', () => {
    expect(
      openAiChat.buildBody(
        intent({ usage: 'perEvent', exactTokens: true, maxTokensField: 'max_completion_tokens' }),
      ),
    ).toMatchObject({
      max_completion_tokens: 64,
      ignore_eos: true,
      min_tokens: 64,
      stream_options: { include_usage: true, continuous_usage_stats: true },
    });
  });

  test('no stream, no stream options', () => {
    const body = openAiChat.buildBody(intent({ stream: false, maxTokens: null }));
    expect(body).toMatchObject({ stream: false });
    expect(body).not.toHaveProperty('stream_options');
    expect(body).not.toHaveProperty('max_tokens');
  });

  test('extra fields are merged last', () => {
    const extra = { temperature: 0, n: 1, stream_options: { chunk_size: 1 } };
    expect(openAiChat.buildBody(intent({ extra }))).toMatchObject({
      temperature: 0,
      n: 1,
      stream_options: { include_usage: true, chunk_size: 1 },
    });
  });

  test.each([
    [{ stream: false }, 'stream'],
    [{ n: 2 }, 'n'],
    [{ max_tokens: 5 }, 'max_tokens'],
    [{ model: 'other' }, 'model'],
    [{ echo: true }, 'echo'],
    [{ stream_options: { include_usage: false } }, 'stream_options.include_usage'],
  ] as const)('%j is refused, not silently overwritten', (extra, field) => {
    const problems = problemsOf({ extra });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`body field ${field}:`);
  });

  test('all contradictions are reported together', () => {
    expect(problemsOf({ extra: { n: 2, stream: false } })).toHaveLength(2);
  });

  test('a body of the user’s own keeps its fields; a contradiction in it is refused', () => {
    const body = { messages: [], temperature: 1, max_tokens: 9 };
    const own = intent({ model: 'm', prompt: { kind: 'body', body }, maxTokens: null });
    expect(openAiChat.buildBody(own)).toEqual({
      ...body,
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(problemsOf({ prompt: { kind: 'body', body: { stream: false } } })).toHaveLength(1);
  });
});
