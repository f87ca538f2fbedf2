import { expect, test } from 'vitest';
import { requestIntent } from './request-intent.ts';

const TALK = {
  tokens: 'usage',
  oneTokenPerEvent: false,
  exactOutput: false,
  local: null,
  model: 'm',
  maxTokensField: 'max_tokens',
} as const;

test('a priority is sent where it is not the one that servers take for granted', () => {
  const target = { stream: true, body: { temperature: 0 } };
  const request = { prompt: { kind: 'text', text: 'hi' }, maxTokens: 5 } as const;
  expect(requestIntent(target, TALK, { ...request, priority: 10 }).extra).toEqual({
    temperature: 0,
    priority: 10,
  });
  for (const plain of [request, { ...request, priority: 0 }]) {
    expect(requestIntent(target, TALK, plain).extra).toEqual({ temperature: 0 });
  }
});
