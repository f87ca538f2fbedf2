/** Recorded streams that nobody here wrote, against the right reading kept beside them. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import {
  AwsEventStreamDecoder,
  DIALECTS,
  JsonSequenceDecoder,
  SseDecoder,
  type AnswerReader,
  type AnswerReading,
  type DialectName,
  type EventDecoder,
  type ReaderOptions,
  type StreamMessage,
} from '../../src/wire/index.ts';
import { NO_SHARED_DATA, sharedData } from '../support/shared-data.ts';
import { cutAt, piecesOf, utf8 } from '../support/wire-reading.ts';

interface Expected {
  readonly file: string;
  readonly dialect: string;
  readonly events: number;
  readonly comments: number;
  readonly contentEvents: number;
  readonly firstContentIndex: number | null;
  readonly reasoningEvents: number;
  readonly firstReasoningIndex: number | null;
  readonly toolEvents: number;
  readonly firstToolIndex: number | null;
  readonly textCodePoints: number;
  readonly finish: readonly string[];
  readonly usage: readonly {
    readonly event: number;
    readonly prompt: number;
    readonly completion: number;
    readonly reasoning: number | null;
  }[];
  readonly terminal: string | null;
  readonly textStart: string;
  readonly textEnd: string;
}

type Framing = 'sse' | 'json' | 'aws';

/** How each kind of recording is read. */
const KINDS: Readonly<Record<string, { dialect: DialectName; framing: Framing }>> = {
  chat: { dialect: 'chat', framing: 'sse' },
  'tgi-json': { dialect: 'chat', framing: 'sse' },
  responses: { dialect: 'responses', framing: 'sse' },
  'responses-jsonl': { dialect: 'responses', framing: 'sse' },
  anthropic: { dialect: 'anthropic', framing: 'sse' },
  gemini: { dialect: 'gemini', framing: 'sse' },
  cohere1: { dialect: 'cohere-v1', framing: 'json' },
  cohere2: { dialect: 'cohere-v2', framing: 'sse' },
  ollama: { dialect: 'ollama-chat', framing: 'json' },
  watsonx: { dialect: 'watsonx', framing: 'sse' },
  bedrock: { dialect: 'bedrock-converse', framing: 'aws' },
  replicate: { dialect: 'replicate', framing: 'sse' },
};

/** What the rules of this project make of a stream, where it is not plain success. */
const FAILURES: Readonly<Record<string, string>> = {
  'openai/chat-all-reasoning-no-text.sse': 'empty',
  'openai/chat-n2.sse': 'multipleChoices',
  'openai/responses-incomplete-reasoning-budget.sse': 'empty',
  'openai/responses-failed-quota.jsonl': 'serverError',
  'anthropic/stop-sequence-no-content.sse': 'empty',
  'gpustack/error-field-mid-stream.sse': 'truncated',
  'llamacpp/n2-two-usage-events.sse': 'multipleChoices',
  'openrouter/error-with-200.sse': 'serverError',
  'groq/reasoning-then-error-event.sse': 'serverError',
  'mistral/n2-interleaved.sse': 'multipleChoices',
  'gemini/json-error-after-events.sse': 'serverError',
};

/** Where the right totals are not the last ones told, and why. */
const TOTALS: Readonly<Record<string, { prompt?: number; completion?: number }>> = {
  // One report for each choice.
  'llamacpp/n2-two-usage-events.sse': { completion: 16 },
  // Thoughts are told beside the candidates: 31 + 175.
  'gemini/crlf-two-finish-unicode.sse': { completion: 206 },
  // Told once, then 0.
  'watsonx/ids-token-counts.sse': { prompt: 8 },
};

/** Code that the model wrote to be run: generated, though no tool call by name. */
const TOOL_EVENTS: Readonly<Record<string, { count: number; first: number }>> = {
  'gemini/crlf-two-finish-unicode.sse': { count: 2, first: 0 },
};

const FINISH: Readonly<Record<string, string | null>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'toolCalls',
  completed: 'stop',
  'incomplete:max_output_tokens': 'length',
  failed: null,
  end_turn: 'stop',
  tool_use: 'toolCalls',
  stop_sequence: 'stop',
  refusal: 'contentFilter',
  COMPLETE: 'stop',
  STOP: 'stop',
  done: 'stop',
  eos_token: 'stop',
};

const folder = sharedData('streams/');
const streams =
  folder === null
    ? []
    : (JSON.parse(readFileSync(`${folder}expected.json`, 'utf8')) as readonly Expected[]);

/** The bytes as a server sends them; two recordings hold payloads only and are framed here. */
function bytesOf({ file, dialect }: Expected): Uint8Array {
  const bytes = readFileSync(`${folder}${file}`);
  const asEvents = (payloads: readonly string[]): Uint8Array =>
    utf8(payloads.map((payload) => `data: ${payload}\n\n`).join(''));
  if (dialect === 'responses-jsonl') return asEvents(bytes.toString('utf8').trim().split('\n'));
  if (dialect !== 'tgi-json') return new Uint8Array(bytes);
  const chunks = JSON.parse(bytes.toString('utf8')) as readonly unknown[];
  return asEvents(chunks.map((chunk) => JSON.stringify(chunk)));
}

function kindOf({ dialect, file }: Expected): (typeof KINDS)[string] {
  const kind = KINDS[dialect];
  if (kind === undefined) throw new Error(`${file}: no reader for ${dialect}`);
  return kind;
}

function decoderOf(expected: Expected): EventDecoder {
  const limits = { lineBytes: 1_000_000 };
  const { framing } = kindOf(expected);
  if (framing === 'aws') return new AwsEventStreamDecoder(limits);
  return framing === 'json' ? new JsonSequenceDecoder(limits) : new SseDecoder(limits);
}

function readerOf(expected: Expected): AnswerReader {
  const options: ReaderOptions = {
    stream: true,
    requestedChoices: FAILURES[expected.file] === 'multipleChoices' ? 2 : 1,
    lineBytes: 1_000_000,
    keepText: true,
  };
  return DIALECTS[kindOf(expected).dialect].createReader(options);
}

/** One byte at a time, each read numbered by the events before it: an event's read is its index. */
function readByEvent(expected: Expected): AnswerReading {
  const decoder = decoderOf(expected);
  const reader = readerOf(expected);
  let index = 0;
  for (const byte of piecesOf(bytesOf(expected), 1)) {
    reader.push(byte, index * 1_000_000, index);
    decoder.push(byte, () => {
      index += 1;
      return true;
    });
  }
  reader.end('complete');
  return reader.reading;
}

function readPieces(expected: Expected, pieces: readonly Uint8Array[]): AnswerReading {
  const reader = readerOf(expected);
  for (const [at, piece] of pieces.entries()) reader.push(piece, at, at);
  reader.end('complete');
  return reader.reading;
}

/** The reading without instants and read ids, which follow the cuts. */
function contentOf(reading: AnswerReading): unknown {
  const { output, usage, finishReason, commentCount, notes, failure, error, queueNs, text } =
    reading;
  const { kind, bytes, tokens } = output;
  return {
    kind,
    bytes,
    tokens,
    usage,
    finishReason,
    commentCount,
    notes,
    failure,
    error,
    queueNs,
    text,
  };
}

if (folder === null) test.skip(`recorded streams (${NO_SHARED_DATA})`);

describe.each(streams)('$file', (expected) => {
  test('events and comments are as an independent parser counted them', () => {
    const decoder = decoderOf(expected);
    const messages: StreamMessage[] = [];
    decoder.push(bytesOf(expected), (message) => messages.push(message) > 0);
    expect(messages.filter(({ isStray }) => !isStray)).toHaveLength(expected.events);
    expect(decoder.commentCount).toBe(expected.comments);
    expect(decoder.failure).toBeNull();
  });

  test('output events, text and their places', () => {
    const { output, text } = readByEvent(expected);
    const readsOf = (kind: string): number[] =>
      output.readId.filter((_, index) => output.kind[index] === kind);
    expect(readsOf('answer')).toHaveLength(expected.contentEvents);
    expect(readsOf('answer')[0] ?? null).toBe(expected.firstContentIndex);
    expect(readsOf('reasoning')).toHaveLength(expected.reasoningEvents);
    expect(readsOf('reasoning')[0] ?? null).toBe(expected.firstReasoningIndex);
    const tools = TOOL_EVENTS[expected.file];
    expect(readsOf('toolCall')).toHaveLength(tools?.count ?? expected.toolEvents);
    expect(readsOf('toolCall')[0] ?? null).toBe(tools?.first ?? expected.firstToolIndex);
    expect(Array.from(text ?? '')).toHaveLength(expected.textCodePoints);
    expect(text?.startsWith(expected.textStart)).toBe(true);
    expect(text?.endsWith(expected.textEnd)).toBe(true);
  });

  test('usage, finish reason, end mark and outcome', () => {
    const { usage, usageAtNs, finishReason, terminalNs, failure } = readByEvent(expected);
    const reports = expected.usage;
    const last = reports.at(-1);
    const totals = TOTALS[expected.file];
    expect(usage?.promptTokens ?? null).toBe(totals?.prompt ?? last?.prompt ?? null);
    expect(usage?.completionTokens ?? null).toBe(totals?.completion ?? last?.completion ?? null);
    expect(usage?.reasoningTokens ?? null).toBe(last?.reasoning ?? null);
    expect(usageAtNs).toBe(last === undefined ? null : last.event * 1_000_000);
    const first = expected.finish.find((word) => !word.startsWith('ERROR'));
    expect(finishReason).toBe(first === undefined ? null : FINISH[first.split('@')[0] as string]);
    // Nothing is read on after an error.
    const isCutShort = FAILURES[expected.file] === 'serverError';
    expect(terminalNs === null).toBe(isCutShort || expected.terminal === null);
    expect(failure).toBe(FAILURES[expected.file] ?? null);
  });

  test('the reading is the same for every way to cut the bytes', () => {
    const bytes = bytesOf(expected);
    const whole = contentOf(readPieces(expected, [bytes]));
    for (const size of [1, 3, 64]) {
      expect(contentOf(readPieces(expected, piecesOf(bytes, size)))).toEqual(whole);
    }
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });
    fc.assert(
      fc.property(shares, (cuts) => {
        expect(contentOf(readPieces(expected, cutAt(bytes, cuts)))).toEqual(whole);
      }),
      { numRuns: 20 },
    );
  });
});

test.skipIf(folder === null)('groq/usage-twice.sse: the server tells its queue time', () => {
  const expected = streams.find(({ file }) => file === 'groq/usage-twice.sse') as Expected;
  expect(readByEvent(expected).queueNs).toBe(224_008_017);
});

test.skipIf(folder === null)('openrouter/refusal-only.sse: 53 characters in 12 events', () => {
  const expected = streams.find(({ file }) => file === 'openrouter/refusal-only.sse') as Expected;
  const { output } = readByEvent(expected);
  expect(output.kind).toEqual(Array.from({ length: 12 }, () => 'refusal'));
  expect(output.bytes.reduce((sum, bytes) => sum + bytes, 0)).toBe(53);
});

test.skipIf(folder === null)('openrouter/error-with-200.sse: the error’s code is kept', () => {
  const expected = streams.find(({ file }) => file === 'openrouter/error-with-200.sse') as Expected;
  expect(readByEvent(expected).error).toMatchObject({ code: '400' });
});
