import { describe, expect, it } from 'vitest';
import { type ParetoAxes, type ParetoDraw, paretoOf, repeatsOf } from './pareto-analysis.ts';

const AXES: ParetoAxes = { gain: 'outputTokens', latency: 'tpotP50' };

function drawOf(
  batch: number,
  level: number,
  tokens: number,
  tpotMs: number,
  rest: Partial<ParetoDraw> = {},
): ParetoDraw {
  return {
    batch,
    level,
    load: `${level} streams`,
    outputTokensPerSecond: tokens,
    goodRps: tokens / 100,
    tpotP50Ns: tpotMs * 1e6,
    ttftP95Ns: 100e6,
    attainmentShare: 1,
    target: 'met',
    unusable: null,
    ...rest,
  };
}

const analysed = (draws: readonly ParetoDraw[], axes = AXES) =>
  paretoOf(draws, { axes, drawsAsked: 2, gpus: 4 });

describe('paretoOf', () => {
  it('places every point: frontier, dominated, left out with its reason', () => {
    const result = analysed([
      drawOf(16, 8, 800, 12),
      drawOf(8, 8, 700, 10),
      drawOf(8, 16, 690, 15),
      drawOf(16, 64, 2_000, 30, { unusable: 'backlog grew', target: 'missed' }),
      drawOf(8, 64, 0, 1, { tpotP50Ns: null }),
      drawOf(32, 8, 3_000, 9, { target: 'missed' }),
    ]);
    expect(
      result.points.map(({ batch, level, place, reason }) => [batch, level, place, reason]),
    ).toEqual([
      [8, 8, 'frontier', null],
      [8, 16, 'dominated', null],
      [8, 64, 'leftOut', 'not observed'],
      [16, 8, 'frontier', null],
      [16, 64, 'leftOut', 'backlog grew'],
      [32, 8, 'outside', null],
    ]);
    expect(result).toMatchObject({ dominatedCount: 1, outsideCount: 1, leftOutCount: 2 });
    expect(result.points[0]).toMatchObject({ outputTokensPerSecondPerGpu: 175, userTps: 100 });
  });

  it('trades what it is told to', () => {
    const draws = [
      drawOf(8, 8, 700, 10, { goodRps: 5, ttftP95Ns: 300e6 }),
      drawOf(8, 16, 800, 12, { goodRps: 6, ttftP95Ns: 200e6 }),
    ];
    const places = (axes: ParetoAxes) => analysed(draws, axes).points.map(({ place }) => place);
    expect(places(AXES)).toEqual(['frontier', 'frontier']);
    expect(places({ gain: 'goodRequests', latency: 'ttftP95' })).toEqual(['dominated', 'frontier']);
  });

  it('is compliant only where every draw met its targets', () => {
    const targets = (...states: ParetoDraw['target'][]) =>
      analysed(states.map((target) => drawOf(8, 8, 700, 10, { target }))).points[0]?.target;
    expect(targets('met', 'met')).toBe('met');
    expect(targets('met', 'missed')).toBe('missed');
    expect(targets('met', 'notEnoughData')).toBe('notEnoughData');
    expect(targets(null)).toBeNull();
  });

  it('takes the worse of two draws and the middle of three, with their spread', () => {
    const two = [drawOf(8, 8, 700, 10), drawOf(8, 8, 600, 14)];
    expect(analysed(two).points[0]).toMatchObject({
      draws: 2,
      outputTokensPerSecond: 600,
      tpotP50Ns: 14e6,
      spread: { gain: { low: 600, high: 700 }, latencyNs: { low: 10e6, high: 14e6 } },
    });
    expect(analysed([...two, drawOf(8, 8, 650, 11)]).points[0]).toMatchObject({
      outputTokensPerSecond: 650,
      tpotP50Ns: 11e6,
    });
  });
});

describe('points that miss the objective', () => {
  it('neither beat those that meet it nor stand on the frontier', () => {
    const draws = [drawOf(8, 8, 700, 10), drawOf(16, 8, 900, 9, { target: 'missed' })];
    expect(analysed(draws).points.map(({ place }) => place)).toEqual(['frontier', 'outside']);
    const unasked = draws.map((draw) => ({ ...draw, target: null }));
    expect(analysed(unasked).points.map(({ place }) => place)).toEqual(['dominated', 'frontier']);
  });

  it('lose their place by one draw', () => {
    const draws = [drawOf(8, 8, 700, 10), drawOf(8, 8, 700, 10, { target: 'notEnoughData' })];
    expect(analysed(draws).points[0]?.place).toBe('outside');
    expect(repeatsOf(draws, AXES, 3)).toEqual([]);
  });
});

describe('repeatsOf', () => {
  it('asks for the frontier alone, and no more once it is drawn often enough', () => {
    const draws = [drawOf(8, 8, 700, 10), drawOf(8, 16, 690, 15), drawOf(16, 8, 800, 12)];
    expect(repeatsOf(draws, AXES, 2)).toEqual([
      { batch: 8, level: 8 },
      { batch: 16, level: 8 },
    ]);
    const again = [...draws, drawOf(8, 8, 710, 10), drawOf(16, 8, 810, 12)];
    expect(repeatsOf(again, AXES, 2)).toEqual([]);
    expect(repeatsOf(draws, AXES, 1)).toEqual([]);
  });

  it('does not repeat what cannot be compared', () => {
    expect(repeatsOf([drawOf(8, 8, 700, 10, { unusable: 'backlog grew' })], AXES, 2)).toEqual([]);
  });
});
