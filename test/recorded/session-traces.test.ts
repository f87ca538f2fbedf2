/** Traces of sessions: third-party files in place, and rows made by hand where there are none. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type ImportedSessions,
  parseBailianTrace,
  parseKvCacheTrace,
  parseSessionTrace,
  withinContext,
} from '../../src/importers/index.ts';
import { planSchedule, type SessionCall } from '../../src/workload/index.ts';
import { NO_SHARED_DATA, sharedData } from '../support/shared-data.ts';

type Parse = typeof parseKvCacheTrace;

function read(parse: Parse, text: string): ImportedSessions {
  const result = parse(text, { file: 'trace' });
  if (result.kind === 'problems') throw new Error(JSON.stringify(result.problems));
  return result.value;
}

function problemsOf(parse: Parse, ...lines: readonly string[]): string[] {
  const result = parse(lines.join('\n'), { file: 'trace' });
  if (result.kind === 'imported') return [];
  return result.problems.map(({ message, place }) => `${place?.line}:${place?.column} ${message}`);
}

const FOLDER = sharedData('traces/agentic-kv-cache-tester');

/** Requests and input tokens of each file, as the folder's README has them; 0291 with its agents. */
const FILES = [
  ['0002', 33, 1_508_817],
  ['0019', 24, 627_951],
  ['0021', 14, 401_061],
  ['0022', 7, 271_839],
  ['0026', 3, 52_760],
  ['0291', 32, 1_576_322 + 677_797],
] as const;

describe.skipIf(FOLDER === null)(`coding sessions (else: ${NO_SHARED_DATA})`, () => {
  const fileOf = (name: string): string => readFileSync(`${FOLDER}/trace_${name}.json`, 'utf8');

  it.each(FILES)('trace_%s has %i calls of %i input tokens', (name, calls, tokens) => {
    const { sessions, blockTokens } = read(parseKvCacheTrace, fileOf(name));
    expect(blockTokens).toBe(64);
    expect(sessions).toHaveLength(1);
    expect(sessions[0]?.calls).toHaveLength(calls);
    expect(sessions[0]?.calls.reduce((sum, call) => sum + call.promptTokens, 0)).toBe(tokens);
  });

  it('read together are six sessions', () => {
    const all = `[${FILES.map(([name]) => fileOf(name)).join(',')}]`;
    expect(read(parseKvCacheTrace, all).sessions).toHaveLength(6);
  });

  it('wait as the file says: 9 s of thinking, then 88 s', () => {
    const [session] = read(parseKvCacheTrace, fileOf('0291')).sessions;
    expect(session?.calls.slice(0, 3).map(({ after }) => after)).toEqual([
      [],
      [{ call: 0, thinkNs: 9e9 }],
      [{ call: 1, thinkNs: 88e9 }],
    ]);
  });

  it('run sub-agents beside the call they came from, and join those that had ended', () => {
    const [session] = read(parseKvCacheTrace, fileOf('0291')).sessions;
    const calls = session?.calls ?? [];
    const main = calls.findIndex(({ promptTokens }) => promptTokens === 91_853);
    const agents = calls.flatMap(({ promptTokens }, at) =>
      promptTokens === 11_353 || promptTokens === 11_341 ? [at] : [],
    );
    // The call at 1,085 s ends at 1,100.64 s; the agents start at 1,148.013 and 1,180.553 s.
    expect(agents.map((at) => calls[at]?.after)).toEqual([
      [{ call: main, thinkNs: 47_373_000_000 }],
      [{ call: main, thinkNs: 79_913_000_000 }],
    ]);
    // At 1,209 s the first agent is through (1,192.853 s), the second is not.
    const next = calls.find(({ promptTokens }) => promptTokens === 97_317) as SessionCall;
    const [, last] = next.after;
    expect(next.after.map(({ thinkNs }) => thinkNs)).toEqual([108e9, 16_147_000_000]);
    expect(calls[last?.call ?? 0]?.promptTokens).toBe(69_655);
  });

  it('repeat nearly all of the prompt before, which an endless cache would have', () => {
    const { sessions } = read(parseKvCacheTrace, fileOf('0002'));
    const seen = new Set<number>();
    let [hits, blocks] = [0, 0];
    for (const { blockIds } of sessions[0]?.calls ?? []) {
      for (const id of blockIds ?? []) {
        blocks += 1;
        if (seen.has(id)) hits += 1;
        seen.add(id);
      }
    }
    expect(hits / blocks).toBeGreaterThan(0.9);
  });

  it('are planned whole, each after what it waits for', () => {
    const imported = read(parseKvCacheTrace, fileOf('0291'));
    const source = { kind: 'calls', path: 't', history: 'planned', ...imported } as const;
    const shape = {
      kind: 'sessions',
      sessionsPerSecond: 1,
      arrivals: { kind: 'constant' },
      think: { kind: 'fixed', meanNs: 0 },
      durationNs: 2e9,
      maxRequests: null,
    } as const;
    const seeds = { arrivals: 1, lengths: 1, prompts: 1, text: 1 };
    const { requests } = planSchedule({ source, shape, seeds });
    expect(requests).toHaveLength(64);
    for (const { index, release } of requests) {
      if (release.kind !== 'turn') continue;
      for (const edge of release.after) expect(edge.index).toBeLessThan(index);
    }
  });
});

describe('Bailian rows', () => {
  const row = (chat: number, parent: number, timestamp: number, ids: readonly number[]) =>
    JSON.stringify({
      chat_id: chat,
      parent_chat_id: parent,
      timestamp,
      input_length: 16 * ids.length,
      output_length: 5,
      type: 'text',
      turn: 1,
      hash_ids: ids,
    });

  it('are sessions by what they follow, each not before its time in the trace', () => {
    const text = [
      row(7, -1, 61.114, [1, 2]),
      row(8, -1, 61.5, [1]),
      row(9, 7, 75.114, [1, 2, 3]),
      row(10, 9, 90.114, [1, 2, 3, 4]),
    ].join('\n');
    const { sessions, blockTokens, blockScope } = read(parseBailianTrace, text);
    expect([blockTokens, blockScope]).toEqual([16, 'trace']);
    expect(sessions.map(({ atNs, calls }) => [atNs, calls.length])).toEqual([
      [0, 3],
      [386_000_000, 1],
    ]);
    expect(sessions[0]?.calls.map(({ after, notBeforeNs }) => [after, notBeforeNs])).toEqual([
      [[], 0],
      [[{ call: 0, thinkNs: 0 }], 14e9],
      [[{ call: 1, thinkNs: 0 }], 29e9],
    ]);
  });

  it('begin a session where the one they follow is not in the file, and that is said', () => {
    const result = parseBailianTrace(row(2, 1, 3, [4]), { file: 'f' });
    expect(result).toMatchObject({
      notes: ['1 call without the one it follows: taken for the start of a session'],
    });
  });
});

describe('our own trace of sessions', () => {
  const TREE = JSON.stringify({
    at_ms: 500,
    calls: [
      { id: 'plan', prompt_tokens: 1_000, output_tokens: 50 },
      { id: 'a', after: ['plan'], wait_ms: 20, prompt_tokens: 300, output_tokens: 40 },
      { id: 'b', after: [{ id: 'plan', wait_ms: 30 }], prompt_tokens: 400, output_tokens: 40 },
      {
        id: 'answer',
        after: ['a', { id: 'b', wait_ms: 7 }],
        continues: 'plan',
        prompt_tokens: 1_200,
        output_tokens: 80,
      },
    ],
  });

  it('reads branches, joins, waits and what a prompt continues', () => {
    const { sessions } = read(parseSessionTrace, TREE);
    expect(sessions[0]?.atNs).toBe(0);
    expect(sessions[0]?.calls.map(({ after, continues }) => [after, continues])).toEqual([
      [[], null],
      [[{ call: 0, thinkNs: 20e6 }], null],
      [[{ call: 0, thinkNs: 30e6 }], null],
      [
        [
          { call: 1, thinkNs: 0 },
          { call: 2, thinkNs: 7e6 },
        ],
        0,
      ],
    ]);
  });

  it('takes calls without names for a conversation', () => {
    const calls = [
      { prompt_tokens: 100, output_tokens: 10 },
      { wait_ms: 2_000, prompt_tokens: 130, output_tokens: 10 },
    ];
    const { sessions } = read(parseSessionTrace, JSON.stringify({ calls }));
    expect(sessions[0]?.calls[1]).toMatchObject({
      after: [{ call: 0, thinkNs: 2e9 }],
      continues: 0,
    });
  });

  it('tells every mistake at its line', () => {
    const one = (call: object): string => JSON.stringify({ calls: [call] });
    const turn = { prompt_tokens: 10, output_tokens: 5 };
    expect(
      problemsOf(
        parseSessionTrace,
        one({ ...turn, after: ['x'] }),
        JSON.stringify({ calls: [{ ...turn, id: 'a' }, turn] }),
        one({ prompt_tokens: 10 }),
        one({ ...turn, tool_ms: 5 }),
        JSON.stringify({ calls: [] }),
        one({ ...turn, continues: 'x' }),
        one({ ...turn, wait_ms: 5 }),
        JSON.stringify({
          calls: [
            { ...turn, id: 'a' },
            { ...turn, id: 'b', after: [] },
            { ...turn, id: 'c', after: ['b'] },
            { prompt_tokens: 20, output_tokens: 5, after: ['c'], continues: 'a' },
            { prompt_tokens: 20, output_tokens: 5, after: ['c'], continues: 'b' },
          ],
        }),
      ),
    ).toEqual([
      '1:2 calls[0] names no earlier call: x',
      '2:2 calls[1]: a prompt of 10 tokens cannot go on from 15; prompt_tokens is the whole prompt, and "continues": null starts a new text',
      '3:2 calls[0].output_tokens is missing',
      '4:49 unknown key tool_ms',
      expect.stringMatching(/^5:2 calls/),
      '6:2 calls[0] names no earlier call: x',
      '7:2 calls[0] waits for no call, so there is no end for wait_ms to follow',
      '8:2 calls[3] goes on from a call that it does not wait for',
    ]);
  });

  it('leaves out what passes a context, and what waits for it', () => {
    const { sessions } = read(parseSessionTrace, TREE);
    const cut = withinContext(sessions, 1_100);
    expect(cut).toMatchObject({ calls: 1, emptySessions: 0 });
    expect(cut.sessions[0]?.calls).toHaveLength(3);
    expect(withinContext(sessions, 600)).toMatchObject({
      calls: 4,
      emptySessions: 1,
      sessions: [],
    });
  });
});
