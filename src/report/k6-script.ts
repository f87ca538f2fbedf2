/** A run spec as a k6 script: the same mixed workload, measuring completed requests only. */
import { durationText, printable, usageProblem, type Problem } from '../base/index.ts';
import type { RunSpec } from '../config/index.ts';
import { k6Options } from './k6-options.ts';
import type { K6Prompt } from './k6-prompts.ts';

/** The script, or why k6 cannot carry this spec. */
export type K6Script = { readonly script: string } | { readonly problems: readonly Problem[] };

/** Variable that holds the API key inside k6 when the spec names none. */
const DEFAULT_KEY_VARIABLE = 'GOODPUT_API_KEY';

/**
 * Writes the script. `prompts` is a sample of the spec's own workload (`k6Prompts`), taken in
 * turn. The key is never in the script: k6 reads it from its environment.
 *
 * Errors: `E_UNSUPPORTED` for loads that are not open-loop rates, other APIs, Unix sockets, client
 * certificates, local tokenizers and retries, `E_MODEL_MISSING` where neither the spec nor the bodies
 * name the model.
 */
export function k6Script(spec: RunSpec, prompts: readonly K6Prompt[]): K6Script {
  const problems: Problem[] = [];
  const { load, target, retry } = spec;
  if (load.kind !== 'rate') {
    const message = `a k6 script needs rates, and this load is of kind ${load.kind}`;
    problems.push(usageProblem('E_UNSUPPORTED', message, 'write --rate 2'));
  }
  const needsModel = prompts.some(
    (prompt) => prompt.kind !== 'body' || typeof prompt.body['model'] !== 'string',
  );
  if (target.model === null && needsModel) {
    const message = 'a k6 script cannot ask the server for its model';
    problems.push(usageProblem('E_MODEL_MISSING', message, 'write --model NAME'));
  }
  if (target.api !== 'chat' && target.api !== 'completions') {
    const message = `a k6 script is written for OpenAI's APIs, and this spec has ${target.api}`;
    problems.push(usageProblem('E_UNSUPPORTED', message, 'write --api chat or completions'));
  }
  if (target.unixSocket !== null) {
    const message = 'k6 opens no Unix sockets';
    problems.push(usageProblem('E_UNSUPPORTED', message, 'give the address it listens on'));
  }
  if (target.clientCertificate !== null) {
    const message = 'a k6 script would hold the key of the client certificate';
    problems.push(usageProblem('E_UNSUPPORTED', message, 'leave cert out, add tlsAuth by hand'));
  }
  if (target.tokenizer !== null) {
    const message = 'k6 has no tokenizer to count with';
    problems.push(usageProblem('E_UNSUPPORTED', message, 'leave tokenizer out'));
  }
  if (retry !== null) {
    const message = 'a k6 script sends every request once';
    problems.push(usageProblem('E_UNSUPPORTED', message, 'leave retry out'));
  }
  if (prompts.length === 0) {
    const message = 'the workload gives no prompt';
    problems.push(usageProblem('E_UNSUPPORTED', message, 'run for longer, or at a higher rate'));
  }
  if (load.kind !== 'rate' || problems.length > 0) return { problems };
  const options = k6Options(spec, load);
  return { script: [header(spec), constants(spec, prompts, options), PROGRAM].join('\n') };
}

function header(spec: RunSpec): string {
  const { load, target, warmupNs } = spec;
  const key = keyVariable(spec);
  const isEven = load.kind === 'rate' && load.arrivals.kind === 'constant';
  const notes = [
    `k6 script of the goodput spec ${spec.name === null ? '(no name)' : printable(spec.name, 80)}.`,
    '',
    'Measures completed requests: HTTP 200, read to the end of the answer, at a constant arrival',
    'rate. Missed starts are dropped_iterations, and one of them fails the run.',
    '',
    'Does not measure tokens. k6/http buffers the whole response: http_req_waiting is the time to',
    'the first byte, not to the first token; there is no TTFT, no TPOT and no gap in the output.',
    'Prompt lengths are about one token a word. Latencies count from the actual start, so k6 hides',
    'its own lateness.',
    ...(isEven
      ? []
      : ['k6 spaces arrivals evenly; the spec asks for bursts, which this load lacks.']),
    ...(warmupNs === 0
      ? []
      : [`The spec's warm-up of ${durationText(warmupNs)} is inside the figures.`]),
    '',
    `Run: k6 run SCRIPT.js  (the API key, if any, in the variable ${key}; not on the command line)`,
    ...(target.apiKeyFile === null
      ? []
      : ['The spec reads the key from a file, which k6 does not.']),
  ];
  return notes.map((line) => `// ${line}`.trimEnd()).join('\n');
}

function keyVariable({ target }: RunSpec): string {
  return target.apiKeyEnv ?? DEFAULT_KEY_VARIABLE;
}

function constants(spec: RunSpec, prompts: readonly K6Prompt[], options: unknown): string {
  const { target } = spec;
  const keyHeader = target.apiKeyHeader;
  const headers = {
    'Content-Type': 'application/json',
    Accept: target.stream ? 'text/event-stream' : 'application/json',
    'Accept-Encoding': 'identity',
    ...target.headers,
  };
  return `
import { check } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter, Trend } from 'k6/metrics';

export const options = ${json(options)};

const URL = ${json(endpoint(spec))};
const API = ${json(target.api)};
const STREAM = ${json(target.stream)};
const EXACT = ${json(target.exactOutput)};
const TIMEOUT = ${json(`${Math.ceil(target.limits.requestTimeoutNs / 1e6)}ms`)};
const HEADERS = ${json(headers)};
const API_KEY = __ENV[${json(keyVariable(spec))}];
if (API_KEY) HEADERS[${json(keyHeader)}] = ${keyHeader === 'authorization' ? '`Bearer ${API_KEY}`' : 'API_KEY'};

// Fields of every request body.
const FIELDS = ${json({ ...(target.model === null ? {} : { model: target.model }), ...target.body })};

// The mix, in the schedule's own order.
const PROMPTS = [
${prompts.map((prompt) => `  ${JSON.stringify(prompt)},`).join('\n')}
];
`;
}

/** The path a base URL leads to: `/v1` is added unless it has a version in path or query. */
function endpoint({ target }: RunSpec): string {
  const url = new URL(target.url);
  const path = url.pathname.replace(/\/+$/, '');
  const isVersioned = /\/v\d+[a-z0-9]*(?=\/|$)/.test(path) || url.searchParams.has('api-version');
  const versioned = isVersioned ? path : `${path}/v1`;
  url.pathname = `${versioned}${target.api === 'chat' ? '/chat/completions' : '/completions'}`;
  return url.toString();
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

const WORDS =
  'able about back base call case city clean come cost deep door early east face fact farm fast ' +
  'fire food four gate give gold good half hand head home idea iron join keep kind lake land last ' +
  'late life line long mark mind moon name need north page part plan rain road room salt seed ship ' +
  'side song star stone time tree water wind';

/** The part of the script that is the same for every spec. */
const PROGRAM = `const WORDS = '${WORDS}'.split(' ');

// A sequence of words that depends on the seed alone.
function words(seed, count) {
  const chosen = [];
  let state = seed >>> 0;
  for (let i = 0; i < count; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    chosen.push(WORDS[(state >>> 16) % WORDS.length]);
  }
  return chosen.join(' ');
}

// Words that no other iteration of any run starts with, so that no prefix cache can serve them.
function uniqueWords(count) {
  const id = \`\${Date.now().toString(36)} \${Math.random().toString(36).slice(2, 10)}\`;
  return \`\${id} \${words(Math.floor(Math.random() * 4294967296), Math.max(count - 12, 1))}\`;
}

function promptText(prompt) {
  if (prompt.kind === 'text') return prompt.unique ? \`\${uniqueWords(13)}\\n\${prompt.text}\` : prompt.text;
  if (prompt.sharedId === null) return uniqueWords(prompt.promptTokens);
  const shared = words(prompt.sharedId, prompt.sharedTokens);
  const rest = prompt.promptTokens - prompt.sharedTokens;
  return rest > 0 ? \`\${shared} \${uniqueWords(rest)}\` : shared;
}

function requestBody(prompt) {
  const streaming = STREAM ? { stream: true, stream_options: { include_usage: true } } : { stream: false };
  if (prompt.kind === 'body') return { ...prompt.body, ...FIELDS, ...streaming };
  const text = promptText(prompt);
  const body = { ...FIELDS, ...streaming };
  if (API === 'chat') body.messages = [{ role: 'user', content: text }];
  else body.prompt = text;
  if (prompt.outputTokensMax !== null) {
    body.max_tokens = prompt.outputTokensMax;
    if (EXACT) Object.assign(body, { ignore_eos: true, min_tokens: prompt.outputTokensMax });
  }
  if (prompt.priority) body.priority = prompt.priority;
  return body;
}

// An answer that was cut off is not complete, whatever its status.
function isWhole(response) {
  const body = String(response.body || '');
  return STREAM ? body.trimEnd().endsWith('[DONE]') : body.trimEnd().endsWith('}');
}

const completed = new Trend('completed_request_ms', true);
const failed = new Counter('failed_requests');

export default function () {
  // The iteration's number in its scenario: counting per user would give every user the same prompts.
  const prompt = PROMPTS[exec.scenario.iterationInTest % PROMPTS.length];
  const body = JSON.stringify(requestBody(prompt));
  const startMs = Date.now();
  const response = http.post(URL, body, { headers: HEADERS, timeout: TIMEOUT });
  const tookMs = Date.now() - startMs;
  const passed = check(response, {
    'HTTP 200': (r) => r.status === 200,
    'answer complete': isWhole,
  });
  if (passed) completed.add(tookMs);
  else failed.add(1);
}
`;
