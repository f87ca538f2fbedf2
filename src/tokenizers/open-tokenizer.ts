import { assertNever } from '../base/index.ts';
import { openGptVocabulary } from './gpt-vocabulary.ts';
import type { Tokenizer, TokenizerSource } from './tokenizer.ts';
import { openTokenizerFile } from './tokenizer-file.ts';

/**
 * Opens a tokenizer: 0.1 to 0.7 s, and up to 100 MB of memory for a large vocabulary.
 *
 * Errors: `EnvironmentError` `E_TOKENIZER_MISSING` when the optional package is not installed;
 * `ProblemsError` for a vocabulary nobody knows and a file that is not a tokenizer; whatever
 * `readText` fails with.
 */
export function openTokenizer(
  source: TokenizerSource,
  readText: (path: string) => string,
): Promise<Tokenizer> {
  switch (source.kind) {
    case 'gpt':
      return openGptVocabulary(source.vocabulary);
    case 'file':
      return openTokenizerFile(source.path, readText(source.path));
    default:
      return assertNever(source);
  }
}
