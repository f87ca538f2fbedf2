import { describe, expect, it } from 'vitest';
import { atSeconds, scheduleOf } from '../../../test/support/point-run.ts';
import { EnvironmentError, NS_PER_MS, NS_PER_SECOND } from '../../base/index.ts';
import type { Release, Schedule } from '../../workload/index.ts';
import type { AnswerFacts } from '../answer-facts.ts';
import { CHUNK_COST_NS, generatorNeed, planGenerators, START_COST_NS } from './generator-need.ts';

/** 33 events, one a token, 25 ms apart after 200 ms. */
const ANSWER: AnswerFacts = {
  ttftNs: 200 * NS_PER_MS,
  completionNs: 1_000 * NS_PER_MS,
  events: 33,
  eventsInSharedReads: 0,
  outputTokens: 33,
  localOutputTokens: null,
  promptTokens: 10,
  cachedPromptTokens: null,
  reasoningEvents: 0,
  perEventUsage: false,
  tokensPerEvent: 1,
  finishReason: 'stop',
  outputSpanShare: 0.8,
  queueTold: false,
};

/** So many arrivals per second for ten seconds, each of 128 tokens. */
function openLoop(perSecond: number): Schedule {
  const instants = Array.from({ length: perSecond * 10 }, (_, index) => index / perSecond);
  return scheduleOf(atSeconds(...instants), { stopNs: 10 * NS_PER_SECOND, outputTokensMax: 128 });
}

function pool(slots: number): Schedule {
  const releases = Array.from({ length: 20_000 }, (): Release => ({ kind: 'slot' }));
  return scheduleOf(releases, { slots, stopNs: 60 * NS_PER_SECOND, outputTokensMax: 128 });
}

const LOAD = { kind: 'rate', level: 1, label: 'the load', closedLoop: false } as const;

interface Planned {
  readonly needs: number;
  readonly asked?: number;
  readonly schedule?: Schedule;
  readonly maxInFlight?: number;
}

function planFor(cores: number, options: Planned) {
  const { needs, asked = null, schedule = openLoop(10), maxInFlight = 1_000 } = options;
  const need = { startsRps: 1, chunksPerSecond: 1, streams: 1, cores: needs };
  return planGenerators({ load: LOAD, schedule }, need, { asked, cores, maxInFlight });
}

describe('generatorNeed', () => {
  it('of an open loop is its rate, times what an answer takes', () => {
    const need = generatorNeed(
      { schedule: openLoop(200) },
      { answer: ANSWER, maxInFlight: 9_999, stream: true },
    );
    expect(need.startsRps).toBe(200);
    expect(need.chunksPerSecond).toBe(25_600);
    // 200/s × (0.2 s + 128 × 25 ms), by Little's law.
    expect(need.streams).toBe(680);
    expect(need.cores).toBeCloseTo((25_600 * CHUNK_COST_NS + 200 * START_COST_NS) / 1e9, 9);
  });

  it('of a closed loop is what the slots let through', () => {
    const need = generatorNeed(
      { schedule: pool(340) },
      { answer: ANSWER, maxInFlight: 340, stream: true },
    );
    expect(need.startsRps).toBeCloseTo(100, 6);
    expect(need.chunksPerSecond).toBeCloseTo(12_800, 6);
    expect(need.streams).toBe(340);
  });

  it('counts events, not tokens, where the server sends several in one', () => {
    const answer = { ...ANSWER, tokensPerEvent: 4, events: 9 };
    const need = generatorNeed(
      { schedule: openLoop(100) },
      { answer, maxInFlight: 9_999, stream: true },
    );
    expect(need.chunksPerSecond).toBe(3_200);
  });

  it('reads an answer that is no stream at once', () => {
    const schedule = openLoop(100);
    const need = generatorNeed({ schedule }, { answer: ANSWER, maxInFlight: 9_999, stream: false });
    expect(need.cores).toBeCloseTo((100 * START_COST_NS) / 1e9, 9);
  });

  it('without a probe is that of the starts and of every token an event', () => {
    const need = generatorNeed(
      { schedule: openLoop(100) },
      { answer: null, maxInFlight: 64, stream: true },
    );
    expect(need).toMatchObject({ startsRps: 100, chunksPerSecond: 12_800, streams: 0 });
  });
});

describe('planGenerators', () => {
  it('says nothing where one process does', () => {
    expect(planFor(8, { needs: 0.65 })).toEqual({ processes: 1, note: null });
  });

  it('takes as many as keep every loop below its limit, and says so', () => {
    expect(planFor(8, { needs: 1.8 })).toEqual({
      processes: 3,
      note: 'the load needs about 1.8 cores of generator: 3 processes',
    });
  });

  it('warns where the machine has too few cores', () => {
    const { processes, note } = planFor(2, { needs: 3.9 });
    expect(processes).toBe(2);
    expect(note).toMatch(
      /: 2 processes, which are fewer than the 6 that would keep each below 65 %/,
    );
  });

  it('refuses what no error of the estimate explains', () => {
    expect(() => planFor(2, { needs: 4.1 })).toThrow(EnvironmentError);
    expect(() => planFor(2, { needs: 4.1 })).toThrow(
      'the load needs about 4.1 cores of generator, and this machine has 2',
    );
  });

  it('does as it is told, as far as the load can be dealt', () => {
    expect(planFor(2, { needs: 99, asked: 5 })).toEqual({ processes: 5, note: null });
    expect(planFor(2, { needs: 1, asked: 1 })).toEqual({ processes: 1, note: null });
    expect(planFor(2, { needs: 1, asked: 4, schedule: pool(3) })).toEqual({
      processes: 3,
      note: 'the load can be dealt to 3 processes at most',
    });
  });

  it('leaves no process without a part of the ceiling', () => {
    expect(planFor(8, { needs: 1.8, maxInFlight: 2 }).processes).toBe(2);
    expect(planFor(8, { needs: 1, asked: 4, maxInFlight: 3 }).processes).toBe(3);
  });
});
