/** What a prompt holds, as far as a prefix cache and a router can tell, without making its text. */
import { assert, assertNever } from '../base/index.ts';
import type { PromptRecipe } from '../workload/index.ts';

/**
 * Names the leading full blocks that prompts of one schedule may have in common, chained. Two prompts of a file have blocks in common only when
 * they are the same entry: common beginnings of different entries are not looked for.
 */
export class PromptBlocks {
  readonly #blockTokens: number;
  /** Number of each block with all blocks before it, by the number before and the block's own id. */
  readonly #chained = new Map<string, number>();

  /** `blockTokens`: tokens of a block of the engine's memory. */
  constructor(blockTokens: number) {
    this.#blockTokens = blockTokens;
  }

  of(recipe: PromptRecipe, promptTokens: number): readonly string[] {
    switch (recipe.kind) {
      case 'synthetic':
        return recipe.sharedId === null
          ? []
          : this.#oneText(`shared ${recipe.sharedId}`, recipe.sharedTokens);
      case 'blocks':
        return this.#traceBlocks(recipe, promptTokens);
      case 'prompt':
        return recipe.uniqueSeed === null
          ? this.#oneText(`entry ${recipe.entry}`, promptTokens)
          : [];
      case 'body':
        return this.#oneText(`body ${recipe.entry}`, promptTokens);
      default:
        return assertNever(recipe);
    }
  }

  /** The full blocks of the first `tokens` tokens of a text with a name. */
  #oneText(name: string, tokens: number): readonly string[] {
    const blocks = Math.floor(tokens / this.#blockTokens);
    return Array.from({ length: blocks }, (_, at) => `${name} ${at}`);
  }

  /** Each block of the trace is several of the engine's. */
  #traceBlocks(
    recipe: Extract<PromptRecipe, { kind: 'blocks' }>,
    promptTokens: number,
  ): readonly string[] {
    const parts = recipe.blockTokens / this.#blockTokens;
    assert(
      Number.isInteger(parts),
      `blocks of ${recipe.blockTokens} tokens are no multiple of ${this.#blockTokens}`,
    );
    const full = Math.floor(promptTokens / this.#blockTokens);
    const blockIds: string[] = [];
    let before = -1;
    for (const id of recipe.blockIds) {
      before = this.#numberOf(before, id);
      for (let part = 0; part < parts && blockIds.length < full; part += 1) {
        blockIds.push(`block ${before} ${part}`);
      }
    }
    return blockIds;
  }

  #numberOf(before: number, id: number): number {
    const key = `${before} ${id}`;
    const number = this.#chained.get(key) ?? this.#chained.size;
    this.#chained.set(key, number);
    return number;
  }
}
