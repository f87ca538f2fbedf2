import { describe, expect, it } from 'vitest';
import type { PromptRecipe } from '../workload/index.ts';
import { PromptIdentities } from './prompt-identity.ts';

function synthetic(sharedId: number | null, sharedTokens: number): PromptRecipe {
  return { kind: 'synthetic', seed: 7, tokens: 100, sharedId, sharedTokens };
}

function blocks(...blockIds: readonly number[]): PromptRecipe {
  return { kind: 'blocks', blockIds, blockTokens: 32, tokens: 0 };
}

describe('the identity of a prompt', () => {
  it('of unique text has nothing in common', () => {
    const unique = new PromptIdentities(16).of(synthetic(null, 0), 100);
    expect(unique).toEqual({ blockIds: [], beginning: null });
  });

  it('of a shared beginning has its full blocks, one name a group', () => {
    const identities = new PromptIdentities(16);
    const [a, again, b] = [3, 3, 4].map((id) => identities.of(synthetic(id, 40), 100));
    expect(a?.blockIds).toHaveLength(2);
    expect(again).toEqual(a);
    expect(b?.blockIds.some((id) => a?.blockIds.includes(id))).toBe(false);
  });

  it('of a file’s entry is the entry’s, unless a unique line comes first', () => {
    const identities = new PromptIdentities(16);
    const entry = { kind: 'prompt', entry: 2 } as const;
    expect(identities.of({ ...entry, uniqueSeed: null }, 50).blockIds).toHaveLength(3);
    expect(identities.of({ ...entry, uniqueSeed: 9 }, 50).blockIds).toEqual([]);
  });

  it('of trace blocks cuts them to the engine’s, full ones only', () => {
    const identities = new PromptIdentities(16);
    const long = identities.of(blocks(5, 6), 64).blockIds;
    const short = identities.of(blocks(5, 6), 40).blockIds;
    expect([long.length, short.length]).toEqual([4, 2]);
    expect(long.slice(0, 2)).toEqual(short);
  });

  it('of trace blocks depends on all blocks before', () => {
    const identities = new PromptIdentities(32);
    const [one, other, prefix] = [blocks(5, 6), blocks(4, 6), blocks(5)].map(
      (recipe) => identities.of(recipe, 64).blockIds,
    );
    expect(one?.[1]).not.toBe(other?.[1]);
    expect(prefix?.[0]).toBe(one?.[0]);
  });
});
