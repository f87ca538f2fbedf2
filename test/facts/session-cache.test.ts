/**
 * How much of a turn a prefix cache has, by arithmetic: the full blocks of what was computed before,
 * and never the last token of a prompt.
 */
import { describe, expect, it } from 'vitest';
import { NS_PER_SECOND } from '../../src/base/index.ts';
import { type HistoryMode, planSchedule } from '../../src/workload/index.ts';
import { inPlace, ROOMY_ENGINE, ROOMY_SERVICE, simulatePoint } from '../support/simulated-point.ts';

const BLOCK = 16;
const SYSTEM = 1_000;
const FIRST = 500;
const FOLLOW_UP = 100;
const ANSWER = 100;

/** One session after another, five turns each. */
async function cachedTokens(history: HistoryMode, replicas = 1): Promise<(number | null)[]> {
  const fixed = (tokens: number) => ({ kind: 'fixed', tokens }) as const;
  const schedule = planSchedule({
    source: {
      kind: 'sessions',
      turns: fixed(5),
      input: fixed(FIRST),
      followUp: fixed(FOLLOW_UP),
      output: fixed(ANSWER),
      system: [{ tokens: SYSTEM, share: 1 }],
      maxContextTokens: null,
      history,
    },
    shape: {
      kind: 'sessions',
      sessionsPerSecond: 0.02,
      arrivals: { kind: 'constant' },
      think: { kind: 'fixed', meanNs: NS_PER_SECOND },
      durationNs: 100 * NS_PER_SECOND,
      maxRequests: null,
    },
    seeds: { arrivals: 1, lengths: 1, prompts: 1, text: 1 },
  });
  const memory = {
    blocks: 4_000,
    blockTokens: BLOCK,
    prefixCaching: true,
    reserveFullPrompt: true,
  };
  const engine = { ...ROOMY_ENGINE, memory };
  const service = { ...ROOMY_SERVICE, engine, replicas };
  const { records } = await simulatePoint(schedule, service);
  return inPlace(records).map(({ timeline }) => timeline?.usage?.cachedPromptTokens ?? null);
}

const fullBlocks = (tokens: number): number => BLOCK * Math.floor(tokens / BLOCK);

/** Tokens of the prompt of a turn, from 0. */
const promptOf = (turn: number): number => SYSTEM + FIRST + turn * (ANSWER + FOLLOW_UP);

describe('the cached tokens of each turn of a session', () => {
  it('are the prompt before it, where earlier answers stand in planned words', async () => {
    const later = [0, 1, 2, 3].map((turn) => fullBlocks(promptOf(turn)));
    // Of the second session the first turn has the system prompt, which is all they share.
    expect(await cachedTokens('planned')).toEqual([0, ...later, fullBlocks(SYSTEM), ...later]);
    expect(later).toEqual([1488, 1696, 1888, 2096]);
  });

  it('are the answer to it as well, where they stand in the server’s', async () => {
    // The newest token of an answer was never computed: it is the input of a step that did not come.
    const later = [0, 1, 2, 3].map((turn) => fullBlocks(promptOf(turn) + ANSWER - 1));
    expect(await cachedTokens('answers')).toEqual([0, ...later, fullBlocks(SYSTEM), ...later]);
    expect(later).toEqual([1584, 1792, 1984, 2192]);
  });

  it('are none where the router sends each turn to another replica', async () => {
    // Ten turns over five replicas in turn: each finds the system prompt at most, as the second
    // session comes to it, and its own conversation nowhere.
    const turns = await cachedTokens('planned', 5);
    expect(turns.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(turns.slice(5)).toEqual(Array.from({ length: 5 }, () => fullBlocks(SYSTEM)));
  });
});
