/** Traced sessions: trees of model calls whose lengths, and whose waits, are the trace's. */
import { assert, randomStream } from '../base/index.ts';
import { createEntryOrder } from './entry-order.ts';
import type { SessionMaker, TurnDraft } from './plan-sessions.ts';
import type { MessageRecipe } from './schedule.ts';
import { drawSeed } from './seeds.ts';
import { conversation, heard, wordsMessage } from './session-turns.ts';
import type { SessionCall, SessionSource } from './session-spec.ts';
import type { ScheduleSeeds } from './spec.ts';

type CallSource = Extract<SessionSource, { kind: 'calls' }>;

/** What a later call that continues one of these begins with. */
interface Said {
  readonly messages: readonly MessageRecipe[];
  readonly tokens: number;
}

/**
 * The sessions of the trace one after another, over and over. Block ids are moved by an offset that
 * each session, or each pass through the trace, draws anew: a second replay finds nothing of the
 * first one in the prefix cache.
 */
export function callSessions(source: CallSource, seeds: ScheduleSeeds): SessionMaker {
  const { sessions, blockScope } = source;
  const nextEntry = createEntryOrder(sessions.length, 'sequential', () => 0);
  const texts = randomStream(seeds.text, 'text');
  const offsets = randomStream(seeds.text, 'block-offset');
  let offset = 0;
  let offsetPass = -1;
  return (base) => {
    const { entry, pass } = nextEntry();
    if (blockScope === 'session' || pass !== offsetPass) {
      offset = Math.floor(offsets() * 2 ** 52);
      offsetPass = pass;
    }
    const { calls } = sessions[entry] ?? { calls: [] };
    const said: Said[] = [];
    return calls.map((call, at): TurnDraft => {
      const { after, notBeforeNs, promptTokens, outputTokens } = call;
      const asked = { after, notBeforeNs, promptTokens, outputTokensMax: outputTokens };
      if (call.blockIds !== null) {
        assert(source.blockTokens !== null, 'blocks have a length');
        const blockIds = call.blockIds.map((id) => id + offset);
        const { blockTokens } = source;
        const prompt = { kind: 'blocks', blockIds, blockTokens, tokens: promptTokens } as const;
        said.push({ messages: [], tokens: 0 });
        return { ...asked, prompt };
      }
      const messages = messagesOf(call, said, () => drawSeed(texts));
      const words = wordsMessage('assistant', drawSeed(texts), outputTokens);
      const answer = heard(words, base + at, source.history);
      said.push({ messages: [...messages, answer], tokens: promptTokens + outputTokens });
      return { ...asked, prompt: conversation(messages, answer) };
    });
  };
}

function messagesOf(
  { continues, promptTokens }: SessionCall,
  said: readonly Said[],
  nextSeed: () => number,
): readonly MessageRecipe[] {
  const before = continues === null ? { messages: [], tokens: 0 } : said[continues];
  assert(before !== undefined, `call ${continues} comes before the one that continues it`);
  const newTokens = promptTokens - before.tokens;
  assert(newTokens >= 1, `a prompt of ${promptTokens} tokens goes on from ${before.tokens}`);
  return [...before.messages, wordsMessage('user', nextSeed(), newTokens)];
}
