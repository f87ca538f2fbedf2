/**
 * Predictions of Replicate. A prediction is made by one request and streamed from a URL that its
 * answer names, on a host of its own.
 *
 * Source: https://replicate.com/docs/reference/http and /docs/reference/streaming; streams are seen at
 * `stream.replicate.com` and `*.replicate.net`.
 */
import { ProblemsError, usageProblem } from '../base/index.ts';
import { readObject, type AnswerFormat, type ReadMessage } from './answer-format.ts';
import { createAnswerReader } from './answer-reader.ts';
import { noContent } from './choice-content.ts';
import { V1_API } from './dialect-base.ts';
import type { Dialect, PostedRequest, RequestIntent } from './dialect.ts';
import { asObject, asText, parseObject } from './json-object.ts';
import type { ReadingState } from './reading-state.ts';
import { field, promptFields, requestBody, type Body } from './request-body.ts';
import { SseDecoder } from './sse.ts';

const NAME = 'replicate';

export const replicate: Dialect = {
  ...V1_API,
  name: NAME,
  title: 'Replicate predictions',
  keyEnv: 'REPLICATE_API_TOKEN',
  listsModels: false,
  follow: {
    streamUrl: (prediction) => asText(asObject(prediction['urls'])?.['stream']),
    domains: ['replicate.com', 'replicate.net'],
  },
  buildBody,
  post,
  createReader: (options) => createAnswerReader(FORMAT, options),
};

function buildBody(intent: RequestIntent): Body {
  if (!intent.stream) {
    throw new ProblemsError([
      usageProblem(
        'E_UNSUPPORTED',
        `the ${NAME} API answers a request without a stream before the prediction is made`,
        'leave --no-stream out',
      ),
    ]);
  }
  return requestBody(intent, {
    dialect: NAME,
    needed: {
      ...field('model', intent.model),
      input: {
        ...promptFields(intent.prompt, NAME, {
          ofText: (text) => ({ prompt: text }),
          ofMessages: null,
        }),
        ...field('max_tokens', intent.maxTokens),
      },
      stream: true,
    },
    refused: {},
    exactLength: false,
  });
}

/** `owner/name` is a model that Replicate keeps running; anything else names a version. */
function post({ model, ...body }: Readonly<Body>): PostedRequest {
  const name = asText(model) ?? '';
  const [, owner, kept] = /^([^/:]+)\/([^/:]+)$/.exec(name) ?? [];
  if (owner === undefined || kept === undefined) {
    return { path: '/predictions', query: {}, body: { ...body, version: name } };
  }
  const path = `/models/${encodeURIComponent(owner)}/${encodeURIComponent(kept)}/predictions`;
  return { path, query: {}, body };
}

const FORMAT: AnswerFormat = {
  framing: (limits) => new SseDecoder(limits),
  ends: 'mark',
  message: readEvents,
  body: (state) => (prediction, stamp) => {
    const { output, status } = prediction;
    const answer = Array.isArray(output) ? output.join('') : (asText(output) ?? '');
    state.addOutput({ ...noContent(), answer }, null, stamp);
    if (status === 'succeeded') state.sawFinish('stop', stamp.atNs);
  },
};

/** The data of an `output` event is the text itself. */
function readEvents(state: ReadingState): ReadMessage {
  return ({ event, data, isStray }, stamp) => {
    if (isStray) {
      readObject(state, () => {}, parseObject(data) ?? {}, stamp);
      return;
    }
    state.sawEvent(stamp.atNs);
    if (event === 'output') {
      state.sawChoices(stamp.atNs);
      state.addOutput({ ...noContent(), answer: data }, null, stamp);
    } else if (event === 'error') {
      state.failByServer(data);
    } else if (event === 'done') {
      const reason = asText(parseObject(data)?.['reason']);
      if (reason === 'error') state.failByServer({ code: reason });
      state.sawFinish(reason === null ? 'stop' : 'other', stamp.atNs);
      state.sawTerminal(stamp.atNs);
    }
  };
}
