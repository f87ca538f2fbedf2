/** The server's side of Ollama's own API, for the emulator: one JSON object a line. */
import type { FinishReason, Usage } from '../record/index.ts';
import type { AnswerEncoder, EncodedError, FullAnswerHead } from './answer-encoder.ts';

const DONE_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  toolCalls: 'stop',
  contentFilter: 'stop',
  other: 'unload',
};

/** `chat` answers in a `message`, `generate` in `response`. Counts are in the last line only. */
export function createOllamaEncoder(
  api: 'chat' | 'generate',
  { model, createdIso }: FullAnswerHead,
): AnswerEncoder {
  const line = (fields: Readonly<Record<string, unknown>>): string =>
    `${JSON.stringify({ model, created_at: createdIso, ...fields })}\n`;
  const said = (text: string, thinking: string): Record<string, unknown> => {
    const thought = thinking === '' ? {} : { thinking };
    return api === 'chat'
      ? { message: { role: 'assistant', content: text, ...thought } }
      : { response: text, ...thought };
  };
  const last = (reason: FinishReason, usage: Usage | null) => ({
    done: true,
    done_reason: DONE_REASONS[reason],
    ...(usage === null
      ? {}
      : { prompt_eval_count: usage.promptTokens, eval_count: usage.completionTokens }),
  });
  return {
    mediaType: 'application/x-ndjson',
    open: () => '',
    start: () => '',
    output: (kind, text) => {
      const isThought = kind === 'reasoning';
      return line({ ...said(isThought ? '' : text, isThought ? text : ''), done: false });
    },
    end: ({ finishReason, usage }) => ({
      finish: '',
      rest: line({ ...said('', ''), ...last(finishReason, usage) }),
    }),
    body: ({ content: { reasoning = '', ...content }, finishReason, usage }) =>
      line({
        ...said(Object.values(content).join(''), reasoning),
        ...last(finishReason, usage),
      }).trimEnd(),
    errorEvent: (error) => `${ollamaErrorBody(error)}\n`,
  };
}

/** An error in a 4xx/5xx body, and as a line of a stream. */
export function ollamaErrorBody({ message }: EncodedError): string {
  return JSON.stringify({ error: message });
}
