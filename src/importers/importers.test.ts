/** Mistakes in files of every format: all found, each at its line and column. */
import { describe, expect, test } from 'vitest';
import { parseAzureTrace } from './azure-trace.ts';
import { parseBodiesFile } from './bodies-file.ts';
import type { Imported } from './import-result.ts';
import { parseLengthFile } from './length-file.ts';
import { parseMooncakeTrace } from './mooncake-trace.ts';
import { parsePromptJsonLines, parsePromptText } from './prompt-file.ts';
import { parseShareGpt } from './sharegpt.ts';

const FILE = { file: 'f' };

function problems(result: Imported<unknown>): string[] {
  if (result.kind === 'imported') return [];
  return result.problems.map(({ code, place, message }) => {
    return `${place?.line}:${place?.column} ${message} [${code}]`;
  });
}

function value<T>(result: Imported<T>): T {
  if (result.kind === 'problems') throw new Error(problems(result).join('\n'));
  return result.value;
}

const AZURE = 'TIMESTAMP,ContextTokens,GeneratedTokens';

function azure(text: string, badRows: 'fail' | 'skip' = 'fail') {
  return parseAzureTrace(text, { file: 'f', badRows });
}

function mooncake(...lines: string[]) {
  return parseMooncakeTrace(lines.join('\n'), { file: 'f', badRows: 'fail' });
}

describe('azure', () => {
  test('another header is another format', () => {
    expect(problems(azure('Timestamp,ContextTokens,Generated\n'))).toEqual([
      '1:1 the header has no column TIMESTAMP [E_TRACE_FORMAT]',
      '1:1 the header has no column GeneratedTokens [E_TRACE_FORMAT]',
    ]);
  });

  test('columns may stand in another order, beside others', () => {
    const text = `GeneratedTokens,id,TIMESTAMP,ContextTokens\n7,x,2023-11-16 18:17:03.5,30\n`;
    expect(value(azure(text)).rows).toMatchObject([{ atNs: 0, promptTokens: 30, outputTokens: 7 }]);
  });

  test('rows out of order are sorted by time, and that is said', () => {
    const text = `${AZURE}\n2023-11-16 18:17:05,2,1\n2023-11-16 18:17:03,1,1\n`;
    const result = azure(text);
    expect(value(result).rows.map(({ promptTokens }) => promptTokens)).toEqual([1, 2]);
    expect(result).toMatchObject({ notes: ['1 row out of order, sorted by time'] });
  });

  test('an open quote and an empty file are problems', () => {
    expect(problems(azure(`${AZURE}\n"2023-11-16 18:17:05,2,1\n`))).toEqual([
      '2:1 not valid CSV: a quote is open [E_TRACE_FORMAT]',
    ]);
    expect(problems(azure(`${AZURE}\n`))).toEqual([
      '1:1 the trace holds no usable row [E_TRACE_FORMAT]',
    ]);
    expect(problems(azure(`${AZURE}\n,,\n`, 'skip'))).toEqual([
      '1:1 the trace holds no usable row [E_TRACE_FORMAT]',
    ]);
  });

  test('negative, fractional and huge counts are holes', () => {
    const text = `${AZURE}\n2023-11-16 18:17:05,-2,1.5\n2023-11-16 18:17:05,1e3,99999999999\n`;
    expect(problems(azure(text))).toHaveLength(4);
  });
});

describe('mooncake', () => {
  const good = '{"timestamp": 0, "input_length": 5, "output_length": 1, "hash_ids": [0]}';

  test('wrong types are named', () => {
    expect(problems(mooncake(good, good.replace('5', '"5"'), '7', ''))).toEqual([
      '2:18 input_length: Invalid input: expected number, received string [E_TRACE_ROW]',
      '3:1 this line is not a JSON object [E_TRACE_ROW]',
    ]);
  });

  test('epoch milliseconds throughout are fine', () => {
    const at = (ms: number): string => good.replace('"timestamp": 0', `"timestamp": ${ms}`);
    const { rows } = value(mooncake(at(1_757_000_000_500), at(1_757_000_001_000)));
    expect(rows.map(({ atNs }) => atNs)).toEqual([0, 500e6]);
  });
});

describe('prompts', () => {
  test('a prompt is needed, once, and not blank', () => {
    const lines = [
      '{"label": "x"}',
      '{"prompt": "a", "text": "b"}',
      '{"prompt": "  "}',
      '{"prompt": "a", "output_tokens": 0}',
      '{"messages": []}',
    ];
    expect(problems(parsePromptJsonLines(lines.join('\n'), FILE))).toEqual([
      '1:1 prompt is missing [E_PROMPTS_FORMAT]',
      '2:17 prompt and text are both given [E_PROMPTS_FORMAT]',
      '3:2 prompt: is blank [E_PROMPTS_FORMAT]',
      '4:17 output_tokens: Too small: expected number to be >=1 [E_PROMPTS_FORMAT]',
      '5:1 prompt is missing [E_PROMPTS_FORMAT]',
    ]);
  });

  test('chat messages are sent to the bodies file', () => {
    const result = parsePromptJsonLines('{"messages": []}', FILE);
    expect(result).toMatchObject({ problems: [{ hint: expect.stringContaining('raw bodies') }] });
  });

  test('a file without prompts is a problem', () => {
    expect(problems(parsePromptText('\n \n', FILE))).toEqual([
      '1:1 the file holds no prompt [E_PROMPTS_FORMAT]',
    ]);
  });

  test('no problem quotes the text of a prompt', () => {
    const result = parsePromptJsonLines('{"prompt": secret}', FILE);
    expect(JSON.stringify(result)).not.toContain('secret');
  });
});

describe('ShareGPT', () => {
  test('other JSON is refused with its place', () => {
    expect(problems(parseShareGpt('{"conversations": []}', FILE))).toEqual([
      '1:1 not a JSON array [E_PROMPTS_FORMAT]',
    ]);
    expect(problems(parseShareGpt('[\n {]', FILE))).toEqual([
      '2:3 not valid JSON [E_PROMPTS_FORMAT]',
    ]);
    expect(problems(parseShareGpt('[]', FILE))).toEqual([
      '1:1 the file holds no prompt [E_PROMPTS_FORMAT]',
    ]);
  });
});

describe('bodies', () => {
  const body = '"body": {"messages": []}';

  test('unknown keys, missing bodies, wrong headers', () => {
    const lines = [
      `{${body}, "header": {}}`,
      '{"at": 1}',
      `{${body}, "headers": {"x": 1}}`,
      `{${body}, "at": -1}`,
    ];
    const result = parseBodiesFile(lines.join('\n'), FILE);
    expect(problems(result).slice(0, 3)).toEqual([
      '1:28 unknown key header [E_PROMPTS_FORMAT]',
      '2:1 body is missing [E_PROMPTS_FORMAT]',
      '3:28 headers.x: Invalid input: expected string, received number [E_PROMPTS_FORMAT]',
    ]);
    expect(problems(result)[3]).toMatch(/^4:28 at: /);
    expect(result).toMatchObject({ problems: [{ hint: 'did you mean headers?' }, {}, {}, {}] });
  });

  test('at stands in all lines or in none, and is a time', () => {
    expect(value(parseBodiesFile(`{${body}}\n{${body}}`, FILE)).map(({ atNs }) => atNs)).toEqual([
      null,
      null,
    ]);
    const mixed = `{${body}, "at": 1}\n{${body}}\n{${body}, "at": "soon"}`;
    expect(problems(parseBodiesFile(mixed, FILE))).toEqual([
      '2:1 at is missing here, though other lines have it [E_PROMPTS_FORMAT]',
      '3:28 at: expected seconds or a duration like 1500ms [E_PROMPTS_FORMAT]',
    ]);
  });

  test('epoch seconds count from the earliest, others from the start', () => {
    const at = (...times: number[]): (number | null)[] => {
      const lines = times.map((time) => `{${body}, "at": ${time}}`);
      return value(parseBodiesFile(lines.join('\n'), FILE)).map(({ atNs }) => atNs);
    };
    expect(at(5, 7)).toEqual([5e9, 7e9]);
    expect(at(1_757_000_002, 1_757_000_000)).toEqual([0, 2e9]);
  });
});

describe('lengths', () => {
  test('bad rows of a table', () => {
    const text = 'tokens,weight\n12,1\n0,1\n1.5,x\n7,\n';
    expect(problems(parseLengthFile(text, FILE))).toEqual([
      '3:1 tokens is not a whole number, 1 or more [E_TRACE_FORMAT]',
      '4:1 tokens is not a whole number, 1 or more [E_TRACE_FORMAT]',
      '4:5 weight is not a number ≥ 0 [E_TRACE_FORMAT]',
      '5:3 weight is not a number ≥ 0 [E_TRACE_FORMAT]',
    ]);
    expect(problems(parseLengthFile('tokens,weight\n12,0\n', FILE))).toEqual([
      '1:1 no length has a weight above 0 [E_TRACE_FORMAT]',
    ]);
  });

  test('a curve that falls, ends early, or is none', () => {
    expect(problems(parseLengthFile('[[10, 0.5],\n [8, 0.6],\n [20, 1]]', FILE))).toEqual([
      '2:2 a cumulative curve only rises [E_TRACE_FORMAT]',
    ]);
    expect(problems(parseLengthFile('[[10, 0.5],\n [20, 0.9]]', FILE))).toEqual([
      '2:2 the curve ends at 0.9, not at 1 [E_TRACE_FORMAT]',
    ]);
    expect(problems(parseLengthFile('[[10, 2]]', FILE))).toEqual([
      '1:7 expected [tokens, share]: Too big: expected number to be <=1 [E_TRACE_FORMAT]',
    ]);
    expect(problems(parseLengthFile('{"pdf": []}', FILE))).toHaveLength(1);
  });
});
