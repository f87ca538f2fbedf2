/** Every format, read from a small file made by hand: what is right and what is wrong in it. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Problem } from '../../src/base/index.ts';
import {
  parseAzureTrace,
  parseBodiesFile,
  parseLengthFile,
  parseMooncakeTrace,
  parsePromptJsonLines,
  parsePromptText,
  parseShareGpt,
  type Imported,
} from '../../src/importers/index.ts';

function fixture(name: string): string {
  return readFileSync(new URL(`../fixtures/traces/${name}`, import.meta.url), 'utf8');
}

function imported<T>(result: Imported<T>): { value: T; notes: readonly string[] } {
  if (result.kind === 'problems') throw new Error(JSON.stringify(result.problems));
  return { value: result.value, notes: result.notes };
}

function problems(result: Imported<unknown>): string[] {
  const list: readonly Problem[] = result.kind === 'problems' ? result.problems : [];
  return list.map(({ place, message }) => `${place?.line}:${place?.column} ${message}`);
}

function azure(name: string, badRows: 'fail' | 'skip' = 'fail') {
  return parseAzureTrace(fixture(name), { file: name, badRows });
}

function mooncake(name: string, badRows: 'fail' | 'skip' = 'fail') {
  return parseMooncakeTrace(fixture(name), { file: name, badRows });
}

describe('azure', () => {
  test('2023: CRLF, 100 ns kept, no line end after the last row', () => {
    const { value, notes } = imported(azure('azure-2023.csv'));
    expect(value.rows.map(({ atNs }) => atNs)).toEqual([0, 52_000_100, 98_189_000, 1_020_040_000]);
    expect(value.rows[3]).toEqual({
      atNs: 1_020_040_000,
      promptTokens: 7433,
      outputTokens: 14,
      blockIds: null,
      blockTokens: null,
      session: null,
    });
    expect({ skipped: value.skippedRows, notes }).toEqual({ skipped: 0, notes: [] });
  });

  test('2024: with a zone, fractions of any length, across midnight', () => {
    const { value } = imported(azure('azure-2024.csv'));
    expect(value.rows.map(({ atNs }) => atNs)).toEqual([0, 1_000, 9_931_000]);
  });

  test('holes are all reported, each at its field', () => {
    expect(problems(azure('azure-holes.csv'))).toEqual([
      '3:29 ContextTokens is missing',
      '4:1 TIMESTAMP is not a time like 2023-11-16 18:17:03.9799600',
      '5:34 GeneratedTokens is not a whole number of tokens, 1 or more',
      '6:29 ContextTokens is missing',
      '6:29 GeneratedTokens is missing',
    ]);
  });

  test('or left out and counted', () => {
    const { value, notes } = imported(azure('azure-holes.csv', 'skip'));
    expect(value.rows.map(({ atNs }) => atNs)).toEqual([0, 3_520_040_000]);
    expect(value.skippedRows).toBe(4);
    expect(notes).toEqual(['4 rows with holes left out, the first on line 3']);
  });
});

describe('mooncake', () => {
  test('milliseconds, blocks, and the arrivals that come together', () => {
    const { value, notes } = imported(mooncake('mooncake.jsonl'));
    expect(value.rows.map(({ atNs }) => atNs)).toEqual([0, 0, 3e9, 6e9]);
    expect(value.rows[1]).toMatchObject({ blockIds: [0, 3], blockTokens: 512, outputTokens: 20 });
    expect(notes).toEqual([
      '1 arrival of 4 at the same instant as another; replayed so, no jitter is added',
    ]);
  });

  test('a row of another clock is a problem whatever is done with holes', () => {
    for (const badRows of ['fail', 'skip'] as const) {
      expect(problems(mooncake('mooncake-holes.jsonl', badRows))).toEqual([
        '5:1 this time stamp is epoch time, those before it are relative time',
      ]);
    }
  });

  test('holes are all reported, each at its field', () => {
    const text = fixture('mooncake-holes.jsonl').split('\n').slice(0, 4).join('\n');
    expect(problems(parseMooncakeTrace(text, { file: 'm', badRows: 'fail' }))).toEqual([
      '2:1 output_length is missing',
      '3:62 hash_ids: 1 ids, but 513 tokens are 2 blocks of 512',
      '4:38 this line is not valid JSON',
    ]);
  });
});

describe('prompts', () => {
  test('text: one a line, blank lines skipped', () => {
    const { value } = imported(parsePromptText(fixture('prompts.txt'), { file: 'prompts.txt' }));
    expect(value.map(({ text }) => text)).toEqual([
      'Explain a cache in one sentence.',
      'Compare a cache hit with a miss.',
    ]);
  });

  test('JSON Lines: lengths and labels where given', () => {
    const file = { file: 'prompts.jsonl' };
    expect(imported(parsePromptJsonLines(fixture('prompts.jsonl'), file)).value).toEqual([
      {
        text: 'Explain a cache in one sentence.',
        promptTokens: 7,
        outputTokens: 40,
        label: 'short',
      },
      {
        text: 'Compare a cache hit with a miss.',
        promptTokens: null,
        outputTokens: 60,
        label: null,
      },
    ]);
  });

  test('ShareGPT: the first human turn', () => {
    const result = imported(parseShareGpt(fixture('sharegpt.json'), { file: 'sharegpt.json' }));
    expect(result.value.map(({ text }) => text)).toEqual(['What is a token?', 'Hi, who are you?']);
    expect(result.notes).toEqual(['2 conversations without a human turn left out']);
  });

  test('bodies: as they are, with instants, headers and labels', () => {
    const { value } = imported(parseBodiesFile(fixture('bodies.jsonl'), { file: 'bodies.jsonl' }));
    expect(value).toEqual([
      {
        body: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 16 },
        headers: {},
        atNs: 250e6,
        label: 'small',
      },
      {
        body: { messages: [{ role: 'user', content: 'Call a tool' }], tools: [] },
        headers: { 'x-tenant': 'b' },
        atNs: 1.5e9,
        label: null,
      },
    ]);
  });
});

describe('lengths', () => {
  test('CSV: values and weights', () => {
    expect(
      imported(parseLengthFile(fixture('lengths.csv'), { file: 'lengths.csv' })).value,
    ).toEqual({
      kind: 'empirical',
      values: [
        { tokens: 128, weight: 1 },
        { tokens: 512, weight: 2.5 },
        { tokens: 2_048, weight: 0.5 },
      ],
    });
  });

  test('JSON: the steps of a cumulative curve', () => {
    const result = parseLengthFile(fixture('lengths-cdf.json'), { file: 'lengths-cdf.json' });
    expect(imported(result).value).toEqual({
      kind: 'empirical',
      values: [
        { tokens: 128, weight: 0.25 },
        { tokens: 512, weight: 0.5 },
        { tokens: 1_024, weight: 0.25 },
      ],
    });
  });
});
