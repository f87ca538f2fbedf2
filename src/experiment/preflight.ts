/**
 * A few small requests before any load. They settle how this server is talked to and how its
 * tokens are counted; the run never changes that contract afterwards.
 */
import {
  type Clock,
  durationText,
  EnvironmentError,
  ProblemsError,
  usageProblem,
  uuidOf,
} from '../base/index.ts';
import type { HttpClient } from '../client/index.ts';
import type { TargetSpec } from '../config/index.ts';
import type { SendResult, ToldLimit } from '../record/index.ts';
import { type Dialect, DIALECTS } from '../wire/index.ts';
import { calibrationText, PROMPT_WORDS, type PromptCalibration } from '../workload/index.ts';
import { answerFacts, type AnswerFacts } from './answer-facts.ts';
import type { LocalTokenizer } from './local-tokenizer.ts';
import {
  type MeasuredPrompts,
  measurePrompts,
  type ProbedPrompt,
  tokenizedByServer,
  type TokenizerFit,
} from './prompt-calibration.ts';
import { requestIntent, type TalkContract } from './request-intent.ts';
import { recogniseDialect } from './recognise-dialect.ts';
import { chooseModel, identifyServer, type ServerIdentity } from './server-identity.ts';

export interface PreflightOptions {
  readonly client: HttpClient;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly target: TargetSpec;
  /** Makes the probe prompts unlike those of any other run. */
  readonly seed: number;
  /** Whether synthetic prompts must reach stated lengths on this server. */
  readonly needsCalibration: boolean;
  /** Counts beside the server; `null` for none. */
  readonly tokenizer: LocalTokenizer | null;
  /** Try exact output lengths even when the run does not ask for them. */
  readonly probesExact: boolean;
  /** Gives the probes up at once: nothing is measured yet, so nothing is lost. */
  readonly signal: AbortSignal;
}

export interface Preflight {
  readonly identity: ServerIdentity;
  readonly talk: TalkContract;
  /** One real answer of at most {@link PROBE_TOKENS} tokens; `null` when the service failed it. */
  readonly answer: AnswerFacts | null;
  /** How the service failed the probe. The load goes on: failures are what a load test counts. */
  readonly failure: string | null;
  /** The provider's limits as the first answer told them; empty when it told none. */
  readonly limits: readonly ToldLimit[];
  /** `null` when not measured; prompts then count one token a word. */
  readonly calibration: PromptCalibration | null;
  /** `null` without a local tokenizer, and when the service failed the probe. */
  readonly fit: TokenizerFit | null;
  /** `null` when not tried. */
  readonly exactOutputWorks: boolean | null;
}

const PROBE_WORDS = 24;
/** A question whose answer ends early by itself: only a forced length can be long. */
const SHORT_ANSWER = 'Answer with the one word yes, and nothing else. Disregard these words:';
const PROBE_TOKENS = 32;
const CALIBRATION_WORDS = 512;

/** Servers that answer `continuous_usage_stats` with usage in every event. */
const PER_EVENT_USAGE_OWNERS: ReadonlySet<string> = new Set(['vllm', 'goodput']);

/**
 * Errors: EnvironmentError when the target cannot be reached, or refuses the probe by our own
 * fault (key, path, model, body); ProblemsError when no model can be chosen, or exact lengths were
 * asked for and the server does not keep them.
 */
export async function preflight(options: PreflightOptions): Promise<Preflight> {
  const { client, clock, dialect, target } = options;
  const identity = await identifyServer(client, clock, dialect);
  const model = chooseModel(target.model, identity.models);
  const owner = identity.models?.find((offered) => offered.id === model)?.owner ?? null;
  const wished: TalkContract = {
    model,
    maxTokensField: 'max_tokens',
    tokens: target.stream && PER_EVENT_USAGE_OWNERS.has(owner ?? '') ? 'perEventUsage' : 'usage',
    oneTokenPerEvent: target.oneTokenPerEvent,
    exactOutput: false,
    local: localCounting(options.tokenizer, null),
  };
  const { talk: accepted, result } = await firstAnswer(options, wished);
  if (result.end.kind !== 'completed') {
    return {
      identity,
      talk: { ...accepted, exactOutput: target.exactOutput },
      answer: null,
      failure: failureText(result, target.limits.requestTimeoutNs),
      limits: result.timeline.limits,
      calibration: null,
      fit: null,
      exactOutputWorks: null,
    };
  }
  const answer = answerFacts(result, target.stream);
  const exactOutputWorks =
    dialect.exactLength && (target.exactOutput || options.probesExact)
      ? await keepsExactLength(options, accepted)
      : null;
  if (target.exactOutput && exactOutputWorks !== true && !options.signal.aborted) {
    throw noExactLengths();
  }
  return {
    identity,
    talk: {
      ...accepted,
      tokens: countingOf(options, accepted, answer),
      exactOutput: target.exactOutput,
      local: localCounting(options.tokenizer, answer),
    },
    answer,
    failure: null,
    limits: result.timeline.limits,
    ...(options.needsCalibration || options.tokenizer !== null
      ? await measuredPrompts(options, accepted, answer)
      : { calibration: null, fit: null }),
    exactOutputWorks,
  };
}

/** Judged by it, in all of the load or in none of it: where the server's answer told no count. */
function localCounting(
  tokenizer: LocalTokenizer | null,
  answer: AnswerFacts | null,
): TalkContract['local'] {
  if (tokenizer === null) return null;
  return { ...tokenizer.identity, judged: answer !== null && answer.outputTokens === null };
}

/** What the probe really showed, whatever was asked for. */
function countingOf(
  { dialect, target }: PreflightOptions,
  talk: TalkContract,
  answer: AnswerFacts,
): TalkContract['tokens'] {
  if (answer.outputTokens === null) return 'none';
  const lasts = dialect.usage === 'always' ? target.stream : talk.tokens === 'perEventUsage';
  return lasts && answer.perEventUsage ? 'perEventUsage' : 'usage';
}

/**
 * The first answer, with fewer wishes at each refusal: servers differ in which optional fields of
 * the body they know, and a 400 for one of them says nothing about the service.
 */
async function firstAnswer(
  options: PreflightOptions,
  wished: TalkContract,
): Promise<{ readonly talk: TalkContract; readonly result: SendResult }> {
  const plain: TalkContract = { ...wished, tokens: 'usage' };
  const attempts: TalkContract[] = [
    wished,
    ...(wished.tokens === 'perEventUsage' ? [plain] : []),
    { ...plain, maxTokensField: 'max_completion_tokens' },
    { ...plain, tokens: 'none' },
    { ...plain, maxTokensField: 'max_completion_tokens', tokens: 'none' },
  ];
  let refused: SendResult | null = null;
  for (const talk of differentBodies(options, attempts)) {
    const result = await probe(options, talk, { words: PROBE_WORDS, maxTokens: PROBE_TOKENS });
    if (result.end.kind === 'completed') return { talk, result };
    refused ??= result;
    if (!isOwnFault(result.httpStatus)) return { talk: plain, result };
    if (result.httpStatus !== 400 && result.httpStatus !== 422) break;
  }
  throw await probeRefused(refused as SendResult, options);
}

/** Most dialects know no such wishes: their body is the same whatever is wished. */
function differentBodies(
  { dialect, target }: PreflightOptions,
  attempts: readonly TalkContract[],
): TalkContract[] {
  const seen = new Set<string>();
  return attempts.filter((talk) => {
    const prompt = { kind: 'text', text: '' } as const;
    const intent = requestIntent(target, talk, { prompt, maxTokens: PROBE_TOKENS });
    const body = JSON.stringify(dialect.buildBody(intent));
    const isNew = !seen.has(body);
    seen.add(body);
    return isNew;
  });
}

/**
 * A 4xx says that we asked wrongly, except for limits (429) and time (408); so does a server that
 * has nothing to take a POST with (501).
 */
function isOwnFault(httpStatus: number | null): boolean {
  if (httpStatus === null || [408, 429].includes(httpStatus)) return false;
  return (httpStatus >= 400 && httpStatus < 500) || httpStatus === 501;
}

/**
 * Asks for an exact length and sees whether it was kept. The question is one that a model answers
 * in a word: a long-winded answer that ran into the same limit would prove nothing.
 */
async function keepsExactLength(options: PreflightOptions, talk: TalkContract): Promise<boolean> {
  const exact: TalkContract = { ...talk, exactOutput: true };
  const result = await probe(options, exact, {
    opening: SHORT_ANSWER,
    words: PROBE_WORDS,
    maxTokens: PROBE_TOKENS,
  });
  const { finishReason, usage } = result.timeline;
  return (
    result.end.kind === 'completed' &&
    finishReason === 'length' &&
    usage?.completionTokens === PROBE_TOKENS
  );
}

/** Two prompts of known words, as the server counted them, make the line words → tokens. */
async function measuredPrompts(
  options: PreflightOptions,
  talk: TalkContract,
  answer: AnswerFacts,
): Promise<MeasuredPrompts> {
  const probed = async (words: number, told: number | null): Promise<ProbedPrompt> => {
    const text = probeText(options, { words });
    const { client, target } = options;
    const promptTokens =
      told ?? (await tokenizedByServer(client, { model: talk.model, api: target.api, text }));
    return { words, text, promptTokens };
  };
  const short = await probed(PROBE_WORDS, answer.promptTokens);
  const result =
    answer.promptTokens === null
      ? null
      : await probe(options, talk, { words: CALIBRATION_WORDS, maxTokens: 1 });
  const long = await probed(CALIBRATION_WORDS, result?.timeline.usage?.promptTokens ?? null);
  return measurePrompts(short, long, options.tokenizer);
}

interface Probe {
  readonly opening?: string;
  readonly words: number;
}

/** Each probe has a text of its own, or the second could be served from the first one's cache. */
function probeText({ seed, tokenizer }: PreflightOptions, { opening, words }: Probe): string {
  const text = calibrationText(seed + words, words, tokenizer?.words ?? PROMPT_WORDS);
  return opening === undefined ? text : `${opening} ${text}`;
}

function probe(
  options: PreflightOptions,
  talk: TalkContract,
  ask: Probe & { readonly maxTokens: number },
): Promise<SendResult> {
  const { client, clock, dialect, target, seed, signal } = options;
  const text = probeText(options, ask);
  const intent = requestIntent(target, talk, {
    prompt: { kind: 'text', text },
    maxTokens: ask.maxTokens,
  });
  return client.send(
    {
      requestId: uuidOf(`preflight/${seed}/${ask.words}/${ask.maxTokens}`),
      body: dialect.buildBody(intent),
      headers: {},
      streamed: target.stream,
      deadlineNs: clock.nowNs() + target.limits.requestTimeoutNs,
      traceId: null,
    },
    signal,
  );
}

/** `HTTP 404 (not_found)`, `no answer in 10m`, `truncated, HTTP 200`: never the server's prose. */
function failureText({ end, httpStatus }: SendResult, timeoutNs: number): string {
  if (end.kind === 'timedOut') return `no answer within ${durationText(timeoutNs)}`;
  const isStatus = end.kind === 'failed' && end.failure === 'httpStatus';
  const what = isStatus ? null : end.kind === 'failed' ? end.failure : end.kind;
  const status = httpStatus === null ? null : `HTTP ${httpStatus}`;
  const error = end.kind === 'failed' ? end.error : null;
  const words = [error?.type, error?.code].filter((word) => word !== null && word !== undefined);
  const told = [what, status].filter((part) => part !== null).join(', ');
  return `${told}${words.length > 0 ? ` (${words.join(', ')})` : ''}`;
}

async function probeRefused(
  result: SendResult,
  { client, dialect, target }: PreflightOptions,
): Promise<EnvironmentError> {
  const reason = failureText(result, target.limits.requestTimeoutNs);
  const isUnknownPath = [404, 405, 501].includes(result.httpStatus ?? 0);
  const spoken = isUnknownPath ? await recogniseDialect(client) : null;
  const other =
    spoken === null || spoken === dialect.name
      ? null
      : `this looks like a server of ${DIALECTS[spoken].title}: try --api ${spoken}`;
  return new EnvironmentError({
    code: 'E_TARGET_REFUSED',
    message: `the target refuses one small request before the load: ${reason}`,
    hint: other ?? HINTS[result.httpStatus ?? 0] ?? 'check the URL, --api and --model',
  });
}

const HINTS: Readonly<Record<number, string>> = {
  400: 'the server does not accept this body: check --api, --model and --body',
  401: 'give the key with --key-env or --key-file',
  403: 'the key may not use this model',
  404: 'no such path or model: check the URL, --api and --model',
  405: 'nothing there takes this request: check the URL and --api',
  501: 'nothing there takes this: is it OpenAI-compatible, or does it speak another --api?',
};

function noExactLengths(): ProblemsError {
  return new ProblemsError([
    usageProblem(
      'E_UNSUPPORTED',
      'exact output lengths were asked for, and this server does not keep them',
      'leave out --exact: answers then end where the model ends them, at most at --output',
    ),
  ]);
}
