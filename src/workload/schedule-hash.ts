/** The fingerprint of a schedule. */
import { createHash } from 'node:crypto';
import { assertNever, canonicalJson } from '../base/index.ts';
import type { PromptRecipe, Release, Schedule, ScheduledRequest } from './schedule.ts';
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
  if (source.kind === 'prompts' || source.kind === 'bodies') {
    for (const entry of source.entries) hash.update(`${canonicalJson(entry)}\n`);
  }
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
    default:
      return assertNever(recipe);
  }
}
