import { describe, expect, it } from 'vitest';
import { inFlightOver } from './in-flight.ts';

const WINDOW = { fromNs: 0, toNs: 100 };

describe('in-flight over a window', () => {
  it('weights levels by the time they lasted', () => {
    const stays = [
      { fromNs: 0, toNs: 50 },
      { fromNs: 40, toNs: 60 },
    ];
    expect(inFlightOver(stays, WINDOW)).toEqual({ integralNs: 70, mean: 0.7, p99: 2 });
  });

  it('ignores a level that lasted less than 1 % of the window', () => {
    const stays = [
      { fromNs: 0, toNs: 1_000 },
      { fromNs: 500, toNs: 509 },
    ];
    expect(inFlightOver(stays, { fromNs: 0, toNs: 1_000 }).p99).toBe(1);
  });

  it('counts only what lies inside', () => {
    const stays = [
      { fromNs: -50, toNs: 10 },
      { fromNs: 90, toNs: 500 },
      { fromNs: 100, toNs: 200 },
      { fromNs: -10, toNs: 0 },
    ];
    expect(inFlightOver(stays, WINDOW).integralNs).toBe(20);
  });

  it('does not see two requests where one follows the other at the same instant', () => {
    const stays = [
      { fromNs: 0, toNs: 50 },
      { fromNs: 50, toNs: 100 },
    ];
    expect(inFlightOver(stays, WINDOW)).toEqual({ integralNs: 100, mean: 1, p99: 1 });
  });

  it('lets a stay of no length pass', () => {
    expect(inFlightOver([{ fromNs: 50, toNs: 50 }], WINDOW).mean).toBe(0);
  });

  it('has no mean over an empty window', () => {
    expect(inFlightOver([], { fromNs: 7, toNs: 7 })).toEqual({
      integralNs: 0,
      mean: null,
      p99: null,
    });
  });
});
