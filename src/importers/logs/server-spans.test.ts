import { expect, it } from 'vitest';
import { serverSpansOf } from './server-spans.ts';

const attribute = (key: string, value: object) => ({ key, value });
const seconds = (name: string, doubleValue: number) =>
  attribute(`gen_ai.latency.${name}`, { doubleValue });

function exportOf(span: object) {
  const service = attribute('service.name', { stringValue: 'vllm-server' });
  return {
    resourceSpans: [{ resource: { attributes: [service] }, scopeSpans: [{ spans: [span] }] }],
  };
}

const SPAN = {
  traceId: 'AB'.repeat(16),
  spanId: '00f067aa0ba902b7',
  kind: 2,
  startTimeUnixNano: '1763632801000000000',
  endTimeUnixNano: '1763632803300000000',
  attributes: [
    attribute('gen_ai.request.id', { stringValue: 'chatcmpl-7' }),
    attribute('gen_ai.usage.completion_tokens', { intValue: '51' }),
    seconds('time_to_first_token', 0.3),
    seconds('time_in_queue', 0.1),
    seconds('time_in_model_prefill', 0.19),
    seconds('time_in_model_decode', 2),
  ],
};

it('reads what vLLM tells of a request', () => {
  expect(serverSpansOf(exportOf(SPAN))).toEqual([
    {
      requestId: 'chatcmpl-7',
      traceId: 'ab'.repeat(16),
      service: 'vllm-server',
      ttftNs: 300e6,
      queueNs: 100e6,
      prefillNs: 190e6,
      decodeNs: 2e9,
      // It tells no e2e here: the span's own length.
      e2eNs: 2.3e9,
      outputTokens: 51,
    },
  ]);
});

it('leaves out clients, spans of other things, and what cannot be read', () => {
  expect(serverSpansOf(exportOf({ ...SPAN, kind: 3 }))).toEqual([]);
  expect(serverSpansOf(exportOf({ ...SPAN, attributes: [] }))).toEqual([]);
  const odd = [seconds('time_to_first_token', -1), attribute('gen_ai.usage.output_tokens', {})];
  expect(serverSpansOf(exportOf({ ...SPAN, attributes: odd }))?.[0]).toMatchObject({
    ttftNs: null,
    outputTokens: null,
  });
});

it('says when a value is no export', () => {
  for (const value of [null, [], 'x', { spans: [] }]) expect(serverSpansOf(value)).toBeNull();
});
