/** The `retry` section: when a client tries again, and after how long. */
import { z } from 'zod';
import { durationText, NS_PER_MS, NS_PER_SECOND } from '../base/index.ts';
import type { RetryCause, RetryPolicy } from '../workload/index.ts';
import { mappingOrText } from './assignments.ts';
import {
  duration,
  expects,
  fail,
  flag,
  mapping,
  nonNegativeNumber,
  positiveNumber,
  wholeNumber,
} from './scalars.ts';

/**
 * What the official OpenAI clients do (openai-python 1.x, `_base_client.py`): two more tries on
 * connection errors, timeouts, 408, 409, 429 and 5xx; 0.5 s, doubled, at most 8 s, less up to a quarter.
 */
export const DEFAULT_RETRY: Omit<RetryPolicy, 'seed'> = {
  attempts: 3,
  on: [408, 409, 429, '5xx', 'connect', 'timeout'],
  backoff: {
    baseNs: 500 * NS_PER_MS,
    factor: 2,
    maxNs: 8 * NS_PER_SECOND,
    jitterShare: 0.25,
  },
  honoursRetryAfter: true,
  deadlineNs: null,
};

const CAUSES = 'write statuses (429), 4xx, 5xx, connect, timeout or answer';
const WORDS: readonly RetryCause[] = ['4xx', '5xx', 'connect', 'timeout', 'answer'];

const cause = z
  .union([z.number(), z.string()], expects('an end of a try', CAUSES))
  .transform((value, context): RetryCause => {
    const word = WORDS.find((known) => known === value);
    if (word !== undefined) return word;
    const status = Number(value);
    return Number.isInteger(status) && status >= 400 && status <= 599
      ? status
      : fail(context, 'is not an end of a try', CAUSES);
  });

const backoff = mapping({
  base: duration('above0', '500ms')
    .prefault(durationText(DEFAULT_RETRY.backoff.baseNs))
    .describe('Wait before the second try.'),
  factor: positiveNumber('a factor', '2')
    .refine((factor) => factor >= 1, { error: 'is below 1\nwrite 2' })
    .prefault(DEFAULT_RETRY.backoff.factor)
    .describe('Each further wait is this many times the one before.'),
  max: duration('above0', '8s')
    .prefault(durationText(DEFAULT_RETRY.backoff.maxNs))
    .describe('Longest wait that the client chooses.'),
  jitter: nonNegativeNumber('a share', '0.25')
    .refine((share) => share <= 1, { error: 'is above 1\nwrite 0.25' })
    .prefault(DEFAULT_RETRY.backoff.jitterShare)
    .describe('Each wait is cut by a random part of it, at most this share.'),
});

const retryKeys = mapping({
  attempts: wholeNumber('a number of tries', '3', 2)
    .prefault(DEFAULT_RETRY.attempts)
    .describe('Tries of one request in all, the first included.'),
  on: z
    .array(cause, expects('a list', 'write [429, 5xx, connect]'))
    .min(1, 'names nothing that is tried again\nleave it out, or write [429, 5xx]')
    .default([...DEFAULT_RETRY.on])
    .describe(
      'What is tried again: statuses, `4xx`, `5xx`, `connect` (no response came), `timeout`, and ' +
        '`answer` (a response that began well and broke).',
    ),
  backoff: backoff.prefault({}).describe('Waits between tries.'),
  retryAfter: flag
    .prefault(DEFAULT_RETRY.honoursRetryAfter)
    .describe('Wait at least as long as `Retry-After` asks.'),
  deadline: duration('above0', '30s')
    .optional()
    .describe('No try starts later than this after its request was due, or lasts beyond it.'),
  seed: wholeNumber('a whole number', '7', 0)
    .optional()
    .describe('Seed of the jitter. Left out: that of the arrivals.'),
});

/** `retry` in a run file, and `--retry`. */
export const retrySection = mappingOrText(retryKeys, {
  inside: { base: 'backoff', factor: 'backoff', max: 'backoff', jitter: 'backoff' },
  listed: ['on'],
  alone: 'attempts',
});

/** The policy that the keys say; `seed` is that of the arrivals. */
export function retryPolicy(keys: z.output<typeof retryKeys>, seed: number): RetryPolicy {
  return {
    attempts: keys.attempts,
    on: keys.on,
    backoff: {
      baseNs: keys.backoff.base,
      factor: keys.backoff.factor,
      maxNs: keys.backoff.max,
      jitterShare: keys.backoff.jitter,
    },
    honoursRetryAfter: keys.retryAfter,
    deadlineNs: keys.deadline ?? null,
    seed: keys.seed ?? seed,
  };
}

/** The policy as a run file has it. */
export function retryTree(policy: RetryPolicy): Record<string, unknown> {
  const { backoff: waits, deadlineNs } = policy;
  return {
    attempts: policy.attempts,
    on: policy.on,
    backoff: {
      base: durationText(waits.baseNs),
      factor: waits.factor,
      max: durationText(waits.maxNs),
      jitter: waits.jitterShare,
    },
    retryAfter: policy.honoursRetryAfter,
    ...(deadlineNs === null ? {} : { deadline: durationText(deadlineNs) }),
    seed: policy.seed,
  };
}
