import { describe, expect, it } from 'vitest';
import { NS_PER_SECOND } from '../base/index.ts';
import type { Schedule, ScheduledRequest } from '../workload/index.ts';
import { loadSchedule, longestAnswerTokens } from './load-schedule.ts';
import { offeredBy, plannedLoad } from './planned-load.ts';

const WISH = { streams: null, tokensPerSecond: 40, burst: false };

function scheduled(count: number, outputTokensMax: number | null): ScheduledRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    release: { kind: 'at', atNs: index },
    promptTokens: 100,
    outputTokensMax,
    prompt: { kind: 'body', entry: 0 },
    session: null,
    class: null,
    priority: 0,
  }));
}

function schedule(count: number, outputTokensMax: number | null, slots: number | null = null) {
  return {
    requests: scheduled(count, outputTokensMax),
    stopNs: 10 * NS_PER_SECOND,
    slots,
    hash: '',
  };
}

describe('plannedLoad', () => {
  it('has as many streams as the rate and the time of an answer make: N = λ · L / R', () => {
    const load = plannedLoad(offeredBy(schedule(80, 512), null), WISH);
    // 8/s, each for 512 / 40 = 12.8 s.
    expect(load).toMatchObject({
      streamCount: 103,
      startsRps: 8,
      chunksRps: 4_120,
      promptTokens: 100,
    });
    expect(load.outputTokens).toBe(515);
  });

  it('has the starts that keep the streams of a closed loop', () => {
    const load = plannedLoad(offeredBy(schedule(1_000, 400, 20), null), WISH);
    expect(load).toMatchObject({ streamCount: 20, startsRps: 2, outputTokens: 400 });
    expect(plannedLoad(offeredBy(schedule(1_000, 400), 30), WISH).streamCount).toBe(30);
  });

  it('takes longer answers where more streams are asked for at the same rate of starts', () => {
    const load = plannedLoad(offeredBy(schedule(80, 512), null), { ...WISH, streams: 1_000 });
    expect(load).toMatchObject({ streamCount: 1_000, startsRps: 8, outputTokens: 5_000 });
  });

  it('fills in what a run does not say', () => {
    const load = plannedLoad(offeredBy(schedule(80, null), null), WISH);
    expect(load).toMatchObject({ startsRps: 8, outputTokens: 260 });
  });
});

describe('loadSchedule', () => {
  const load = plannedLoad(
    { startsRps: 50, streams: null, promptTokens: 10, outputTokens: 160 },
    WISH,
  );
  const measureNs = 20 * NS_PER_SECOND;
  const { schedule: made, measuredFromNs } = loadSchedule(load, { measureNs, seed: 1 });

  /** Streams that are being read at an instant, if every token takes 1/40 s. */
  function streamsAt({ requests }: Schedule, atNs: number): number {
    return requests.filter(({ release, outputTokensMax }) => {
      if (release.kind !== 'at') return false;
      const endNs = release.atNs + ((outputTokensMax ?? 0) / load.tokensPerSecond) * NS_PER_SECOND;
      return release.atNs <= atNs && atNs < endNs;
    }).length;
  }

  it('holds the planned streams from the first measured instant to the last', () => {
    expect(load.streamCount).toBe(200);
    for (let second = 0; second < 20; second += 1) {
      const streams = streamsAt(made, measuredFromNs + second * NS_PER_SECOND);
      // Poisson: the number in service varies by its root, 14.
      expect(Math.abs(streams - 200), `after ${second} s`).toBeLessThan(50);
    }
  });

  it('begins requests at the planned rate', () => {
    const steady = made.requests.filter(
      ({ release }) => release.kind === 'at' && release.atNs >= measuredFromNs,
    );
    expect(steady.length / 20).toBeGreaterThan(43);
    expect(steady.length / 20).toBeLessThan(57);
  });

  it('is in order of time, and ends', () => {
    const instants = made.requests.map(({ release }) => (release.kind === 'at' ? release.atNs : 0));
    expect(instants).toEqual(instants.toSorted((a, b) => a - b));
    expect(instants.at(-1)).toBeLessThan(made.stopNs);
    expect(made.stopNs - measuredFromNs).toBe(measureNs);
    expect(longestAnswerTokens(made)).toBeLessThanOrEqual(160 + 40 + 1);
  });

  it('opens many streams no faster than 500 a second', () => {
    const many = plannedLoad(
      { startsRps: null, streams: 5_000, promptTokens: 1, outputTokens: 100 },
      WISH,
    );
    expect(loadSchedule(many, { measureNs, seed: 1 }).measuredFromNs).toBe(10 * NS_PER_SECOND);
  });
});
