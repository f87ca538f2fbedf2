/** What a tokenizer is to the rest of the program. */

/** Which tokenizer: a vocabulary of OpenAI's, or a file in the format of Hugging Face. */
export type TokenizerSource =
  | {
      readonly kind: 'gpt';
      /** `o200k_base`, or the name of a model that uses one: `gpt-4o`. */
      readonly vocabulary: string;
    }
  | {
      readonly kind: 'file';
      /** Of a `tokenizer.json`. */
      readonly path: string;
    };

export interface Tokenizer {
  /** `o200k_base`, or `tokenizer.json@3f2a9c01`: the file and the start of its hash. */
  readonly name: string;
  /** SHA-256 of the vocabulary's published file, or of the file given, in hex. */
  readonly sha256: string;
  /** The package that reads it, with its version. */
  readonly reader: string;
  /**
   * Whether a token may reach from the end of one word over the blank behind it: words side by side
   * can then be fewer tokens than one by one.
   */
  readonly joinsWords: boolean;
  /** Tokens of the text alone: no start mark, no template. */
  count(text: string): number;
  encode(text: string): readonly number[];
  decode(ids: readonly number[]): string;
}
