/** `generateContent` of Gemini and Vertex AI: SSE with `alt=sse`, else one growing JSON array. */
import type { Usage } from '../record/index.ts';
import { jsonMessages, type AnswerFormat, type ReadObject } from './answer-format.ts';
import { createAnswerReader } from './answer-reader.ts';
import { noContent, type ContentByKind } from './choice-content.ts';
import { JSON_TYPE, liftModel, SSE_TYPE, V1_API } from './dialect-base.ts';
import type { Dialect, SaidMessage } from './dialect.ts';
import { finishReasonOf } from './finish-reason.ts';
import { asArray, asCount, asObject, asText, type JsonObject } from './json-object.ts';
import type { ReadingState } from './reading-state.ts';
import { field, promptFields, requestBody, systemApart, type Body } from './request-body.ts';
import { SseOrJsonDecoder } from './sse-or-json.ts';

const NAME = 'gemini';

export const gemini: Dialect = {
  ...V1_API,
  name: NAME,
  title: 'Gemini generateContent',
  keyEnv: 'GEMINI_API_KEY',
  version: 'v1beta',
  keyHeader: 'x-goog-api-key',
  mediaTypes: { stream: [...SSE_TYPE, ...JSON_TYPE], body: JSON_TYPE },
  listsModels: false,
  buildBody: (intent) =>
    requestBody(intent, {
      dialect: NAME,
      needed: {
        ...field('model', intent.model),
        ...promptFields(intent.prompt, NAME, {
          ofText: contents,
          ofMessages: null,
          ofConversation: conversation,
        }),
        ...field(
          'generationConfig',
          intent.maxTokens === null ? null : { maxOutputTokens: intent.maxTokens },
        ),
      },
      refused: {
        'generationConfig.candidateCount': {
          allowed: 1,
          because: 'a load test measures one choice per request',
        },
      },
      exactLength: false,
    }),
  post: (body, stream) => {
    const { model, rest } = liftModel(body);
    return stream
      ? { path: `/models/${model}:streamGenerateContent`, query: { alt: 'sse' }, body: rest }
      : { path: `/models/${model}:generateContent`, query: {}, body: rest };
  },
  createReader: (options) => createAnswerReader(FORMAT, options),
};

function contents(text: string): Body {
  return { contents: [{ role: 'user', parts: [{ text }] }] };
}

function conversation(messages: readonly SaidMessage[]): Body {
  const { system, others } = systemApart(messages);
  return {
    ...field('systemInstruction', system === null ? null : { parts: [{ text: system }] }),
    contents: others.map(({ role, content }) => ({
      role: role === 'assistant' ? 'model' : role,
      parts: [{ text: content }],
    })),
  };
}

const FORMAT: AnswerFormat = {
  framing: (limits) => new SseOrJsonDecoder(limits),
  ends: 'finish',
  message: (state) => jsonMessages(state, readResponse(state)),
  body: readResponse,
};

/** A response of a stream and a whole one have the same form. */
function readResponse(state: ReadingState): ReadObject {
  return (response, stamp) => {
    const usage = usageOf(response['usageMetadata']);
    if (usage !== null) state.sawUsage(usage, null, stamp.atNs);
    const blocked = finishReasonOf(asObject(response['promptFeedback'])?.['blockReason']);
    if (blocked !== null) state.sawFinish('contentFilter', stamp.atNs);
    const candidates = asArray(response['candidates']) ?? [];
    if (candidates.length === 0) return;
    state.sawChoices(stamp.atNs);
    const content = noContent();
    for (const value of candidates) {
      const candidate = asObject(value);
      if ((asCount(candidate?.['index']) ?? 0) > 0) state.fail('multipleChoices');
      for (const part of asArray(asObject(candidate?.['content'])?.['parts']) ?? []) {
        addPart(content, asObject(part));
      }
      const reason = finishReasonOf(candidate?.['finishReason']);
      if (reason !== null) state.sawFinish(reason, stamp.atNs);
    }
    state.addOutput(content, usage, stamp);
  };
}

/** Code to be run is generated, its result is not. */
function addPart(content: ContentByKind, part: JsonObject | null): void {
  if (part === null) return;
  content[part['thought'] === true ? 'reasoning' : 'answer'] += asText(part['text']) ?? '';
  content.toolCall += asText(asObject(part['executableCode'])?.['code']) ?? '';
  const call = asObject(part['functionCall']);
  if (call !== null) {
    content.toolCall += (asText(call['name']) ?? '') + JSON.stringify(call['args'] ?? {});
  }
}

/** Thoughts are counted beside the candidates; a count of zero is left out. */
function usageOf(value: unknown): Usage | null {
  const told = asObject(value);
  if (told === null) return null;
  const thoughts = asCount(told['thoughtsTokenCount']);
  const shown = asCount(told['candidatesTokenCount']);
  return {
    promptTokens: asCount(told['promptTokenCount']),
    completionTokens: shown === null && thoughts === null ? null : (shown ?? 0) + (thoughts ?? 0),
    reasoningTokens: thoughts,
    cachedPromptTokens: asCount(told['cachedContentTokenCount']),
  };
}
