/**
 * ShareGPT conversations: a JSON array of `{conversations: [{from, value}, …]}`. The first human
 * turn of each is the prompt. The answer that follows is not used: it has no token count, and
 * output lengths come from the workload's own distribution.
 */
import { z } from 'zod';
import type { PromptEntry } from '../workload/index.ts';
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
  const parsed = parseJson(text.replace(/^\ufeff/, ''));
  if (parsed.kind === 'invalid' || !Array.isArray(parsed.value)) {
    const place = parsed.kind === 'invalid' ? parsed.place : { line: 1, column: 1 };
    const message = parsed.kind === 'invalid' ? 'not valid JSON' : 'not a JSON array';
    const hint = 'ShareGPT is [{"conversations": [{"from": "human", "value": "…"}, …]}, …]';
    problems.add({ code: 'E_PROMPTS_FORMAT', ...place, message, hint });
    return finishPrompts([], problems);
  }
  const prompts = parsed.value.map(firstHumanTurn).filter((prompt) => prompt !== null);
  const entries = prompts.map((prompt) => ({
    text: prompt,
    promptTokens: null,
    outputTokens: null,
    label: null,
  }));
  const skipped = parsed.value.length - entries.length;
  const note = `${counted(skipped, 'conversation')} without a human turn left out`;
  return finishPrompts(entries, problems, skipped === 0 ? [] : [note]);
}

function firstHumanTurn(item: unknown): string | null {
  const checked = CONVERSATION.safeParse(item);
  if (!checked.success) return null;
  const turn = checked.data.conversations.find(
    ({ from, value }) => HUMAN.has(from) && /\S/.test(value),
  );
  return turn?.value ?? null;
}
