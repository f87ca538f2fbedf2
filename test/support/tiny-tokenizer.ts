/**
 * A `tokenizer.json` made by hand: byte-level BPE of GPT-2's kind, whose merges spell the words it
 * is given and nothing else.
 */

/** GPT-2's letters for bytes: printable Latin-1 stands for itself, the rest from U+0100 on. */
function byteLetters(): string[] {
  const isPrintable = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(isPrintable(byte) ? byte : next++),
  );
}

const BYTE_LEVEL = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true };

/** The file's text. Each word is built from its left, then joined to a blank before it. */
export function tinyTokenizerJson(words: readonly string[], extra: object = {}): string {
  const letters = byteLetters();
  const blank = letters[32] as string;
  const vocabulary = new Map(letters.map((letter, id) => [letter, id]));
  const merges: string[] = [];
  const merge = (left: string, right: string): void => {
    if (vocabulary.has(left + right)) return;
    vocabulary.set(left + right, vocabulary.size);
    merges.push(`${left} ${right}`);
  };
  for (const word of words) {
    for (let at = 1; at < word.length; at += 1) merge(word.slice(0, at), word.charAt(at));
  }
  for (const word of words) merge(blank, word);
  return JSON.stringify({
    version: '1.0',
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { ...BYTE_LEVEL, use_regex: true },
    post_processor: null,
    decoder: { ...BYTE_LEVEL, use_regex: true },
    model: { type: 'BPE', vocab: Object.fromEntries(vocabulary), merges },
    ...extra,
  });
}
