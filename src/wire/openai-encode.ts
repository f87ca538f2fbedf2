/**
 * The server's side of the OpenAI dialects, for the emulator: what this file writes, the readers
 * of this room read back unchanged.
 */
import { assertNever } from '../base/index.ts';
import type { FinishReason, OutputKind, Usage } from '../record/index.ts';
import type { AnswerEncoder, AnswerHead, EncodedError, WholeAnswer } from './answer-encoder.ts';

/** The parts of a stream's end, apart. */
export interface OpenAiEncoder extends AnswerEncoder {
  finish(reason: FinishReason, usage: Usage | null): string;
  /** The usage event, with empty `choices`. */
  usage(usage: Usage): string;
}

/** The end mark. */
export const DONE_EVENT = 'data: [DONE]\n\n';

/** A comment, as servers send to keep a connection alive. `text` is one line. */
export function commentEvent(text: string): string {
  return `: ${text}\n\n`;
}

/** An error in a 4xx/5xx body. */
export function errorBody(error: EncodedError): string {
  return JSON.stringify({ error });
}

/** An error inside a stream that began with 200. */
export function errorEvent(error: EncodedError): string {
  return `data: ${errorBody(error)}\n\n`;
}

const FINISH_WORDS: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  toolCalls: 'tool_calls',
  contentFilter: 'content_filter',
  other: 'abort',
};

export function createChatEncoder(head: AnswerHead): OpenAiEncoder {
  const chunkHead = headText(head, 'chat.completion.chunk');
  const event = (delta: string, finish: string, usage: Usage | null): string =>
    `data: {${chunkHead},"choices":[{"index":0,"delta":${delta},"logprobs":null,` +
    `"finish_reason":${finish}}]${usageField(usage)}}\n\n`;
  // An emulator writes tens of thousands of these per second: all but the text is written once.
  const beforeText = `data: {${chunkHead},"choices":[{"index":0,"delta":{"content":`;
  const afterText = '},"logprobs":null,"finish_reason":null}]';
  return withEnd({
    start: (usage) => event('{"role":"assistant","content":""}', 'null', usage),
    output: (kind, text, usage) =>
      kind === 'answer'
        ? `${beforeText}${JSON.stringify(text)}${afterText}${usageField(usage)}}\n\n`
        : event(JSON.stringify(chatContent(kind, text)), 'null', usage),
    finish: (reason, usage) => event('{}', `"${FINISH_WORDS[reason]}"`, usage),
    usage: (usage) => `data: {${chunkHead},"choices":[]${usageField(usage)}}\n\n`,
    body: (answer) => {
      let message: Record<string, unknown> = { role: 'assistant', content: null };
      for (const [kind, text] of Object.entries(answer.content)) {
        message = { ...message, ...chatContent(kind as OutputKind, text) };
      }
      return wholeBody(head, 'chat.completion', { message }, answer);
    },
  });
}

/** Completions carry text only, whatever its kind. */
export function createCompletionsEncoder(head: AnswerHead): OpenAiEncoder {
  const chunkHead = headText(head, 'text_completion');
  const event = (text: string, finish: string, usage: Usage | null): string =>
    `data: {${chunkHead},"choices":[{"index":0,"text":${JSON.stringify(text)},"logprobs":null,` +
    `"finish_reason":${finish}}]${usageField(usage)}}\n\n`;
  return withEnd({
    start: () => '',
    output: (_kind, text, usage) => event(text, 'null', usage),
    finish: (reason, usage) => event('', `"${FINISH_WORDS[reason]}"`, usage),
    usage: (usage) => `data: {${chunkHead},"choices":[]${usageField(usage)}}\n\n`,
    body: (answer) => {
      const text = Object.values(answer.content).join('');
      return wholeBody(head, 'text_completion', { text }, answer);
    },
  });
}

/** What the OpenAI dialects have in common. */
function withEnd(
  parts: Pick<OpenAiEncoder, 'start' | 'output' | 'finish' | 'usage' | 'body'>,
): OpenAiEncoder {
  return {
    ...parts,
    mediaType: 'text/event-stream; charset=utf-8',
    open: () => '',
    end: ({ finishReason, runningUsage, usage }) => ({
      finish: parts.finish(finishReason, runningUsage),
      rest: (usage === null ? '' : parts.usage(usage)) + DONE_EVENT,
    }),
    errorEvent,
  };
}

/** Written once per answer, because an emulator writes many chunks. */
function headText(head: AnswerHead, object: string): string {
  const { id, createdSeconds: created, model } = head;
  return JSON.stringify({ id, object, created, model }).slice(1, -1);
}

function wholeBody(
  head: AnswerHead,
  object: string,
  content: Record<string, unknown>,
  answer: WholeAnswer,
): string {
  const finish = FINISH_WORDS[answer.finishReason];
  const choice = JSON.stringify({ index: 0, ...content, logprobs: null, finish_reason: finish });
  return `{${headText(head, object)},"choices":[${choice}]${usageField(answer.usage)}}`;
}

function chatContent(kind: OutputKind, text: string): Record<string, unknown> {
  switch (kind) {
    case 'answer':
      return { content: text };
    case 'reasoning':
      return { reasoning_content: text };
    case 'refusal':
      return { refusal: text };
    case 'toolCall':
      return { tool_calls: [{ index: 0, type: 'function', function: { arguments: text } }] };
    default:
      return assertNever(kind);
  }
}

/** `,"usage":{…}`, or nothing. By hand: it is in every event of a server that counts along. */
function usageField(usage: Usage | null): string {
  if (usage === null) return '';
  const { promptTokens, completionTokens, reasoningTokens, cachedPromptTokens } = usage;
  const totalTokens = (promptTokens ?? 0) + (completionTokens ?? 0);
  const cached =
    cachedPromptTokens === null
      ? ''
      : `,"prompt_tokens_details":{"cached_tokens":${cachedPromptTokens}}`;
  const reasoning =
    reasoningTokens === null
      ? ''
      : `,"completion_tokens_details":{"reasoning_tokens":${reasoningTokens}}`;
  return (
    `,"usage":{"prompt_tokens":${promptTokens},"completion_tokens":${completionTokens},` +
    `"total_tokens":${totalTokens}${cached}${reasoning}}`
  );
}
