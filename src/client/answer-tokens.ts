/** Counts the tokens of one answer by its text, as that is read. */
import type { LocalTokens, OutputKind } from '../record/index.ts';

/** A local tokenizer, as far as this room needs one. */
export interface AnswerCounter {
  /** Its name, as records have it. */
  readonly tokenizer: string;
  /** Adds up the text of one kind of output in one answer. */
  tally(): { add(text: string): void; total(): number };
}

/** The text is counted and let go: nothing of it is kept but what the tally has yet to count. */
export class AnswerTokens {
  readonly #counter: AnswerCounter;
  readonly #tallies = new Map<OutputKind, ReturnType<AnswerCounter['tally']>>();

  constructor(counter: AnswerCounter) {
    this.#counter = counter;
  }

  readonly add = (kind: OutputKind, text: string): void => {
    let tally = this.#tallies.get(kind);
    if (tally === undefined) {
      tally = this.#counter.tally();
      this.#tallies.set(kind, tally);
    }
    tally.add(text);
  };

  /** Of all text so far. Whether anything is judged by it is not for this room to say. */
  counted(): LocalTokens {
    const total = (kind: OutputKind): number => this.#tallies.get(kind)?.total() ?? 0;
    return {
      tokenizer: this.#counter.tokenizer,
      judged: false,
      answerTokens: total('answer'),
      reasoningTokens: total('reasoning'),
      refusalTokens: total('refusal'),
      toolCallTokens: total('toolCall'),
    };
  }
}
