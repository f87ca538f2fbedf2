import { describe, expect, it } from 'vitest';
import type { PromptRecipe } from '../workload/index.ts';
import { PromptBlocks } from './prompt-blocks.ts';

function synthetic(sharedId: number | null, sharedTokens: number): PromptRecipe {
  return { kind: 'synthetic', seed: 7, tokens: 100, sharedId, sharedTokens };
}

function blocks(...blockIds: readonly number[]): PromptRecipe {
  return { kind: 'blocks', blockIds, blockTokens: 32, tokens: 0 };
}

describe('the blocks of a prompt', () => {
  it('of unique text are nobody else’s', () => {
    const unique = new PromptBlocks(16).of(synthetic(null, 0), 100);
    expect(unique).toEqual([]);
  });

  it('of a shared beginning are its full ones, named by group', () => {
    const blocksIn = new PromptBlocks(16);
    const [a, again, b] = [3, 3, 4].map((id) => blocksIn.of(synthetic(id, 40), 100));
    expect(a).toHaveLength(2);
    expect(again).toEqual(a);
    expect(b?.some((id) => a?.includes(id))).toBe(false);
  });

  it('of a file’s entry are the entry’s, unless a unique line comes first', () => {
    const blocksIn = new PromptBlocks(16);
    const entry = { kind: 'prompt', entry: 2 } as const;
    expect(blocksIn.of({ ...entry, uniqueSeed: null }, 50)).toHaveLength(3);
    expect(blocksIn.of({ ...entry, uniqueSeed: 9 }, 50)).toEqual([]);
  });

  it('of a trace are cut to the engine’s, full ones only', () => {
    const blocksIn = new PromptBlocks(16);
    const long = blocksIn.of(blocks(5, 6), 64);
    const short = blocksIn.of(blocks(5, 6), 40);
    expect([long.length, short.length]).toEqual([4, 2]);
    expect(long.slice(0, 2)).toEqual(short);
  });

  it('of a trace depend on all blocks before', () => {
    const blocksIn = new PromptBlocks(32);
    const [one, other, prefix] = [blocks(5, 6), blocks(4, 6), blocks(5)].map((recipe) =>
      blocksIn.of(recipe, 64),
    );
    expect(one?.[1]).not.toBe(other?.[1]);
    expect(prefix?.[0]).toBe(one?.[0]);
  });
});
