/** Conversations turn by turn: synthetic ones, and those of a file. */
import { assert, ProblemsError, randomStream, usageProblem } from '../base/index.ts';
import { createLengthDraw } from './distributions.ts';
import { createEntryOrder } from './entry-order.ts';
import type { SessionMaker, TurnDraft } from './plan-sessions.ts';
import { SEED_WORDS } from './seeded-text.ts';
import type { MessageRecipe, MessageText } from './schedule.ts';
import { drawSeed } from './seeds.ts';
import type { HistoryMode, SessionMix, SessionSource, SystemPrompt } from './session-spec.ts';
import type { ScheduleSeeds } from './spec.ts';
import type { ThinkDraw } from './think-time.ts';

type LengthName = 'turns' | 'input' | 'followUp' | 'output';

/** Sessions of words. Each draws its lengths from streams of its own. */
export function syntheticSessions(
  mix: SessionMix,
  nextThink: () => ThinkDraw,
  seeds: ScheduleSeeds,
): SessionMaker {
  const sessionSeeds = randomStream(seeds.lengths, 'session');
  const systems = randomStream(seeds.prompts, 'system');
  const texts = randomStream(seeds.text, 'text');
  return (base) => {
    const seed = drawSeed(sessionSeeds);
    const drawOf = (name: LengthName) => createLengthDraw(mix[name], randomStream(seed, name));
    const [turnCount, input] = [drawOf('turns')(), drawOf('input')()];
    const [nextFollowUp, nextOutput] = [drawOf('followUp'), drawOf('output')];
    const think = nextThink();
    const system = systemOf(mix.system, systems());
    let before: readonly MessageRecipe[] = system === null ? [] : [system.message];
    let beforeTokens = system?.tokens ?? 0;
    const turns: TurnDraft[] = [];
    while (turns.length < turnCount) {
      const turn = turns.length;
      const saidTokens = turn === 0 ? input : nextFollowUp();
      const outputTokens = nextOutput();
      const promptTokens = beforeTokens + saidTokens;
      const fullTokens = promptTokens + outputTokens;
      if (mix.maxContextTokens !== null && fullTokens > mix.maxContextTokens) {
        if (turn === 0) throw contextProblem(fullTokens, mix.maxContextTokens);
        break;
      }
      const messages = [...before, wordsMessage('user', drawSeed(texts), saidTokens)];
      const words = wordsMessage('assistant', drawSeed(texts), outputTokens);
      const answer = heard(words, base + turn, mix.history);
      turns.push({
        ...inRow(turn, think),
        promptTokens,
        outputTokensMax: outputTokens,
        prompt: conversation(messages, answer),
      });
      before = [...messages, answer];
      beforeTokens = fullTokens;
    }
    return turns;
  };
}

/** Sessions of a file, whose texts nobody has counted. */
export function fileSessions(
  source: Extract<SessionSource, { kind: 'conversations' }>,
  nextThink: () => ThinkDraw,
  seeds: ScheduleSeeds,
): SessionMaker {
  const { conversations, order, history } = source;
  const nextEntry = createEntryOrder(
    conversations.length,
    order,
    randomStream(seeds.prompts, 'order'),
  );
  const sessionSeeds = randomStream(seeds.lengths, 'session');
  const texts = randomStream(seeds.text, 'text');
  return (base) => {
    const { entry } = nextEntry();
    const { turns } = conversations[entry] ?? { turns: [] };
    const nextOutput = createLengthDraw(
      source.output,
      randomStream(drawSeed(sessionSeeds), 'output'),
    );
    const think = nextThink();
    const uniqueSeed = source.unique ? drawSeed(texts) : null;
    const textOf = (turn: number, part: 'prompt' | 'answer'): MessageText => {
      const opens = turn === 0 && part === 'prompt' ? uniqueSeed : null;
      const words = countWords(turns[turn]?.[part] ?? '') + (opens === null ? 0 : SEED_WORDS);
      return { kind: 'file', entry, turn, part, uniqueSeed: opens, words };
    };
    let before: readonly MessageRecipe[] = [];
    return turns.map((_, turn): TurnDraft => {
      const messages = [...before, said('user', textOf(turn, 'prompt'))];
      const answer = heard(said('assistant', textOf(turn, 'answer')), base + turn, history);
      before = [...messages, answer];
      return {
        ...inRow(turn, think),
        promptTokens: null,
        outputTokensMax: nextOutput(),
        prompt: conversation(messages, answer),
      };
    });
  };
}

function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

/** A turn after `turn` others in a row. */
function inRow(turn: number, think: ThinkDraw): Pick<TurnDraft, 'after' | 'notBeforeNs'> {
  return { after: turn === 0 ? [] : [{ call: turn - 1, thinkNs: think() }], notBeforeNs: 0 };
}

/** A turn's prompt; a cache can have its answer only where later turns repeat the server's words. */
export function conversation(
  messages: readonly MessageRecipe[],
  answer: MessageRecipe,
): TurnDraft['prompt'] {
  return {
    kind: 'conversation',
    messages,
    answer: answer.answerOf === null ? null : answer,
  };
}

/** An answer as later turns have it. */
export function heard(planned: MessageRecipe, index: number, history: HistoryMode): MessageRecipe {
  return history === 'planned' ? planned : { ...planned, answerOf: index };
}

export function wordsMessage(
  role: MessageRecipe['role'],
  seed: number,
  tokens: number,
): MessageRecipe {
  return said(role, { kind: 'words', seed, tokens });
}

function said(role: MessageRecipe['role'], text: MessageRecipe['text']): MessageRecipe {
  return { role, text, answerOf: null };
}

/** The system prompt at this place of the shares; `null` beyond them. */
function systemOf(
  prompts: readonly SystemPrompt[],
  draw: number,
): { readonly message: MessageRecipe; readonly tokens: number } | null {
  let left = draw;
  for (const [at, { tokens, share }] of prompts.entries()) {
    left -= share;
    // Hashed, because the seed words of small numbers would all start alike.
    const seed = (): number => drawSeed(randomStream(at, 'system-prompt'));
    if (left < 0) return { message: wordsMessage('system', seed(), tokens), tokens };
  }
  assert(draw >= 0 && draw < 1, `a draw lies in [0, 1): ${draw}`);
  return null;
}

function contextProblem(tokens: number, maxContextTokens: number): ProblemsError {
  const message = `the first turn of a session takes ${tokens} tokens with its answer, and the context ends at ${maxContextTokens}`;
  const hint = 'bound the lengths (uniform:…, lognormal:…,max=…), or raise the context';
  return new ProblemsError([usageProblem('E_CONFIG_CONFLICT', message, hint)]);
}
