/** Prompt files: plain text with one prompt a line, or JSON Lines with lengths and labels. */
import { z } from 'zod';
import type { PromptEntry } from '../workload/index.ts';
import { finishPrompts } from './finish-prompts.ts';
import type { Imported } from './import-result.ts';
import { readJsonLines, type JsonRow } from './json-lines.ts';
import { ProblemList } from './problem-list.ts';
import { textLines } from './text-lines.ts';

const TOKENS = z.int().min(1).nullish();
const TEXT = z.string().regex(/\S/, 'is blank').optional();

/** Other keys are left alone: data sets carry many. */
const ROW = z.looseObject({
  prompt: TEXT,
  text: TEXT,
  prompt_tokens: TOKENS,
  output_tokens: TOKENS,
  max_tokens: TOKENS,
  label: z.string().nullish(),
});
type Row = z.infer<typeof ROW>;

/** One prompt a line; blank lines are skipped. */
export function parsePromptText(
  text: string,
  { file }: { readonly file: string },
): Imported<readonly PromptEntry[]> {
  const entries = textLines(text).map((line) => ({
    text: line.text,
    promptTokens: null,
    outputTokens: null,
    label: null,
  }));
  return finishPrompts(entries, new ProblemList(file));
}

/**
 * One object a line: `prompt` (or `text`), and optionally `prompt_tokens`, `output_tokens` (or
 * `max_tokens`) and `label`. Chat messages belong in a bodies file.
 */
export function parsePromptJsonLines(
  text: string,
  { file }: { readonly file: string },
): Imported<readonly PromptEntry[]> {
  const problems = new ProblemList(file);
  const entries: PromptEntry[] = [];
  for (const row of readJsonLines(text, ROW, { problems, code: 'E_PROMPTS_FORMAT' })) {
    const entry = promptEntry(row, problems);
    if (entry !== null) entries.push(entry);
  }
  return finishPrompts(entries, problems);
}

function promptEntry(
  { line, row, columnOf }: JsonRow<Row>,
  problems: ProblemList,
): PromptEntry | null {
  const text = row.prompt ?? row.text;
  if (text === undefined || (row.prompt !== undefined && row.text !== undefined)) {
    const isChat = 'messages' in row || 'conversations' in row;
    problems.add({
      code: 'E_PROMPTS_FORMAT',
      line,
      column: text === undefined ? 1 : columnOf('text'),
      message: text === undefined ? 'prompt is missing' : 'prompt and text are both given',
      hint: isChat ? 'send chat messages as raw bodies: {"body": {"messages": …}}' : null,
    });
    return null;
  }
  return {
    text,
    promptTokens: row.prompt_tokens ?? null,
    outputTokens: row.output_tokens ?? row.max_tokens ?? null,
    label: row.label ?? null,
  };
}
