/** What a prompt holds, as far as a prefix cache and a router can tell, without making its text. */
import { assert, assertNever } from '../base/index.ts';
import type { MessageText, PromptRecipe } from '../workload/index.ts';

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
      case 'conversation':
        return this.#messages(recipe);
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

  /**
   * The full blocks of the messages, and of the answer where later turns repeat it. A block is known
   * by the message it ends in, all messages before that and its place, because a message is always
   * repeated whole. Of a file's texts, each word is taken for a token.
   */
  #messages({ messages, answer }: Extract<PromptRecipe, { kind: 'conversation' }>): string[] {
    const blockIds: string[] = [];
    let before = -1;
    let endTokens = 0;
    for (const { text } of answer === null ? messages : [...messages, answer]) {
      before = this.#numberOf(before, idOf(text));
      endTokens += text.kind === 'words' ? text.tokens : text.words;
      for (let at = blockIds.length; (at + 1) * this.#blockTokens <= endTokens; at += 1) {
        blockIds.push(`said ${before} ${at}`);
      }
    }
    return blockIds;
  }

  #numberOf(before: number, id: number | string): number {
    const key = `${before} ${id}`;
    const number = this.#chained.get(key) ?? this.#chained.size;
    this.#chained.set(key, number);
    return number;
  }
}

/** Equal texts of one session have equal ids, and no others. */
function idOf(text: MessageText): number | string {
  if (text.kind === 'words') return text.seed;
  return `${text.entry}/${text.turn}/${text.part}/${text.uniqueSeed}`;
}
