import { describe, expect, it } from 'vitest';
import { type ParetoDraw, paretoOf } from '../planner/index.ts';
import { markdownPareto, terminalPareto } from './pareto-report.ts';

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
    goodRps: 1,
    tpotP50Ns: tpotMs * 1e6,
    ttftP95Ns: 100e6,
    attainmentShare: 1,
    target: 'met',
    unusable: null,
    ...rest,
  };
}

const RESULT = paretoOf(
  [
    drawOf(8, 8, 700, 10),
    drawOf(8, 8, 690, 10.5),
    drawOf(8, 16, 650, 15),
    drawOf(16, 8, 900, 20),
    drawOf(16, 64, 2_000, 30, { unusable: 'backlog grew' }),
    drawOf(16, 32, 1_500, 25, { target: 'missed', attainmentShare: 0.4 }),
  ],
  { axes: { gain: 'outputTokens', latency: 'tpotP50' }, drawsAsked: 2, gpus: 2 },
);

const page = (explain: boolean) =>
  terminalPareto(RESULT, { width: 100, color: false, explain, files: [] });

describe('terminalPareto', () => {
  it('shows the frontier, what gives most, and what was removed', () => {
    const text = page(false);
    expect(text).toContain('8      8 streams        690      345        95.2   10.5 ms');
    expect(text).toContain('most within the objective: batch 16, 8 streams: 900 output tok/s');
    expect(text).toContain(
      'of 5 points 1 dominated or equal, 1 outside the objective, 1 left out: backlog grew',
    );
    expect(text).toContain('up to 1.4 % apart in output tok/s and 4.8 % in TPOT p50');
    expect(text).not.toContain('16 streams');
    expect(text.split('\n').every((line) => line.length <= 100)).toBe(true);
  });

  it('lists every point with its place when explained', () => {
    expect(page(true)).toMatch(/8 +16 streams .* dominated/);
    expect(page(true)).toMatch(/16 +32 streams .* missed$/m);
    expect(page(true)).toMatch(/16 +64 streams .* backlog grew$/m);
  });

  it('shows every point where none met the objective', () => {
    const none = paretoOf([drawOf(8, 8, 700, 10, { target: 'missed' })], {
      axes: RESULT.axes,
      drawsAsked: 1,
      gpus: null,
    });
    const text = terminalPareto(none, { width: 80, color: false, explain: false, files: [] });
    expect(text).toContain('no point met the objective in every draw');
    expect(text).toMatch(/8 streams .* missed$/m);
  });
});

describe('markdownPareto', () => {
  it('has a row a point and the plot', () => {
    const text = markdownPareto(RESULT);
    expect(text.match(/^\| (8|16) \|/gm)).toHaveLength(5);
    expect(text).toContain('```text');
  });
});
