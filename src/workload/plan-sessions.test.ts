import { describe, expect, it } from 'vitest';
import { NS_PER_SECOND } from '../base/index.ts';
import { planSchedule } from './plan-schedule.ts';
import { makePrompt, UNCALIBRATED } from './prompt-text.ts';
import type { ScheduledRequest } from './schedule.ts';
import type { SessionMix, SessionSource, TracedSession } from './session-spec.ts';
import type { LoadShape } from './spec.ts';

const SEEDS = { arrivals: 1, lengths: 2, prompts: 3, text: 4 };

const MIX: { readonly kind: 'sessions' } & SessionMix = {
  kind: 'sessions',
  turns: { kind: 'uniform', min: 1, max: 5 },
  input: { kind: 'fixed', tokens: 50 },
  followUp: { kind: 'fixed', tokens: 20 },
  output: { kind: 'fixed', tokens: 30 },
  system: [],
  maxContextTokens: null,
  history: 'planned',
};

function shape(changes: Partial<Extract<LoadShape, { kind: 'sessions' }>> = {}): LoadShape {
  return {
    kind: 'sessions',
    sessionsPerSecond: 10,
    arrivals: { kind: 'poisson' },
    think: { kind: 'exponential', meanNs: 4 * NS_PER_SECOND },
    durationNs: 40 * NS_PER_SECOND,
    maxRequests: null,
    ...changes,
  };
}

function planned(source: SessionSource, of: LoadShape = shape(), seeds = SEEDS) {
  return planSchedule({ source, shape: of, seeds });
}

/** The requests of each session. */
function sessions(requests: readonly ScheduledRequest[]): ScheduledRequest[][] {
  const found = new Map<string | null, ScheduledRequest[]>();
  for (const request of requests) {
    const turns = found.get(request.session);
    if (turns === undefined) found.set(request.session, [request]);
    else turns.push(request);
  }
  return [...found.values()];
}

function messagesOf({ prompt }: ScheduledRequest, source: SessionSource): string[] {
  const content = makePrompt(prompt, source, UNCALIBRATED);
  return content.kind === 'messages' ? content.messages.map((one) => one.content) : [];
}

describe('synthetic sessions', () => {
  const all = sessions(planned(MIX).requests);
  const LONG = shape({ durationNs: 400 * NS_PER_SECOND });

  it('arrive at their rate, with the mean of turns and think time asked for', () => {
    const many = sessions(planned(MIX, LONG).requests);
    // 4,000 sessions: four standard deviations of the count are 253, of the mean of 3 turns 0.09.
    expect(Math.abs(many.length - 4_000)).toBeLessThan(253);
    const turns = many.reduce((sum, one) => sum + one.length, 0) / many.length;
    expect(Math.abs(turns - 3)).toBeLessThan(0.09);
    const thinksNs = many
      .flat()
      .flatMap(({ release }) => (release.kind === 'turn' ? [release.after[0]?.thinkNs ?? 0] : []));
    const meanNs = thinksNs.reduce((sum, each) => sum + each, 0) / thinksNs.length;
    // 8,000 exponential times of 4 s: four standard errors are 0.18 s.
    expect(Math.abs(meanNs / NS_PER_SECOND - 4)).toBeLessThan(0.18);
  });

  it('release each turn after the one before it, and the first on its own', () => {
    for (const turns of all) {
      for (const [at, { index, release }] of turns.entries()) {
        expect(release.kind).toBe(at === 0 ? 'at' : 'turn');
        if (release.kind === 'turn') {
          expect(release.after.map((edge) => edge.index)).toEqual([index - 1]);
        }
      }
    }
  });

  it('carry the conversation so far: 50, then 50 + 30 + 20, …', () => {
    const longest = all.find((turns) => turns.length === 5) ?? [];
    expect(longest.map(({ promptTokens }) => promptTokens)).toEqual([50, 100, 150, 200, 250]);
    const texts = longest.map((turn) => messagesOf(turn, MIX));
    for (const [at, text] of texts.entries()) {
      expect(text.join(' ').split(' ')).toHaveLength(longest[at]?.promptTokens ?? 0);
      // Every prompt begins with the whole prompt before it.
      expect(text.slice(0, (texts[at - 1] ?? []).length)).toEqual(texts[at - 1] ?? []);
    }
  });

  it('have no text in common, nor with another run', () => {
    const first = (seeds: typeof SEEDS) =>
      sessions(planned(MIX, shape({ durationNs: 10 * NS_PER_SECOND }), seeds).requests).flatMap(
        ([turn]) => (turn === undefined ? [] : messagesOf(turn, MIX)),
      );
    const texts = [...first(SEEDS), ...first({ ...SEEDS, text: 5 })];
    expect(new Set(texts.map((text) => text.split(' ').slice(0, 6).join(' '))).size).toBe(
      texts.length,
    );
  });

  it('keep their lengths when something else is drawn differently', () => {
    const lengthsOf = (mix: Partial<SessionMix>) =>
      sessions(planned({ ...MIX, ...mix }).requests).map(([turn]) => turn?.promptTokens);
    const input = { kind: 'uniform', min: 10, max: 90 } as const;
    const before = lengthsOf({ input });
    expect(lengthsOf({ input, turns: { kind: 'fixed', tokens: 2 } })).toEqual(before);
    expect(lengthsOf({ input, output: { kind: 'uniform', min: 1, max: 9 } })).toEqual(before);
    expect(new Set(before).size).toBeGreaterThan(50);
  });

  it('end before a turn that would pass the context', () => {
    const bounded = sessions(planned({ ...MIX, maxContextTokens: 180 }).requests);
    // 80 and 130 fit, as does the third turn: 150 + 30 = 180. The fourth would be 230.
    expect(Math.max(...bounded.map((turns) => turns.length))).toBe(3);
    expect(bounded).toHaveLength(all.length);
    expect(() => planned({ ...MIX, maxContextTokens: 79 })).toThrowError(
      /first turn of a session takes 80 tokens/,
    );
  });

  it('begin with a system prompt by its share, equal for all that have it', () => {
    const system = [
      { tokens: 40, share: 0.5 },
      { tokens: 10, share: 0.3 },
    ];
    const source = { ...MIX, system };
    const openings = sessions(planned(source, LONG).requests).map(([turn]) =>
      turn?.promptTokens === 50 ? null : messagesOf(turn as ScheduledRequest, source)[0],
    );
    const counts = new Map<string | null | undefined, number>();
    for (const text of openings) counts.set(text, (counts.get(text) ?? 0) + 1);
    const shares = [...counts.values()].map((count) => count / openings.length);
    expect(shares.toSorted((a, b) => b - a).map((one) => Math.round(10 * one))).toEqual([5, 3, 2]);
  });

  it('name the request whose answer a message repeats, where real answers are asked for', () => {
    const [turns = []] = sessions(planned({ ...MIX, history: 'answers' }).requests).filter(
      (each) => each.length > 2,
    );
    const last = turns[2] as ScheduledRequest;
    const repeated = last.prompt.kind === 'conversation' ? last.prompt.messages : [];
    expect(repeated.map(({ answerOf }) => answerOf)).toEqual([
      null,
      last.index - 2,
      null,
      last.index - 1,
      null,
    ]);
    const content = makePrompt(last.prompt, MIX, UNCALIBRATED, (index) =>
      index === last.index - 1 ? 'what it said' : null,
    );
    const said = content.kind === 'messages' ? content.messages.map((one) => one.content) : [];
    expect(said[3]).toBe('what it said');
    expect(said[1]?.split(' ')).toHaveLength(30);
  });

  it('are cut by a count between sessions only', () => {
    const { requests } = planned(MIX, shape({ maxRequests: 100 }));
    const cut = sessions(requests);
    expect(requests.length).toBeLessThanOrEqual(100);
    expect(cut.map((turns) => turns.length)).toEqual(
      all.slice(0, cut.length).map((turns) => turns.length),
    );
    const tooFew = shape({ maxRequests: (all[0]?.length ?? 0) - 1 });
    expect(() => planned(MIX, tooFew)).toThrowError(/the first session has more than/);
  });

  it('are refused where the load is none of sessions, and the other way round', () => {
    const rate = {
      kind: 'rate',
      rateRps: 1,
      arrivals: { kind: 'poisson' },
      durationNs: NS_PER_SECOND,
      maxRequests: null,
    } as const;
    expect(() => planned(MIX, rate)).toThrowError(/sessions do not come by rate/);
    const { input, output } = MIX;
    const flat = { kind: 'synthetic', input, output, prefix: { kind: 'unique' } } as const;
    const plan = { source: flat, shape: shape(), seeds: SEEDS };
    expect(() => planSchedule(plan)).toThrowError(/are no sessions/);
  });
});

describe('conversations of a file', () => {
  const source: SessionSource = {
    kind: 'conversations',
    path: 'f.json',
    conversations: [
      {
        turns: [
          { prompt: 'hi there', answer: 'hello you' },
          { prompt: 'and now', answer: null },
        ],
      },
    ],
    output: { kind: 'fixed', tokens: 9 },
    order: 'sequential',
    unique: true,
    history: 'planned',
  };

  it('are sent turn by turn, the file’s answers between', () => {
    const [turns = []] = sessions(planned(source).requests);
    const [first = [], second = []] = turns.map((turn) => messagesOf(turn, source));
    expect(first).toHaveLength(1);
    expect(first[0]).toMatch(/.\nhi there$/);
    expect(second).toEqual([first[0], 'hello you', 'and now']);
    expect(
      turns.map(({ promptTokens, outputTokensMax }) => [promptTokens, outputTokensMax]),
    ).toEqual([
      [null, 9],
      [null, 9],
    ]);
  });

  it('open with a line of their own, each time they come round', () => {
    const opened = sessions(planned(source).requests).map(
      ([turn]) => messagesOf(turn as ScheduledRequest, source)[0],
    );
    expect(new Set(opened).size).toBe(opened.length);
  });
});

describe('traced sessions', () => {
  const call = {
    promptTokens: 100,
    outputTokens: 10,
    after: [],
    notBeforeNs: 0,
    continues: null,
    blockIds: null,
  };
  /** A plan, two searches side by side, and an answer from both. */
  const TREE: TracedSession = {
    atNs: 2 * NS_PER_SECOND,
    calls: [
      call,
      { ...call, promptTokens: 130, continues: 0, after: [{ call: 0, thinkNs: 5 }] },
      { ...call, after: [{ call: 0, thinkNs: 7 }] },
      {
        ...call,
        promptTokens: 200,
        continues: 1,
        after: [
          { call: 1, thinkNs: 11 },
          { call: 2, thinkNs: 13 },
        ],
      },
    ],
  };
  const source: SessionSource = {
    kind: 'calls',
    path: 't',
    sessions: [{ ...TREE, atNs: 0 }, TREE],
    blockTokens: null,
    blockScope: 'session',
    history: 'planned',
  };
  const replay = (timeScale: number): LoadShape => ({
    kind: 'trace',
    timeScale,
    fromNs: 0,
    durationNs: 60 * NS_PER_SECOND,
    maxRequests: null,
  });

  it('keep their branches, their joins and their waits at any time scale', () => {
    const { requests, stopNs } = planned(source, replay(10));
    expect(stopNs).toBe(6 * NS_PER_SECOND);
    expect(requests.slice(4).map(({ release }) => release)).toEqual([
      { kind: 'at', atNs: 200_000_000 },
      { kind: 'turn', after: [{ index: 4, thinkNs: 5 }], notBeforeNs: 200_000_000 },
      { kind: 'turn', after: [{ index: 4, thinkNs: 7 }], notBeforeNs: 200_000_000 },
      {
        kind: 'turn',
        after: [
          { index: 5, thinkNs: 11 },
          { index: 6, thinkNs: 13 },
        ],
        notBeforeNs: 200_000_000,
      },
    ]);
  });

  it('begin a prompt with what it continues, and nothing else', () => {
    const [first = []] = sessions(planned(source, replay(1)).requests);
    const texts = first.map((turn) => messagesOf(turn, source));
    expect(texts.map((text) => text.join(' ').split(' ').length)).toEqual([100, 130, 100, 200]);
    expect(texts[1]?.[0]).toBe(texts[0]?.[0]);
    expect(texts[2]?.[0]).not.toBe(texts[0]?.[0]);
    expect(texts[3]?.slice(0, 3)).toEqual(texts[1]?.slice(0, 3));
  });

  it('move the block ids of each session to a place of its own', () => {
    const blocks: SessionSource = {
      ...source,
      blockTokens: 64,
      sessions: [
        { atNs: 0, calls: [{ ...call, blockIds: [1] }] },
        { atNs: 0, calls: [{ ...call, blockIds: [1] }] },
      ],
    };
    const idsOf = (of: SessionSource) =>
      planned(of, replay(1)).requests.flatMap(({ prompt }) =>
        prompt.kind === 'blocks' ? prompt.blockIds : [],
      );
    const [one, other] = idsOf(blocks);
    expect(one).not.toBe(other);
    const [same, equal] = idsOf({ ...blocks, blockScope: 'trace' });
    expect(same).toBe(equal);
  });
});
