import { describe, expect, test } from 'vitest';
import { nsFromMs } from '../base/index.ts';
import { readAnswer, sse } from '../../test/support/wire-reading.ts';

const ms = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : value / 1_000_000;
const at = (atMs: number, ...events: string[]): { atMs: number; text: string } => ({
  atMs,
  text: events.join(''),
});
/** A running total beside choices, as vLLM's `continuous_usage_stats` sends it. */
const total = (completion: number): object => ({
  usage: { prompt_tokens: 10, completion_tokens: completion },
});
const R = sse.role();
const C = sse.content;
const U = sse.usage;
const D = sse.done();
const FINISH = sse.finish();

describe('bug reports, section 1: what counts as the first token', () => {
  test('vllm#3759: the role event is not output', () => {
    const { output, firstEventNs } = readAnswer([at(5, R), at(214, C('x')), at(220, FINISH, D)]);
    expect(output.atNs.map(ms)).toEqual([214]);
    expect(ms(firstEventNs)).toBe(5);
  });

  test('vllm#15106: an early role event is in no gap', () => {
    const { output } = readAnswer([at(300, R), at(1600, C('a')), at(1620, C('b')), at(1630, D)]);
    expect(output.atNs.map(ms)).toEqual([1600, 1620]);
  });

  test('guidellm#737: thinking is output of its own kind, before the answer', () => {
    const reads = [100, 2000, 4000].map((atMs) => at(atMs, sse.delta({ reasoning: 'hm' })));
    const { output } = readAnswer([...reads, at(4010, C('42')), at(4020, FINISH, D)]);
    expect(output.kind).toEqual(['reasoning', 'reasoning', 'reasoning', 'answer']);
    expect(ms(output.atNs[0])).toBe(100);
    expect(ms(output.atNs[3])).toBe(4010);
  });

  test('inference-perf#559: reasoning_content only; no answer event is invented', () => {
    const { output, failure } = readAnswer([
      at(10, sse.delta({ content: '', reasoning_content: 'a' })),
      at(20, sse.delta({ content: null, reasoning_content: 'b' })),
      at(30, FINISH, D),
    ]);
    expect(output.kind).toEqual(['reasoning', 'reasoning']);
    expect(failure).toBeNull();
  });

  test('genai-bench#44: the closing usage event does not move the first token', () => {
    const { output, usageAtNs, usage } = readAnswer([at(100, C('x')), at(900, U(1), D)]);
    expect(output.atNs.map(ms)).toEqual([100]);
    expect(ms(usageAtNs)).toBe(900);
    expect(usage?.completionTokens).toBe(1);
  });

  test('imp#754: a burst in one read shares one stamp and one read', () => {
    const burst = Array.from({ length: 250 }, () => C('x')).join('');
    const { output } = readAnswer([at(0, R), at(1699, burst, FINISH, D)]);
    expect(new Set(output.atNs.map(ms))).toEqual(new Set([1699]));
    expect(new Set(output.readId)).toEqual(new Set([1]));
  });

  test('an event with thinking and text is two output events at one stamp', () => {
    const parts = [
      { type: 'thinking', thinking: [{ type: 'text', text: '4.' }] },
      { type: 'text', text: '1' },
    ];
    const { output } = readAnswer([at(7, sse.delta({ content: parts }, total(5)), FINISH, D)]);
    expect(output.kind).toEqual(['reasoning', 'answer']);
    expect(output.atNs.map(ms)).toEqual([7, 7]);
    expect(output.readId).toEqual([0, 0]);
    expect(output.bytes).toEqual([2, 1]);
    // Five tokens came, and nobody said how many of which kind.
    expect(output.tokens).toEqual([null, null]);
  });
});

describe('bug reports, section 2: chunks are not tokens', () => {
  test('vllm#27485: several tokens in one event, told by running totals', () => {
    const { output } = readAnswer([
      at(0, sse.delta({ role: 'assistant', content: '' }, total(0))),
      at(80, C('a', total(8))),
      at(160, C('b', total(16))),
      at(240, C('c', total(24))),
      at(250, FINISH, U(24), D),
    ]);
    expect(output.tokens).toEqual([8, 8, 8]);
  });

  test('vllm#5708: a token without text counts where its text appears', () => {
    const { output, usage } = readAnswer([
      at(10, C('', total(1))),
      at(20, C('é', total(2))),
      at(30, C('x', total(3)), FINISH, D),
    ]);
    expect(output.atNs.map(ms)).toEqual([20, 30]);
    expect(output.tokens).toEqual([2, 1]);
    expect(usage?.completionTokens).toBe(3);
  });

  test('usage beside the last choice is not the step of that event', () => {
    const { output, usage } = readAnswer([
      at(10, C('14')),
      at(20, sse.delta({ content: '4' }, total(66), { finish_reason: 'stop' }), D),
    ]);
    expect(output.tokens).toEqual([null, null]);
    expect(usage?.completionTokens).toBe(66);
  });

  test('totals that stay at zero tell nothing about an event', () => {
    const { output } = readAnswer([at(1, C('a', total(0))), at(2, C('b', total(0)), FINISH, D)]);
    expect(output.tokens).toEqual([null, null]);
  });

  test('sglang#24254: usage in an event with empty text is read', () => {
    const text = sse.json({ choices: [{ index: 0, text: '' }], usage: { completion_tokens: 5 } });
    const first = sse.json({ choices: [{ index: 0, text: 'hello' }] });
    const { usage, output } = readAnswer([at(1, first), at(2, text, D)], {
      dialect: 'completions',
    });
    expect(usage).toEqual({
      promptTokens: null,
      completionTokens: 5,
      reasoningTokens: null,
      cachedPromptTokens: null,
    });
    expect(output.bytes).toEqual([5]);
  });

  test('sglang#36272 and codex-router#145: tool calls only are output, but no answer', () => {
    const call = (args: string): string =>
      sse.delta({ tool_calls: [{ index: 0, function: { arguments: args } }] });
    const { output, usage, failure, finishReason, text } = readAnswer([
      at(10, call('{"a":')),
      at(20, call('1}'), call(''), sse.finish('tool_calls'), U(6400), D),
    ]);
    expect(output.kind).toEqual(['toolCall', 'toolCall']);
    expect(output.bytes).toEqual([5, 2]);
    expect(usage?.completionTokens).toBe(6400);
    expect(finishReason).toBe('toolCalls');
    expect(failure).toBeNull();
    expect(text).toBe('');
  });

  test('axonhub#2270: reasoning tokens are inside the completion', () => {
    const usage = {
      prompt_tokens: 5,
      completion_tokens: 100,
      prompt_tokens_details: { cached_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 60 },
    };
    expect(readAnswer([at(1, C('x'), sse.json({ choices: [], usage }), D)]).usage).toEqual({
      promptTokens: 5,
      completionTokens: 100,
      reasoningTokens: 60,
      cachedPromptTokens: 3,
    });
  });

  test('inference-perf#150: one JSON body gives usage and the kind of the content', () => {
    const body = {
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    };
    const text = JSON.stringify(body);
    const reading = readAnswer([at(10, text.slice(0, 20)), at(30, text.slice(20))], {
      stream: false,
    });
    expect(reading).toMatchObject({ failure: null, finishReason: 'stop', terminalNs: null });
    expect(reading.usage?.completionTokens).toBe(2);
    expect(reading.output.kind).toEqual(['answer']);
    expect(reading.output.atNs.map(ms)).toEqual([30]);
    expect(reading.text).toBe('hi');
  });
});

describe('bug reports, section 3: success and failure', () => {
  test('vllm#54708: usage without any choices is an empty answer', () => {
    expect(readAnswer([at(1, FINISH, U(5), D)]).failure).toBe('empty');
    expect(readAnswer([at(1, U(5), D)]).failure).toBe('empty');
  });

  test('litellm#40260 and #39748: a body that stops without finish reason is truncated', () => {
    const reading = readAnswer([at(1, C('a')), at(2, C('b'))]);
    expect(reading.failure).toBe('truncated');
    expect(reading.output.atNs).toHaveLength(2);
    expect(readAnswer([at(1, C('a'))], { end: 'cut' }).failure).toBe('truncated');
  });

  test('no [DONE] after a finish reason is a note; [DONE] without one as well', () => {
    const noDone = readAnswer([at(1, C('a'), FINISH)]);
    expect(noDone).toMatchObject({ failure: null, terminalNs: null, notes: ['noTerminal'] });
    const noFinish = readAnswer([at(1, C('a'), D)]);
    expect(noFinish).toMatchObject({
      failure: null,
      finishReason: null,
      notes: ['noFinishReason'],
    });
  });

  test('pi#1524: a reset after the end mark, or after the finish reason, is a note', () => {
    const after = readAnswer([at(1, C('a'), FINISH, D)], { end: 'cut' });
    expect(after).toMatchObject({ failure: null, notes: ['resetAfterTerminal'] });
    const before = readAnswer([at(1, C('a'), FINISH)], { end: 'cut' });
    expect(before).toMatchObject({ failure: null, notes: ['resetAfterFinish'] });
  });

  test('openai 6.49.0: the event name decides that it is an error', () => {
    const text = 'event: error\ndata: {"message":"x","code":"overloaded"}\n\n';
    const reading = readAnswer([at(1, C('a')), at(2, text)], { end: 'open' });
    expect(reading.failure).toBe('serverError');
    expect(reading.error?.code).toBe('overloaded');
  });

  test('nativ#195: an error may be a text or an object', () => {
    expect(readAnswer([at(1, 'data: {"error":"boom"}\n\n')]).failure).toBe('serverError');
    const object = sse.json({
      error: { message: 'Rate limit reached', code: 429, type: 'tokens' },
    });
    expect(readAnswer([at(1, C('a'), object)]).error).toEqual({
      httpStatus: null,
      code: '429',
      type: 'tokens',
      retryAfterNs: null,
      evidence: ['rateLimit'],
    });
    expect(readAnswer([at(1, sse.json({ error: null }), C('a'), FINISH, D)]).failure).toBeNull();
  });

  test('eca#559: an error settles the answer while the socket stays open', () => {
    const reads = [at(1, C('a')), at(2, sse.json({ error: { message: 'x' } }))];
    expect(readAnswer(reads, { end: 'open' }).failure).toBe('serverError');
  });

  test('an error after the end mark changes nothing', () => {
    const text = sse.json({ error: { message: 'late' } });
    expect(readAnswer([at(1, C('a'), FINISH, D, text), at(2, text)]).failure).toBeNull();
  });

  test('lemonade#2826: an error body without framing, or a clean 200 with no event', () => {
    const pretty = JSON.stringify({ error: { message: 'no', code: 'gone' } }, null, 2);
    for (const text of [pretty, `${pretty}\n`, '{"error":"boom"}', '{"error":"boom"}\n']) {
      expect(readAnswer([at(1, text)]).failure).toBe('serverError');
    }
    const later = readAnswer([at(1, C('a')), at(2, pretty)]);
    expect(later.failure).toBe('serverError');
    expect(later.error?.code).toBe('gone');
    expect(readAnswer([at(1, '')]).failure).toBe('truncated');
  });

  test('gpustack: an error field is unknown to the standard, so the stream just stops', () => {
    const reading = readAnswer([at(1, C('a')), at(2, 'error: {"message":"x"}\n\n')]);
    expect(reading.failure).toBe('truncated');
    expect(reading.notes).toContain('unknownFields');
  });

  test('rig#613: [DONE] is not JSON; other text in data is a failure', () => {
    expect(readAnswer([at(1, C('a'), FINISH, 'data:  [DONE] \n\n')]).failure).toBeNull();
    expect(readAnswer([at(1, C('a'), 'data: done\n\n')]).failure).toBe('json');
    expect(readAnswer([at(1, 'data: 5\n\n')]).failure).toBe('json');
    expect(readAnswer([at(1, 'data: {"a":1}\ndata: {"b":2}\n\n')]).failure).toBe('json');
  });

  test('a finish reason of error is the server failing', () => {
    expect(readAnswer([at(1, C('a'), sse.finish('error'), D)]).failure).toBe('serverError');
  });

  test('unterminated last event: noted, not delivered', () => {
    const reading = readAnswer([at(1, C('a'), FINISH, 'data: [DONE]\n')]);
    expect(reading.terminalNs).toBeNull();
    expect(reading.notes).toEqual(['unterminatedEvent', 'noTerminal']);
  });

  test('invalid UTF-8 and a line over its budget fail by name', () => {
    const bad = new Uint8Array([...Buffer.from('data: '), 0xff, 10, 10]);
    expect(readAnswer([{ atMs: 1, text: bad }]).failure).toBe('utf8');
    expect(readAnswer([at(1, `data: ${'x'.repeat(50)}`)], { lineBytes: 40 }).failure).toBe(
      'lineLimit',
    );
  });
});

describe('bug reports, section 5: usage, choices, tool calls', () => {
  test('semantic-kernel#9751: usage with empty choices is read', () => {
    const { usage, lastChoicesEventNs, usageAtNs } = readAnswer([
      at(1, C('a')),
      at(2, FINISH),
      at(3, U(7), D),
    ]);
    expect(usage?.completionTokens).toBe(7);
    expect(ms(lastChoicesEventNs)).toBe(2);
    expect(ms(usageAtNs)).toBe(3);
  });

  test('langfuse#2833: empty or missing choices do not crash', () => {
    const first = sse.json({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] });
    const odd = sse.json({ choices: null }) + sse.json({ object: 'chunk' });
    expect(readAnswer([at(1, first, odd, C('a'), FINISH, D)]).failure).toBeNull();
  });

  test('open-webui#29064: running totals are not added up', () => {
    const { usage } = readAnswer([
      at(1, C('a', total(1))),
      at(2, C('b', total(2))),
      at(3, C('c', total(3)), FINISH, U(3), U(3), D),
    ]);
    expect(usage?.completionTokens).toBe(3);
  });

  test('vllm-swift#19: no usage is unknown, not zero', () => {
    expect(readAnswer([at(1, C('a'), FINISH, D)]).usage).toBeNull();
    const none = sse.finish('stop', { usage: null });
    expect(readAnswer([at(1, C('a'), none, D)]).usage).toBeNull();
  });

  test('litellm#3276: a second choice is refused, whether asked for or not', () => {
    const second = sse.json({ choices: [{ index: 1, delta: { content: 'b' } }] });
    expect(readAnswer([at(1, C('a'), second)], { requestedChoices: 2 }).failure).toBe(
      'multipleChoices',
    );
    expect(readAnswer([at(1, C('a'), second, C('a'))]).failure).toBe('multipleChoices');
    const both = sse.json({ choices: [{ index: 0 }, { index: 1 }] });
    expect(readAnswer([at(1, both)]).failure).toBe('multipleChoices');
  });

  test('text-generation-inference#1648: an index that counts tokens is one answer', () => {
    const token = (index: number): string =>
      sse.json({ choices: [{ index, delta: { content: 'x' }, finish_reason: null }] });
    const reading = readAnswer([at(1, token(0), token(1), token(2), D)]);
    expect(reading.failure).toBeNull();
    expect(reading.notes).toContain('choiceIndexCounts');
    expect(reading.output.atNs).toHaveLength(3);
  });

  test('one usage event per choice is summed, one for all is not', () => {
    const choice = (index: number, content: string | null, reason: string | null): string =>
      sse.json({ choices: [{ index, delta: { content }, finish_reason: reason }] });
    const two = { requestedChoices: 2 };
    const perChoice = [choice(0, 'a', null), choice(1, 'b', null), choice(0, null, 'stop'), U(8)];
    const rest = [choice(1, null, 'stop'), U(8), D];
    const summed = readAnswer([at(1, ...perChoice, ...rest)], two).usage;
    expect(summed).toMatchObject({ promptTokens: 10, completionTokens: 16 });
    const forAll = [choice(0, null, 'stop'), choice(1, null, 'stop'), U(4), D];
    expect(readAnswer([at(1, ...forAll)], two).usage?.completionTokens).toBe(4);
  });
});

test('queue time is read where the server tells it', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, queue_time: 0.224 };
  const { queueNs } = readAnswer([at(1, C('a'), sse.finish('stop', { x_groq: { usage } }), D)]);
  expect(queueNs).toBe(nsFromMs(224));
});

test('refusals are their own kind, and old function calls are tool calls', () => {
  const { output } = readAnswer([
    at(1, sse.delta({ content: '', refusal: "I'm" })),
    at(2, sse.delta({ function_call: { name: 'f', arguments: '{}' } }), FINISH, D),
  ]);
  expect(output.kind).toEqual(['refusal', 'toolCall']);
  expect(output.bytes).toEqual([3, 3]);
});

test('text beside delta.content is the same text once', () => {
  const chunk = sse.json({ choices: [{ index: 0, text: '1', delta: { content: '1' } }] });
  expect(readAnswer([at(1, chunk, FINISH, D)]).text).toBe('1');
});

test('a body that is no JSON object, is cut, or announces an error', () => {
  const body = (text: string, end: 'complete' | 'cut' = 'complete'): string | null =>
    readAnswer([at(1, text)], { stream: false, end }).failure;
  expect(body('<html>')).toBe('json');
  expect(body('')).toBe('empty');
  expect(body('{"choices":[]}')).toBe('empty');
  expect(body('{"choices":[', 'cut')).toBe('truncated');
  expect(body('{"error":{"message":"x"}}')).toBe('serverError');
});
