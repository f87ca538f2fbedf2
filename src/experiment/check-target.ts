/** `goodput check`: what a server is and can do, from a handful of requests. */
import type { RunSpec, TargetSpec } from '../config/index.ts';
import { type Dialect, DIALECTS } from '../wire/index.ts';
import type { AnswerFacts } from './answer-facts.ts';
import { openLocalTokenizer } from './local-tokenizer.ts';
import { type Preflight, preflight } from './preflight.ts';
import { openClient } from './open-client.ts';
import type { ExperimentPorts } from './run-experiment.ts';
import { findMetrics, type FoundMetrics } from './watch-servers.ts';

/** One thing looked at. `fail` means that a load test here would not measure what it should. */
export interface CheckFinding {
  readonly name: string;
  readonly state: 'pass' | 'fail' | 'note';
  readonly detail: string;
}

export interface TargetCheck {
  readonly passed: boolean;
  readonly preflight: Preflight;
  readonly findings: readonly CheckFinding[];
}

/** More than this share of an answer's events in shared reads looks like a buffering proxy. */
const BUNCHED_SHARE = 0.5;

/**
 * Errors: EnvironmentError when the target cannot be reached or refuses us (key, path, model);
 * ProblemsError when no model can be chosen.
 */
export async function checkTarget(
  spec: Pick<RunSpec, 'target' | 'checks'>,
  ports: Pick<ExperimentPorts, 'clock' | 'wallNowMs' | 'readText' | 'apiKey' | 'freshSeed'>,
): Promise<TargetCheck> {
  const tokenizer = await openLocalTokenizer(spec.target, ports.readText);
  const client = await openClient(spec, ports, tokenizer);
  try {
    const seen = await preflight({
      client,
      clock: ports.clock,
      dialect: DIALECTS[spec.target.api],
      target: spec.target,
      seed: ports.freshSeed,
      needsCalibration: true,
      tokenizer,
      probesExact: true,
      signal: new AbortController().signal,
    });
    const findings = [
      ...findingsOf(spec.target, seen),
      metricsFinding(await findMetrics(spec.target, ports)),
    ];
    return {
      passed: findings.every(({ state }) => state !== 'fail'),
      // Its words would fill the screen.
      preflight: { ...seen, calibration: withoutWords(seen.calibration) },
      findings,
    };
  } finally {
    client.close();
  }
}

function findingsOf({ api, stream }: TargetSpec, seen: Preflight): CheckFinding[] {
  const { answer } = seen;
  if (answer === null) {
    return [{ name: 'answer', state: 'fail', detail: seen.failure ?? 'none' }];
  }
  return [
    ...(stream ? [streaming(answer), buffering(answer), tokensPerEvent(answer, seen)] : []),
    usage(seen),
    reasoning(answer),
    cached(answer),
    exactLengths(DIALECTS[api], seen),
    promptLength(seen),
    ...tokenizerFindings(answer, seen),
  ];
}

function streaming({ events, finishReason }: AnswerFacts): CheckFinding {
  if (events < 2) {
    const detail = `${events} output event in the whole answer: nothing to time between tokens`;
    return { name: 'streaming', state: 'fail', detail };
  }
  return {
    name: 'streaming',
    state: 'pass',
    detail: `${events} output events, finish ${finishReason}`,
  };
}

function metricsFinding(found: FoundMetrics | null): CheckFinding {
  const detail =
    found === null
      ? 'none of a known engine at this address'
      : `${found.engine} at ${new URL(found.url).pathname}: --metrics auto works`;
  return { name: 'metrics', state: 'note', detail };
}

/** Events that arrive together were held back together: TTFT and totals hold, gaps do not. */
function buffering(answer: AnswerFacts): CheckFinding {
  const { events, eventsInSharedReads, outputSpanShare } = answer;
  const share = events < 2 ? 0 : eventsInSharedReads / (events - 1);
  const isBurst = events >= 8 && outputSpanShare !== null && outputSpanShare < 0.05;
  if (share <= BUNCHED_SHARE && !isBurst) {
    const detail = `none seen: ${eventsInSharedReads} of ${events} events shared a read`;
    return { name: 'buffering', state: 'pass', detail };
  }
  const detail = isBurst
    ? 'the whole answer came in one burst at its end: something on the way buffers it'
    : `${eventsInSharedReads} of ${events} events came in shared reads: something bunches them`;
  return { name: 'buffering', state: 'note', detail };
}

function tokensPerEvent(answer: AnswerFacts, { talk }: Preflight): CheckFinding {
  const { events, localOutputTokens: local, tokensPerEvent: mean } = answer;
  if (talk.local?.judged === true && local !== null && events > 0) {
    const detail = `${(local / events).toFixed(2)} by ${talk.local.tokenizer} (TPOT estimated from totals)`;
    return { name: 'tokens/event', state: 'pass', detail };
  }
  if (mean === null) {
    return {
      name: 'tokens/event',
      state: 'note',
      detail: 'unknown: TPOT cannot be measured, judge the pace by gap',
    };
  }
  const aligned = talk.tokens === 'perEventUsage' && mean === 1;
  const basis = aligned ? 'token-aligned, TPOT observed' : 'TPOT estimated from totals';
  return { name: 'tokens/event', state: 'pass', detail: `${mean.toFixed(2)} (${basis})` };
}

function usage({ talk }: Preflight): CheckFinding {
  if (talk.local?.judged === true) {
    const detail = `not reported: output tokens are by ${talk.local.tokenizer}, not by the server`;
    return { name: 'usage', state: 'note', detail };
  }
  const details = {
    perEventUsage: 'in every event',
    usage: 'at the end of the answer',
    none: 'not reported: output tokens stay unknown, token rates cannot be given',
  } as const;
  const state = talk.tokens === 'none' ? 'note' : 'pass';
  return { name: 'usage', state, detail: details[talk.tokens] };
}

function reasoning({ reasoningEvents, events }: AnswerFacts): CheckFinding {
  const detail =
    reasoningEvents === 0
      ? 'none seen'
      : `${reasoningEvents} of ${events} events; choose in the objective whether it counts`;
  return { name: 'reasoning', state: 'note', detail };
}

function cached({ cachedPromptTokens: tokens }: AnswerFacts): CheckFinding {
  const detail =
    tokens === null ? 'the server does not tell' : `told; ${tokens} in a prompt never sent before`;
  return { name: 'cached tokens', state: 'note', detail };
}

function exactLengths({ exactLength }: Dialect, { exactOutputWorks }: Preflight): CheckFinding {
  const detail =
    exactOutputWorks === true
      ? 'kept: --exact works'
      : exactLength
        ? 'not kept: answers end where the model ends them'
        : 'this API cannot be asked for them: answers end where the model ends them';
  return { name: 'exact lengths', state: 'note', detail };
}

function promptLength({ calibration }: Preflight): CheckFinding {
  if (calibration === null) {
    const detail = 'not counted by the server: prompts take one token a word';
    return { name: 'prompt length', state: 'note', detail };
  }
  const { tokensPerWord, overheadTokens } = calibration;
  const detail = `${tokensPerWord.toFixed(2)} tokens a word + ${overheadTokens.toFixed(0)}`;
  return { name: 'prompt length', state: 'pass', detail };
}

function withoutWords(calibration: Preflight['calibration']): Preflight['calibration'] {
  if (calibration === null) return null;
  const { tokensPerWord, overheadTokens } = calibration;
  return { tokensPerWord, overheadTokens };
}

/** How far the local tokenizer and the server agree, on prompts and on the one answer. */
function tokenizerFindings(
  { outputTokens, localOutputTokens: local }: AnswerFacts,
  { fit }: Preflight,
): CheckFinding[] {
  if (fit === null) return [];
  const { tokenizer, prompts, serverPerLocal, overheadTokens } = fit;
  const ofAnswer = `the answer: ${local ?? 'no'} tokens here, ${outputTokens ?? 'not told'} by the server`;
  if (serverPerLocal !== null && serverPerLocal !== 1) {
    const detail = `${tokenizer} is not the server's: ${serverPerLocal.toFixed(3)} of its tokens for one; ${ofAnswer}`;
    return [{ name: 'tokenizer', state: 'fail', detail }];
  }
  const ofPrompts = {
    exact: `prompts have their exact length, ${overheadTokens} of it the template`,
    calibrated: 'too few words of one token: prompts are made by the server’s count',
    uncounted: 'the server counts no prompts: what the template adds is not known',
  }[prompts];
  return [{ name: 'tokenizer', state: 'pass', detail: `${tokenizer}: ${ofPrompts}; ${ofAnswer}` }];
}
