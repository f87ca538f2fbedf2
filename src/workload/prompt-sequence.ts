/** What each request asks, in order: lengths and prompt recipes, without instants. */
import {
  assert,
  assertNever,
  ProblemsError,
  randomStream,
  usageProblem,
  type RandomSource,
} from '../base/index.ts';
import { createLengthDraw } from './distributions.ts';
import type { EntryOrder } from './entry-order.ts';
import { SEED_WORDS } from './seeded-text.ts';
import type { PromptRecipe, ScheduledRequest } from './schedule.ts';
import { drawSeed } from './seeds.ts';
import type { SessionSource } from './session-spec.ts';
import type {
  PromptSource,
  RequestClass,
  ScheduleSeeds,
  SyntheticPrompts,
  TraceRow,
} from './spec.ts';

/** A request but for its place and its release. */
export type PlannedPrompt = Omit<ScheduledRequest, 'index' | 'release'>;

/**
 * Gives the prompts of `source` one after another. Input lengths, output lengths, texts, prefix
 * groups and order each draw from a stream of their own, one draw a request, so that changing one
 * of them leaves the others as they were.
 */
export function createPromptSequence(
  source: Exclude<PromptSource, SessionSource>,
  seeds: ScheduleSeeds,
  nextEntry: EntryOrder,
): () => PlannedPrompt {
  switch (source.kind) {
    case 'synthetic':
      return createSyntheticSequence(source, { seeds, texts: textsOf(seeds) });
    case 'classes':
      return createClassSequence(source.classes, seeds);
    case 'prompts':
      return createEntrySequence(source, seeds, nextEntry);
    case 'bodies':
      return () => {
        const { entry } = nextEntry();
        const { body, label } = at(source.entries, entry);
        const recipe: PromptRecipe = { kind: 'body', entry };
        return plannedPrompt(recipe, null, bodyOutputTokens(body), { class: label });
      };
    case 'trace':
      return createTraceSequence(source.rows, seeds, nextEntry);
    default:
      return assertNever(source);
  }
}

function textsOf(seeds: ScheduleSeeds): RandomSource {
  return randomStream(seeds.text, 'text');
}

/**
 * Which class comes next is a stream of its own too, and each class has its own streams, so that
 * changing one class leaves the others' lengths as they were.
 */
function createClassSequence(
  classes: readonly RequestClass[],
  seeds: ScheduleSeeds,
): () => PlannedPrompt {
  const totalWeight = classes.reduce((sum, { weight }) => sum + weight, 0);
  assert(totalWeight > 0, 'a mix has at least one class');
  const texts = textsOf(seeds);
  const draws = randomStream(seeds.prompts, 'class');
  let firstSharedId = 0;
  const sequences = classes.map((each) => {
    const { name, prefix } = each;
    const next = createSyntheticSequence(each, { seeds, texts, scope: `/${name}`, firstSharedId });
    firstSharedId += prefix.kind === 'shared' ? prefix.groups : 0;
    return next;
  });
  return () => {
    let left = draws() * totalWeight;
    const found = classes.findIndex(({ weight }) => (left -= weight) < 0);
    // The sum of rounded weights may fall short of the total.
    const chosen = found === -1 ? classes.length - 1 : found;
    const { name, priority } = at(classes, chosen);
    return { ...at(sequences, chosen)(), class: name, priority };
  };
}

interface SyntheticDraws {
  readonly seeds: ScheduleSeeds;
  /** Of prompt texts, one for all that must differ. */
  readonly texts: RandomSource;
  /** Ends the names of the other streams. */
  readonly scope?: string;
  /** Id of the first group of shared text. */
  readonly firstSharedId?: number;
}

function createSyntheticSequence(
  source: SyntheticPrompts,
  { seeds, texts, scope = '', firstSharedId = 0 }: SyntheticDraws,
): () => PlannedPrompt {
  const { prefix } = source;
  if (prefix.kind === 'asGiven') {
    throw conflict('synthetic prompts have no given prefix', 'use unique or shared');
  }
  const nextInput = createLengthDraw(source.input, randomStream(seeds.lengths, `input${scope}`));
  const nextOutput = createLengthDraw(source.output, randomStream(seeds.lengths, `output${scope}`));
  const groups = randomStream(seeds.prompts, `prefix-group${scope}`);
  return () => {
    const tokens = nextInput();
    const shared =
      prefix.kind === 'shared'
        ? {
            sharedId: firstSharedId + Math.floor(groups() * prefix.groups),
            sharedTokens: Math.min(prefix.tokens, tokens),
          }
        : { sharedId: null, sharedTokens: 0 };
    const recipe: PromptRecipe = { kind: 'synthetic', seed: drawSeed(texts), tokens, ...shared };
    return plannedPrompt(recipe, tokens, nextOutput());
  };
}

function createEntrySequence(
  source: Extract<PromptSource, { kind: 'prompts' }>,
  seeds: ScheduleSeeds,
  nextEntry: EntryOrder,
): () => PlannedPrompt {
  const { prefix } = source;
  if (prefix.kind === 'shared') {
    throw conflict(
      'a shared prefix is made for synthetic prompts only',
      'put the shared text into the prompt file and use asGiven',
    );
  }
  const nextOutput = createLengthDraw(source.output, randomStream(seeds.lengths, 'output'));
  const texts = randomStream(seeds.text, 'text');
  return () => {
    const { entry } = nextEntry();
    const { promptTokens, outputTokens, label } = at(source.entries, entry);
    const drawnTokens = nextOutput();
    const uniqueSeed = prefix.kind === 'unique' ? drawSeed(texts) : null;
    const addedTokens = uniqueSeed === null ? 0 : SEED_WORDS;
    return plannedPrompt(
      { kind: 'prompt', entry, uniqueSeed },
      promptTokens === null ? null : promptTokens + addedTokens,
      outputTokens ?? drawnTokens,
      { class: label },
    );
  };
}

/**
 * Block ids are moved by an offset that each run and each pass draws anew: within one pass equal
 * ids stay equal, but a second replay finds no prompt of the first one in the prefix cache.
 */
function createTraceSequence(
  rows: readonly TraceRow[],
  seeds: ScheduleSeeds,
  nextEntry: EntryOrder,
): () => PlannedPrompt {
  const texts = randomStream(seeds.text, 'text');
  const blockOffsets = randomStream(seeds.text, 'block-offset');
  const offsets: number[] = [];
  return () => {
    const { entry, pass } = nextEntry();
    const { promptTokens: tokens, outputTokens, blockIds, blockTokens, session } = at(rows, entry);
    while (offsets.length <= pass) offsets.push(Math.floor(blockOffsets() * 2 ** 52));
    const seed = drawSeed(texts);
    const recipe: PromptRecipe =
      blockIds === null || blockTokens === null
        ? { kind: 'synthetic', seed, tokens, sharedId: null, sharedTokens: 0 }
        : {
            kind: 'blocks',
            blockIds: blockIds.map((id) => id + at(offsets, pass)),
            blockTokens,
            tokens,
          };
    return plannedPrompt(recipe, tokens, outputTokens, { session });
  };
}

function plannedPrompt(
  prompt: PromptRecipe,
  promptTokens: number | null,
  outputTokensMax: number | null,
  labels: Partial<Pick<PlannedPrompt, 'session' | 'class' | 'priority'>> = {},
): PlannedPrompt {
  const unlabelled = { session: null, class: null, priority: 0 };
  return { promptTokens, outputTokensMax, prompt, ...unlabelled, ...labels };
}

const BODY_LIMIT_FIELDS = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'];

/** The output limit a raw body asks for; `null` when it asks for none. */
function bodyOutputTokens(body: Readonly<Record<string, unknown>>): number | null {
  for (const field of BODY_LIMIT_FIELDS) {
    const limit = body[field];
    if (typeof limit === 'number' && Number.isSafeInteger(limit) && limit > 0) return limit;
  }
  return null;
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  assert(item !== undefined, `no item ${index} among ${items.length}`);
  return item;
}

function conflict(message: string, hint: string): ProblemsError {
  return new ProblemsError([usageProblem('E_CONFIG_CONFLICT', message, hint)]);
}
