import { describe, expect, test } from 'vitest';
import { planAnswer } from './answer-plan.ts';
import { countTokens, tokenIds } from './count-tokens.ts';
import { DEFAULT_EMULATOR_OPTIONS, type EmulatorOptions } from './emulator-options.ts';
import {
  parseGenerationRequest,
  type GenerationApi,
  type GenerationRequest,
} from './generation-request.ts';

const OPTIONS = { ...DEFAULT_EMULATOR_OPTIONS, model: 'm', maxModelTokens: 100 };
const MESSAGES = [{ role: 'user', content: 'one two  three\n' }];

function parse(body: Record<string, unknown>, api: GenerationApi = 'chat') {
  const prompt = api === 'chat' ? { messages: MESSAGES } : { prompt: 'one two' };
  return parseGenerationRequest(api, { model: 'm', ...prompt, ...body }, OPTIONS);
}

function accepted(body: Record<string, unknown>, api?: GenerationApi): GenerationRequest {
  const parsed = parse(body, api);
  if (parsed.kind === 'refused') throw new Error(parsed.error.message);
  return parsed.value;
}

function refusal(body: Record<string, unknown>, api?: GenerationApi): [number, string | null] {
  const parsed = parse(body, api);
  if (parsed.kind === 'ok') throw new Error('accepted');
  return [parsed.error.status, parsed.error.code];
}

describe('scheduling', () => {
  test('priorities are integers, and refused where the server has no use for them', () => {
    expect(accepted({}).priority).toBe(0);
    expect(accepted({ priority: 0 }).priority).toBe(0);
    expect(refusal({ priority: 1 })).toEqual([400, null]);
    const byPriority: EmulatorOptions = { ...OPTIONS, policy: 'priority' };
    const body = (priority: unknown) => ({ model: 'm', messages: MESSAGES, priority });
    expect(parseGenerationRequest('chat', body(-3), byPriority)).toMatchObject({
      value: { priority: -3 },
    });
    expect(parseGenerationRequest('chat', body(0.5), byPriority).kind).toBe('refused');
  });

  test('a cache salt is a text', () => {
    expect(accepted({}).cacheSalt).toBeNull();
    expect(accepted({ cache_salt: 'a' }).cacheSalt).toBe('a');
    expect(refusal({ cache_salt: '' })).toEqual([400, null]);
  });
});

describe('prompts', () => {
  test('a token is a word, and a chat message costs four more', () => {
    expect(countTokens('  a b\tc\n')).toBe(3);
    expect(tokenIds('a b a')).toHaveLength(3);
    expect(accepted({}).promptTokens).toBe(7);
    expect(accepted({}, 'completions').promptTokens).toBe(2);
    const parts = [{ type: 'text', text: 'a b' }];
    const messages = [{ content: parts }, { role: 'assistant', content: null }];
    expect(accepted({ messages }).promptTokens).toBe(10);
    expect(accepted({ prompt: [[5, 6, 7]] }, 'completions').promptTokens).toBe(3);
    expect(accepted({ prompt: '' }, 'completions').promptTokens).toBe(1);
  });

  test.each([
    [{ messages: [] }, 'chat'],
    [{ messages: 'hi' }, 'chat'],
    [{ messages: [{ content: 5 }] }, 'chat'],
    [{ messages: [{ content: [{ type: 'image_url' }] }] }, 'chat'],
    [{ prompt: ['a', 'b'] }, 'completions'],
    [{ prompt: [] }, 'completions'],
    [{ prompt: 5 }, 'completions'],
  ] as const)('%j is not a prompt', (body, api) => {
    expect(refusal(body, api)).toEqual([400, null]);
  });
});

describe('limits', () => {
  test('without a limit chat fills the context and completions have 16 tokens', () => {
    expect(accepted({}).maxTokens).toBe(93);
    expect(accepted({}, 'completions').maxTokens).toBe(16);
  });

  test('the newer name of the limit wins', () => {
    expect(accepted({ max_completion_tokens: 5, max_tokens: 9 }).maxTokens).toBe(5);
  });

  test.each([
    [{ max_tokens: 0 }, 400, null],
    [{ max_tokens: 1.5 }, 400, null],
    [{ max_tokens: '5' }, 400, null],
    [{ max_tokens: 5, min_tokens: 6 }, 400, null],
    [{ max_tokens: 94 }, 400, 'context_length_exceeded'],
    [{ messages: [{ content: 'x '.repeat(200) }] }, 400, 'context_length_exceeded'],
    [{ model: 'other' }, 404, 'model_not_found'],
    [{ model: 5 }, 400, null],
    [{ n: 2 }, 400, null],
  ])('%j is refused', (body, status, code) => {
    expect(refusal(body)).toEqual([status, code]);
  });
});

test('usage in every event needs include_usage, as in vLLM', () => {
  const continuous = { continuous_usage_stats: true };
  const both = { ...continuous, include_usage: true };
  expect(accepted({ stream: true, stream_options: both }).continuousUsage).toBe(true);
  expect(accepted({ stream: true, stream_options: continuous }).continuousUsage).toBe(false);
  expect(accepted({ stream_options: both }).includeUsage).toBe(false);
});

describe('answers', () => {
  test('with ignore_eos an answer has exactly its limit', () => {
    const answer = planAnswer(accepted({ max_tokens: 37, ignore_eos: true }), 1);
    expect([answer.outputTokens, answer.finishReason]).toEqual([37, 'length']);
  });

  test('otherwise it ends by itself or at the limit, never before min_tokens', () => {
    const plans = Array.from({ length: 200 }, (_, seed) => ({
      short: planAnswer(accepted({ max_tokens: 2 }), seed),
      free: planAnswer({ ...accepted({}), maxTokens: 1e6 }, seed),
      floor: planAnswer(accepted({ max_tokens: 93, min_tokens: 93 }), seed),
    }));
    for (const { short, free, floor } of plans) {
      expect([short.outputTokens, short.finishReason]).toEqual([2, 'length']);
      expect(free.finishReason).toBe('stop');
      expect(floor.outputTokens).toBe(93);
    }
    const lengths = plans.map(({ free }) => free.outputTokens).toSorted((a, b) => a - b);
    // The median of 200 draws lies within three standard errors of 200.
    expect(lengths[100]).toBeGreaterThan(200 * Math.exp(-0.19));
    expect(lengths[100]).toBeLessThan(200 * Math.exp(0.19));
  });

  test('the same question gets the same answer, another one another', () => {
    const lengthOf = (content: string, seed: number, extra = {}) =>
      planAnswer({ ...accepted({ messages: [{ content }], ...extra }), maxTokens: 1e6 }, seed)
        .outputTokens;
    expect(lengthOf('hello', 1)).toBe(lengthOf('hello', 1));
    expect(lengthOf('hello', 1)).not.toBe(lengthOf('hello there', 1));
    expect(lengthOf('hello', 1)).not.toBe(lengthOf('hello', 2));
    expect(lengthOf('hello', 1)).not.toBe(lengthOf('hello', 1, { seed: 7 }));
  });

  test('its words count as its tokens', () => {
    const { word } = planAnswer(accepted({}), 1);
    const text = Array.from({ length: 150 }, (_, index) => word(index)).join('');
    expect(countTokens(text)).toBe(150);
  });
});
