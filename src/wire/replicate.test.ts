import { expect, test } from 'vitest';
import { utf8 } from '../../test/support/wire-reading.ts';
import type { AnswerReading } from './dialect.ts';
import { createReplicateReader } from './replicate.ts';

function read(text: string, stream = true): AnswerReading {
  const reader = createReplicateReader({
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
