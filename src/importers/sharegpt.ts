/**
 * ShareGPT conversations: a JSON array of `{conversations: [{from, value}, …]}`. Single prompts are
 * the first human turns; sessions are whole conversations. The answers have no token counts, so
 * output lengths come from the workload's own distribution.
 */
import { z } from 'zod';
import type { Conversation, ConversationTurn, PromptEntry } from '../workload/index.ts';
import { counted, type Imported } from './import-result.ts';
import { parseJson } from './placed-json.ts';
import { ProblemList } from './problem-list.ts';
import { finishPrompts } from './finish-prompts.ts';

const CONVERSATION = z.looseObject({
  conversations: z.array(z.looseObject({ from: z.string(), value: z.string() })),
});

const HUMAN: ReadonlySet<string> = new Set(['human', 'user']);

/** Reads a whole file. Conversations without a human turn are left out and counted in a note. */
export function parseShareGpt(
  text: string,
  { file }: { readonly file: string },
): Imported<readonly PromptEntry[]> {
  const problems = new ProblemList(file);
  const items = readItems(text, problems);
  const prompts = items.map(firstHumanTurn).filter((prompt) => prompt !== null);
  const entries = prompts.map((prompt) => ({
    text: prompt,
    promptTokens: null,
    outputTokens: null,
    label: null,
  }));
  const skipped = items.length - entries.length;
  const note = `${counted(skipped, 'conversation')} without a human turn left out`;
  return finishPrompts(entries, problems, skipped === 0 ? [] : [note]);
}

/**
 * Reads whole conversations: what people said, and the answers between. Turns of one side in a row are
 * one turn; what comes before the first human turn is left out. Conversations without a human turn
 * are counted in a note.
 */
export function parseShareGptSessions(
  text: string,
  { file }: { readonly file: string },
): Imported<readonly Conversation[]> {
  const problems = new ProblemList(file);
  const items = readItems(text, problems);
  const conversations = items.map(conversationOf).filter((one) => one !== null);
  const skipped = items.length - conversations.length;
  const note = `${counted(skipped, 'conversation')} without a human turn left out`;
  return finishPrompts(conversations, problems, skipped === 0 ? [] : [note]);
}

function readItems(text: string, problems: ProblemList): readonly unknown[] {
  const parsed = parseJson(text.replace(/^\ufeff/, ''));
  if (parsed.kind === 'json' && Array.isArray(parsed.value)) return parsed.value as unknown[];
  const place = parsed.kind === 'invalid' ? parsed.place : { line: 1, column: 1 };
  const message = parsed.kind === 'invalid' ? 'not valid JSON' : 'not a JSON array';
  const hint = 'ShareGPT is [{"conversations": [{"from": "human", "value": "…"}, …]}, …]';
  problems.add({ code: 'E_PROMPTS_FORMAT', ...place, message, hint });
  return [];
}

function conversationOf(item: unknown): Conversation | null {
  const checked = CONVERSATION.safeParse(item);
  if (!checked.success) return null;
  const turns: ConversationTurn[] = [];
  for (const { from, value } of checked.data.conversations) {
    const last = turns.at(-1);
    if (!/\S/.test(value)) continue;
    if (!HUMAN.has(from)) {
      if (last !== undefined) {
        turns[turns.length - 1] = { ...last, answer: joined(last.answer, value) };
      }
    } else if (last === undefined || last.answer !== null) {
      turns.push({ prompt: value, answer: null });
    } else {
      turns[turns.length - 1] = { ...last, prompt: joined(last.prompt, value) };
    }
  }
  return turns.length === 0 ? null : { turns };
}

function joined(before: string | null, value: string): string {
  return before === null ? value : `${before}\n${value}`;
}

function firstHumanTurn(item: unknown): string | null {
  const checked = CONVERSATION.safeParse(item);
  if (!checked.success) return null;
  const turn = checked.data.conversations.find(
    ({ from, value }) => HUMAN.has(from) && /\S/.test(value),
  );
  return turn?.value ?? null;
}
