/** How long prompts come out on a server: measured with two prompts before the load. */
import { EnvironmentError, NS_PER_SECOND } from '../base/index.ts';
import type { HttpClient } from '../client/index.ts';
import { calibrate, type PromptCalibration } from '../workload/index.ts';
import type { LocalTokenizer } from './local-tokenizer.ts';

/** One prompt as the server counted it. */
export interface ProbedPrompt {
  readonly words: number;
  readonly text: string;
  /** `null` when nobody told. */
  readonly promptTokens: number | null;
}

/** What the server's counts of two prompts say beside those of a local tokenizer. */
export interface TokenizerFit {
  readonly tokenizer: string;
  /**
   * What prompts are made by: `exact` words of one token each; `calibrated` by the server's counts,
   * since the tokenizer has too few such words or is not the server's; `uncounted`: the words of one
   * token, and nobody knows what the template adds.
   */
  readonly prompts: 'exact' | 'calibrated' | 'uncounted';
  /** The server's tokens per local one in what one prompt has more than the other; 1 = the same. */
  readonly serverPerLocal: number | null;
  /** Tokens that the template puts around a prompt; `null` when the counts differ. */
  readonly overheadTokens: number | null;
}

export interface MeasuredPrompts {
  /** `null` when the server counts no prompts and there is no tokenizer that could. */
  readonly calibration: PromptCalibration | null;
  /** `null` without a local tokenizer. */
  readonly fit: TokenizerFit | null;
}

/** The line through a short prompt and a long one. */
export function measurePrompts(
  short: ProbedPrompt,
  long: ProbedPrompt,
  local: LocalTokenizer | null,
): MeasuredPrompts {
  const told = lineThrough(short, long);
  if (local === null) return { calibration: told, fit: null };
  const { words, identity } = local;
  const ofWords = words === null ? {} : { words };
  const { tokenizer } = identity;
  if (told === null || short.promptTokens === null || long.promptTokens === null) {
    const calibration = words === null ? null : { tokensPerWord: 1, overheadTokens: 0, words };
    const fit = { tokenizer, prompts: 'uncounted', serverPerLocal: null, overheadTokens: null };
    return { calibration, fit: fit as TokenizerFit };
  }
  const shortTokens = local.count(short.text);
  const serverPerLocal =
    (long.promptTokens - short.promptTokens) / (local.count(long.text) - shortTokens);
  const isSame = serverPerLocal === 1;
  return {
    calibration: { ...told, ...ofWords },
    fit: {
      tokenizer,
      prompts: isSame && words !== null ? 'exact' : 'calibrated',
      serverPerLocal,
      overheadTokens: isSame ? short.promptTokens - shortTokens : null,
    },
  };
}

const TOKENIZE_NS = 5 * NS_PER_SECOND;

/**
 * Tokens of a prompt by the server's `/tokenize` (vLLM's form), template included; `null` where there
 * is none. For servers whose answers do not tell.
 */
export async function tokenizedByServer(
  client: HttpClient,
  prompt: { readonly model: string | null; readonly api: string; readonly text: string },
): Promise<number | null> {
  const { model, api, text } = prompt;
  const asked =
    api === 'completions' ? { prompt: text } : { messages: [{ role: 'user', content: text }] };
  if (api !== 'completions' && api !== 'chat') return null;
  try {
    const { httpStatus, json } = await client.requestJson({
      method: 'POST',
      under: 'root',
      path: '/tokenize',
      body: { model, ...asked },
      timeoutNs: TOKENIZE_NS,
    });
    const count = (json as { readonly count?: unknown } | null)?.count;
    return httpStatus === 200 && Number.isSafeInteger(count) ? (count as number) : null;
  } catch (error) {
    if (error instanceof EnvironmentError) return null;
    throw error;
  }
}

function lineThrough(short: ProbedPrompt, long: ProbedPrompt): PromptCalibration | null {
  const { promptTokens: shortTokens } = short;
  const { promptTokens: longTokens } = long;
  if (shortTokens === null || longTokens === null || longTokens <= shortTokens) return null;
  return calibrate(
    { words: short.words, promptTokens: shortTokens },
    { words: long.words, promptTokens: longTokens },
  );
}
