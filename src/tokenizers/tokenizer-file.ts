/** Any model's `tokenizer.json`, read by the optional package `@huggingface/tokenizers`. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type * as HuggingFace from '@huggingface/tokenizers';
import { EnvironmentError, printable, ProblemsError, usageProblem } from '../base/index.ts';
import type { Tokenizer } from './tokenizer.ts';

const HASH_SHOWN = 8;
/** A blank is written as itself, as GPT-2's letter for its byte, or as SentencePiece's mark. */
const WORD_AND_BLANK = /[a-z][ \u0120\u2581]/i;

/**
 * Errors: `EnvironmentError` when the package is missing; `ProblemsError` when `text` is not JSON
 * or not a tokenizer that the package can read.
 */
export async function openTokenizerFile(path: string, text: string): Promise<Tokenizer> {
  const { Tokenizer: Reader } = await loadReader();
  const read = readerOf(Reader, path, text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const encode = (plain: string): number[] =>
    plain === '' ? [] : read.encode(plain, { add_special_tokens: false }).ids;
  return {
    name: `${printable(basename(path), 60)}@${sha256.slice(0, HASH_SHOWN)}`,
    sha256,
    reader: `@huggingface/tokenizers ${readerVersion()}`,
    joinsWords: [...read.get_vocab().keys()].some((token) => WORD_AND_BLANK.test(token)),
    count: (plain) => encode(plain).length,
    encode,
    decode: (ids) =>
      ids.length === 0
        ? ''
        : read.decode([...ids], {
            skip_special_tokens: false,
            clean_up_tokenization_spaces: false,
          }),
  };
}

function readerOf(
  Reader: typeof HuggingFace.Tokenizer,
  path: string,
  text: string,
): HuggingFace.Tokenizer {
  try {
    return new Reader(JSON.parse(text) as object, {});
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ProblemsError([
      usageProblem(
        'E_USAGE_VALUE',
        `${printable(path)} is not a tokenizer that can be read: ${printable(why, 160)}`,
        "give the tokenizer.json that lies beside the model's weights",
      ),
    ]);
  }
}

async function loadReader(): Promise<typeof HuggingFace> {
  try {
    return await import('@huggingface/tokenizers');
  } catch (cause) {
    throw new EnvironmentError({
      code: 'E_TOKENIZER_MISSING',
      message: 'a tokenizer.json needs @huggingface/tokenizers, which is not installed',
      hint: 'npm install @huggingface/tokenizers beside goodput',
      cause,
    });
  }
}

/** The package does not export its own description, so it is looked for above its entry. */
function readerVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@huggingface/tokenizers');
  const file = join(dirname(entry), '..', 'package.json');
  return String((JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown }).version);
}
