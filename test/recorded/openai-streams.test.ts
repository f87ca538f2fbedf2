/** Recorded streams that nobody here wrote, against the right reading kept beside them. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import type { AnswerReading } from '../../src/wire/index.ts';
import { NO_SHARED_DATA, sharedData } from '../support/shared-data.ts';
import { cutAt, decode, piecesOf, readAnswer } from '../support/wire-reading.ts';

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

/** What the rules of this project make of a stream, where it is not plain success. */
const FAILURES: Readonly<Record<string, string>> = {
  'openai/chat-all-reasoning-no-text.sse': 'empty',
  'openai/chat-n2.sse': 'multipleChoices',
  'gpustack/error-field-mid-stream.sse': 'truncated',
  'llamacpp/n2-two-usage-events.sse': 'multipleChoices',
  'openrouter/error-with-200.sse': 'serverError',
  'groq/reasoning-then-error-event.sse': 'serverError',
  'mistral/n2-interleaved.sse': 'multipleChoices',
};

/** Completion tokens where they are not the largest reported count: one report per choice. */
const SUMMED: Readonly<Record<string, number>> = { 'llamacpp/n2-two-usage-events.sse': 16 };

const FINISH: Readonly<Record<string, string>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'toolCalls',
};

const folder = sharedData('streams/');
const streams = folder === null ? [] : chatStreams(folder);

function chatStreams(root: string): readonly Expected[] {
  const all = JSON.parse(readFileSync(`${root}expected.json`, 'utf8')) as readonly Expected[];
  return all.filter(({ dialect, file }) => dialect === 'chat' && file.endsWith('.sse'));
}

const bytesOf = (expected: Expected): Uint8Array =>
  new Uint8Array(readFileSync(`${folder}${expected.file}`));

/** One read per event, so that a read id is the index of the event. */
function readByEvent(expected: Expected): AnswerReading {
  const { events } = decode([bytesOf(expected)]);
  const reads = events.map(({ event, data }, index) => ({
    atMs: index,
    text: `${event === null ? '' : `event: ${event}\n`}data: ${data}\n\n`,
  }));
  return readAnswer(reads, optionsOf(expected));
}

function readPieces(expected: Expected, pieces: readonly Uint8Array[]): AnswerReading {
  const reads = pieces.map((text, atMs) => ({ atMs, text }));
  return readAnswer(reads, optionsOf(expected));
}

function optionsOf({ file }: Expected): object {
  return { requestedChoices: FAILURES[file] === 'multipleChoices' ? 2 : 1 };
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
    const { events, decoder } = decode([bytesOf(expected)]);
    expect(events).toHaveLength(expected.events);
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
    expect(readsOf('toolCall')).toHaveLength(expected.toolEvents);
    expect(readsOf('toolCall')[0] ?? null).toBe(expected.firstToolIndex);
    expect(Array.from(text ?? '')).toHaveLength(expected.textCodePoints);
    expect(text?.startsWith(expected.textStart)).toBe(true);
    expect(text?.endsWith(expected.textEnd)).toBe(true);
  });

  test('usage, finish reason, end mark and outcome', () => {
    const { usage, usageAtNs, finishReason, terminalNs, failure } = readByEvent(expected);
    const reports = expected.usage;
    const last = reports.at(-1);
    expect(usage?.promptTokens ?? null).toBe(last?.prompt ?? null);
    expect(usage?.completionTokens ?? null).toBe(SUMMED[expected.file] ?? last?.completion ?? null);
    expect(usage?.reasoningTokens ?? null).toBe(last?.reasoning ?? null);
    expect(usageAtNs).toBe(last === undefined ? null : last.event * 1_000_000);
    const first = expected.finish.find((word) => !word.startsWith('ERROR'));
    expect(finishReason).toBe(first === undefined ? null : FINISH[first.split('@')[0] as string]);
    expect(terminalNs === null).toBe(expected.terminal === null);
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
