/**
 * Objectives to start from. Every number is a choice, not a law of perception: measure the service
 * at its expected load, then set limits where what users need meets what it delivers with headroom
 * (`suggest.ts`). Owner, runbook and rollback are the user's to fill in.
 */
import { nsFromMs, nsFromSeconds } from '../base/index.ts';
import type { OutputKind } from '../record/index.ts';
import { limitsUpTo } from './length-bucket.ts';
import type { Objective, PopulationObjective, RequestObjective } from './objective.ts';
import {
  NO_POPULATION_TARGET,
  plainObjective,
  requestWithoutLimits,
} from './objective-defaults.ts';

const THIRTY_DAYS_NS = nsFromSeconds(30 * 86_400);

/**
 * Interactive chat: a person waits for the first words, thinking included, and then reads. TTFT
 * rises with the prompt, because prefill does; 40 ms a token already outpaces a reader; a gap
 * above 1 s is a visible stall.
 */
const chat = preset('chat', ['answer', 'reasoning'], {
  request: {
    ttft: limitsUpTo([
      { upToTokens: 1_000, limitNs: nsFromMs(500) },
      { upToTokens: 4_000, limitNs: nsFromMs(1_000) },
      { upToTokens: 16_000, limitNs: nsFromMs(2_500) },
      { upToTokens: 64_000, limitNs: nsFromMs(8_000) },
    ]),
    tpot: { limitNs: nsFromMs(40), basis: 'any' },
    gapMaxNs: nsFromSeconds(1),
  },
  population: { attainmentShare: 0.97, successShare: 0.995 },
});

/**
 * A model that thinks before it answers: only the answer counts, so the wait for its first word
 * holds all the thinking (10 s, 20 s from 16k prompt tokens on), and the pace is the answer's own.
 */
const reasoning = preset('reasoning', ['answer', 'refusal'], {
  request: {
    ttft: [
      { fromTokens: 0, toTokens: 16_000, limitNs: nsFromSeconds(10) },
      { fromTokens: 16_000, toTokens: null, limitNs: nsFromSeconds(20) },
    ],
    tpot: { limitNs: nsFromMs(40), basis: 'any' },
    gapMaxNs: nsFromSeconds(1),
  },
  population: { attainmentShare: 0.95, successShare: 0.995 },
});

/**
 * A program reads the answer as it comes and calls tools: pace is what it waits for (20 ms a
 * token), tool calls count as output and may be the whole answer.
 */
const agent = preset('agent', ['answer', 'reasoning', 'refusal', 'toolCall'], {
  request: {
    ttft: [
      { fromTokens: 0, toTokens: 16_000, limitNs: nsFromSeconds(2) },
      { fromTokens: 16_000, toTokens: null, limitNs: nsFromSeconds(8) },
    ],
    tpot: { limitNs: nsFromMs(20), basis: 'any' },
    gapMaxNs: nsFromSeconds(2),
  },
  population: { attainmentShare: 0.95, successShare: 0.995 },
});

/**
 * Speech is made from the answer as it comes: the first words within 400 ms, an even pace ahead of
 * the voice, and no gap that would empty the audio buffer (300 ms).
 */
const voice = preset('voice', ['answer', 'refusal'], {
  request: {
    ttft: [{ fromTokens: 0, toTokens: null, limitNs: nsFromMs(400) }],
    tpot: { limitNs: nsFromMs(30), basis: 'any' },
    gapMaxNs: nsFromMs(300),
  },
  population: { attainmentShare: 0.97, successShare: 0.995 },
});

/**
 * Nobody watches: each request has a deadline of 10 minutes from its planned start, almost all
 * must succeed, and no tenant may be starved. Cost is bounded by the run's budget, not here.
 */
const batch = preset('batch', ['answer', 'reasoning', 'refusal'], {
  request: { e2eNs: nsFromSeconds(600) },
  population: {
    attainmentShare: 0.99,
    successShare: 0.995,
    worst: { by: 'tenant', attainmentShare: 0.95 },
  },
});

const PRESETS = { chat, reasoning, agent, voice, batch } as const;

export type PresetName = keyof typeof PRESETS;

/** The names {@link objectivePreset} knows. */
export const PRESET_NAMES: readonly PresetName[] = ['chat', 'reasoning', 'agent', 'voice', 'batch'];

/** The preset of that name. */
export function objectivePreset(name: PresetName): Objective {
  return PRESETS[name];
}

function preset(
  name: string,
  counts: readonly OutputKind[],
  parts: {
    readonly request: Partial<RequestObjective>;
    readonly population: Partial<PopulationObjective>;
  },
): Objective {
  return {
    ...plainObjective(name),
    request: { ...requestWithoutLimits(counts), ...parts.request },
    population: { ...NO_POPULATION_TARGET, periodNs: THIRTY_DAYS_NS, ...parts.population },
  };
}
