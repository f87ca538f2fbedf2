import { describe, expect, it } from 'vitest';
import { draftOfTimings, draftOfUsage } from './draft-tokens.ts';
import { DIALECTS } from './dialects.ts';

describe('drafts as servers tell them', () => {
  it('are accepted and rejected prediction tokens at OpenAI', () => {
    const details = { accepted_prediction_tokens: 30, rejected_prediction_tokens: 10 };
    expect(draftOfUsage({ completion_tokens_details: details })).toEqual({
      proposedTokens: 40,
      acceptedTokens: 30,
    });
  });

  it('are not told by the zeros of an answer without a prediction', () => {
    const details = { accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 };
    expect(draftOfUsage({ completion_tokens_details: details })).toBeNull();
    expect(draftOfUsage(null)).toBeNull();
  });

  it('are timings at llama.cpp, which never took more than was proposed', () => {
    expect(draftOfTimings({ timings: { draft_n: 604, draft_n_accepted: 515 } })).toEqual({
      proposedTokens: 604,
      acceptedTokens: 515,
    });
    expect(draftOfTimings({ timings: { draft_n: 5, draft_n_accepted: 6 } })).toBeNull();
    expect(draftOfTimings({})).toBeNull();
  });

  it('come with the last chunk of a stream, in OpenAI’s form and in llama.cpp’s own', () => {
    const timings = '"timings":{"draft_n":12,"draft_n_accepted":9}';
    const streams = {
      chat: [
        '{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}',
        `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],${timings}}`,
        '[DONE]',
      ],
      llamacpp: ['{"content":"a","stop":false}', `{"content":"","stop":true,${timings}}`],
    } as const;
    for (const [name, messages] of Object.entries(streams)) {
      const reader = DIALECTS[name as keyof typeof streams].createReader({
        stream: true,
        requestedChoices: 1,
        lineBytes: 10_000,
        keepText: false,
      });
      const text = messages.map((message) => `data: ${message}\n\n`).join('');
      reader.push(Buffer.from(text), 5, 0);
      reader.end('complete');
      expect(reader.reading.draft, name).toEqual({ proposedTokens: 12, acceptedTokens: 9 });
    }
  });
});
