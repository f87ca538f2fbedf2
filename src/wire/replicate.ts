/**
 * Streams of Replicate. They are read, and no load is sent: a prediction is made at one host and
 * streamed from another, whose address only the first answer tells, and a load test does not
 * follow a server to other hosts.
 */
import type { AnswerFormat, ReadMessage } from './answer-format.ts';
import { createAnswerReader } from './answer-reader.ts';
import { noContent } from './choice-content.ts';
import type { AnswerReader, ReaderOptions } from './dialect.ts';
import { asText, parseObject } from './json-object.ts';
import type { ReadingState } from './reading-state.ts';
import { SseDecoder } from './sse.ts';

/** A reader for the stream of one prediction. */
export function createReplicateReader(options: ReaderOptions): AnswerReader {
  return createAnswerReader(FORMAT, options);
}

const FORMAT: AnswerFormat = {
  framing: (limits) => new SseDecoder(limits),
  ends: 'mark',
  message: readEvents,
  body: (state) => (prediction, stamp) => {
    const { output, status } = prediction;
    const answer = Array.isArray(output) ? output.join('') : (asText(output) ?? '');
    state.addOutput({ ...noContent(), answer }, null, stamp);
    if (status === 'succeeded') state.sawFinish('stop', stamp.atNs);
  },
};

/** The data of an `output` event is the text itself. */
function readEvents(state: ReadingState): ReadMessage {
  return ({ event, data, isStray }, stamp) => {
    if (isStray) return;
    state.sawEvent(stamp.atNs);
    if (event === 'output') {
      state.sawChoices(stamp.atNs);
      state.addOutput({ ...noContent(), answer: data }, null, stamp);
    } else if (event === 'error') {
      state.failByServer(data);
    } else if (event === 'done') {
      const reason = asText(parseObject(data)?.['reason']);
      if (reason === 'error') state.failByServer({ code: reason });
      state.sawFinish(reason === null ? 'stop' : 'other', stamp.atNs);
      state.sawTerminal(stamp.atNs);
    }
  };
}
