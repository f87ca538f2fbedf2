/** OpenAI's vocabularies, from the optional package `gpt-tokenizer`. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { EnvironmentError, nearestWord, ProblemsError, usageProblem } from '../base/index.ts';
import type { Tokenizer } from './tokenizer.ts';

/** Each is a module of its own, so that one vocabulary is loaded and not all. */
const VOCABULARIES = {
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  o200k_harmony: () => import('gpt-tokenizer/encoding/o200k_harmony'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
  p50k_base: () => import('gpt-tokenizer/encoding/p50k_base'),
  p50k_edit: () => import('gpt-tokenizer/encoding/p50k_edit'),
  r50k_base: () => import('gpt-tokenizer/encoding/r50k_base'),
} as const;

type VocabularyName = keyof typeof VOCABULARIES;

export const VOCABULARY_NAMES = Object.keys(VOCABULARIES) as readonly VocabularyName[];

/** Vocabularies that differ in their special tokens alone are published as one file. */
const PUBLISHED_AS: Partial<Record<VocabularyName, VocabularyName>> = {
  o200k_harmony: 'o200k_base',
  p50k_edit: 'p50k_base',
};

/** A text that spells `<|endoftext|>` is a text like any other: nobody obeys it here. */
const AS_PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

/** Errors: see `openTokenizer`. `name`: a vocabulary, or a model that uses one. */
export async function openGptVocabulary(name: string): Promise<Tokenizer> {
  const vocabulary = isVocabulary(name) ? name : await vocabularyOf(name);
  const { encode, decode, countTokens } = await installed(VOCABULARIES[vocabulary]);
  return {
    name: vocabulary,
    sha256: publishedHash(PUBLISHED_AS[vocabulary] ?? vocabulary),
    reader: `gpt-tokenizer ${packageVersion()}`,
    // Their patterns cut a text before every blank that a letter follows.
    joinsWords: false,
    count: (text) => countTokens(text, AS_PLAIN_TEXT),
    encode: (text) => encode(text, AS_PLAIN_TEXT),
    decode: (ids) => decode(ids),
  };
}

/** The vocabulary of a model. The package gives the newest to any name: a mistyped one too. */
async function vocabularyOf(model: string): Promise<VocabularyName> {
  const models = await installed(() => import('gpt-tokenizer/models'));
  const { modelToEncodingMap } = await installed(() => import('gpt-tokenizer/mapping'));
  const told = (modelToEncodingMap as Readonly<Record<string, string>>)[model];
  const vocabulary = told ?? (Object.hasOwn(models, model) ? 'o200k_base' : null);
  if (vocabulary !== null && isVocabulary(vocabulary)) return vocabulary;
  const nearest = nearestWord(model, [...VOCABULARY_NAMES, ...Object.keys(models)]);
  throw new ProblemsError([
    usageProblem(
      'E_USAGE_VALUE',
      `no tokenizer is called ${JSON.stringify(model)}`,
      `${nearest === null ? '' : `did you mean ${nearest}? `}It is one of ${VOCABULARY_NAMES.join(', ')}, ` +
        'a model of OpenAI, or the path of a tokenizer.json',
    ),
  ]);
}

function isVocabulary(name: string): name is VocabularyName {
  return Object.hasOwn(VOCABULARIES, name);
}

/** Of the file that OpenAI publishes, which the package holds beside its own form of it. */
function publishedHash(vocabulary: VocabularyName): string {
  const file = require.resolve(`gpt-tokenizer/data/${vocabulary}.tiktoken`);
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function packageVersion(): string {
  const file = require.resolve('gpt-tokenizer/package.json');
  return String((JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown }).version);
}

const require = createRequire(import.meta.url);

async function installed<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    throw new EnvironmentError({
      code: 'E_TOKENIZER_MISSING',
      message: "OpenAI's vocabularies need gpt-tokenizer, which is not installed",
      hint: 'npm install gpt-tokenizer beside goodput',
      cause,
    });
  }
}
