import { describe, expect, it } from 'vitest';
import { isPathGrowing } from './backlog.ts';

const path = (level: (part: number) => number): number[] =>
  Array.from({ length: 32 }, (_, part) => level(part));

describe('a growing backlog', () => {
  it('rises from the middle to the last third', () => {
    expect(isPathGrowing(path((part) => 10 + 3 * part))).toBe(true);
  });

  it('may rise like √t: by less than a third, but it does not come back', () => {
    const root = path((part) => 30 * Math.sqrt(part + 1));
    const thirds = [root.slice(11, 22), root.slice(22)].map(
      (levels) => levels.reduce((sum, level) => sum + level, 0) / levels.length,
    );
    expect((thirds[1] as number) / (thirds[0] as number)).toBeLessThan(1.3);
    expect(isPathGrowing(root)).toBe(true);
  });

  it('is no system that fills and stays, nor one that returns', () => {
    expect(isPathGrowing(path((part) => Math.min(20, 4 * part)))).toBe(false);
    expect(isPathGrowing(path((part) => (part % 5 === 0 ? 4 : 30)))).toBe(false);
  });
});
