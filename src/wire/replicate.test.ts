import { expect, test } from 'vitest';
import { utf8 } from '../../test/support/wire-reading.ts';
import type { AnswerReading } from './dialect.ts';
import { replicate } from './replicate.ts';

function read(text: string, stream = true): AnswerReading {
  const reader = replicate.createReader({
    stream,
    requestedChoices: 1,
    lineBytes: 1_000_000,
    keepText: true,
  });
  reader.push(utf8(text), 1, 0);
  reader.end('complete');
  return reader.reading;
}

const output = (...lines: string[]): string =>
  `event: output\n${lines.map((line) => `data: ${line}\n`).join('')}\n`;

test('the data is the text itself, line ends and end marks of others included', () => {
  const reading = read(
    `${output('')}${output('a', '', 'b')}${output('[DONE]')}event: done\ndata: {}\n\n`,
  );
  expect(reading.output.bytes).toEqual([4, 6]);
  expect(reading).toMatchObject({
    text: 'a\n\nb[DONE]',
    failure: null,
    finishReason: 'stop',
    usage: null,
    notes: [],
  });
});

test('an error, a cancellation, a stream that stops', () => {
  expect(read(`${output('a')}event: error\ndata: boom\n\n`).failure).toBe('serverError');
  const done = (reason: string): string => `event: done\ndata: {"reason":"${reason}"}\n\n`;
  expect(read(output('a') + done('error')).failure).toBe('serverError');
  expect(read(output('a') + done('canceled')).finishReason).toBe('other');
  expect(read(output('a')).failure).toBe('truncated');
});

test('one body', () => {
  const reading = read('{"status":"succeeded","output":["po","ng"]}', false);
  expect(reading).toMatchObject({ text: 'pong', failure: null, finishReason: 'stop' });
});

test('a model that is kept running, and a version of any other', () => {
  const sent = (model: string): unknown => replicate.post({ model, input: {} }, true);
  expect(sent('meta/llama 3')).toMatchObject({ path: '/models/meta/llama%203/predictions' });
  const version = 'me/mine:0123abcd';
  expect(sent(version)).toEqual({ path: '/predictions', query: {}, body: { input: {}, version } });
});

test('where the stream is', () => {
  const streamUrl = replicate.follow?.streamUrl;
  expect(streamUrl?.({ urls: { stream: 'https://a' } })).toBe('https://a');
  for (const answer of [{}, { urls: null }, { urls: { get: 'https://a' } }]) {
    expect(streamUrl?.(answer)).toBeNull();
  }
});
