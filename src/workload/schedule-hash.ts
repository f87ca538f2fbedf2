/** The fingerprint of a schedule. */
import { createHash } from 'node:crypto';
import { assertNever, canonicalJson } from '../base/index.ts';
import type {
  MessageRecipe,
  PromptRecipe,
  Release,
  Schedule,
  ScheduledRequest,
} from './schedule.ts';
import type { PromptSource } from './spec.ts';

/**
 * SHA-256, lower-case hex, over the stop, the slots, every request, and the entries that recipes
 * point to: a prompt file with other words gives another hash. One line at a time, because the
 * canonical JSON of a long schedule would not fit into one string.
 */
export function scheduleHash(schedule: Omit<Schedule, 'hash'>, source: PromptSource): string {
  const hash = createHash('sha256');
  const addLine = (value: unknown): void => {
    hash.update(`${JSON.stringify(value)}\n`);
  };
  addLine([schedule.stopNs, schedule.slots]);
  for (const request of schedule.requests) addLine(requestKey(request));
  const entries =
    source.kind === 'prompts' || source.kind === 'bodies'
      ? source.entries
      : source.kind === 'conversations'
        ? source.conversations
        : [];
  for (const entry of entries) hash.update(`${canonicalJson(entry)}\n`);
  return hash.digest('hex');
}

// Lists, not objects: their order is fixed here, not by whoever built the request.
function requestKey(request: ScheduledRequest): readonly unknown[] {
  return [
    request.index,
    releaseKey(request.release),
    request.promptTokens,
    request.outputTokensMax,
    recipeKey(request.prompt),
    request.session,
    request.class,
    // Left out where nothing is said, as before there were priorities.
    ...(request.priority === 0 ? [] : [request.priority]),
  ];
}

function releaseKey(release: Release): readonly unknown[] {
  switch (release.kind) {
    case 'at':
      return ['at', release.atNs];
    case 'after':
      return ['after', release.index, release.thinkNs];
    case 'slot':
      return ['slot'];
    case 'turn': {
      const edges = release.after.map(({ index, thinkNs }) => [index, thinkNs]);
      return ['turn', edges, release.notBeforeNs];
    }
    default:
      return assertNever(release);
  }
}

function recipeKey(recipe: PromptRecipe): readonly unknown[] {
  switch (recipe.kind) {
    case 'synthetic':
      return ['synthetic', recipe.seed, recipe.tokens, recipe.sharedId, recipe.sharedTokens];
    case 'blocks':
      return ['blocks', recipe.blockIds, recipe.blockTokens, recipe.tokens];
    case 'prompt':
      return ['prompt', recipe.entry, recipe.uniqueSeed];
    case 'body':
      return ['body', recipe.entry];
    case 'conversation':
      return ['conversation', recipe.messages.map(messageKey), answerKey(recipe.answer)];
    default:
      return assertNever(recipe);
  }
}

function messageKey({ role, text, answerOf }: MessageRecipe): readonly unknown[] {
  return text.kind === 'words'
    ? [role, text.seed, text.tokens, answerOf]
    : [role, text.entry, text.turn, text.part, text.uniqueSeed, answerOf];
}

function answerKey(answer: MessageRecipe | null): readonly unknown[] | null {
  return answer === null ? null : messageKey(answer);
}
