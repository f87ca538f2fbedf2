/** The `load` section: how requests are released, and at which levels. */
import { z } from 'zod';
import { parseDurationNs } from '../base/index.ts';
import type { ArrivalProcess, ThinkTime } from '../workload/index.ts';
import {
  duration,
  expects,
  fail,
  mapping,
  oneOrMany,
  positiveNumber,
  wholeNumber,
} from './scalars.ts';

const ARRIVALS = 'write poisson, constant or gamma:2 (coefficient of variation of the gaps)';

const arrivals = z
  .string(expects('an arrival process', ARRIVALS))
  .transform((value, context): ArrivalProcess => {
    const [kind, argument, ...more] = value.split(':');
    const cv = Number(argument);
    if (argument === undefined && (kind === 'poisson' || kind === 'constant')) return { kind };
    if (kind === 'gamma' && more.length === 0 && cv > 0 && cv < Infinity) return { kind, cv };
    return kind === 'poisson' || kind === 'constant'
      ? fail(
          context,
          `gives ${kind} arrivals a burstiness, which they do not have`,
          `write ${kind} or gamma:2`,
        )
      : fail(context, 'is not an arrival process', ARRIVALS);
  });

const THINK = 'write 2s (exponential with that mean) or fixed:2s';

const think = z.string(expects('a think time', THINK)).transform((value, context): ThinkTime => {
  const match = /^(?:(fixed|exponential):)?(.*)$/.exec(value);
  const meanNs = parseDurationNs(match?.[2] ?? '');
  if (meanNs === null) return fail(context, 'is not a think time', THINK);
  return { kind: match?.[1] === 'fixed' ? 'fixed' : 'exponential', meanNs };
});

const rate = positiveNumber('a rate in requests per second', '4 or 0.5');
const sessionRate = positiveNumber('a rate in sessions per second', '0.5');
const level = wholeNumber('a whole number', '8');

/**
 * `load` in a run file. Exactly one of `rate`, `concurrency`, `users`, `sessionRate`, `timeScale`.
 */
export const loadSection = mapping({
  rate: oneOrMany(rate, 'a rate in requests per second', '4 or [2, 4, 8]')
    .optional()
    .describe('Open loop: requests per second. A list is a sweep, one point each.'),
  arrivals: arrivals
    .optional()
    .describe(
      'Spacing of an open loop, or of sessions: `poisson` (default), `constant` or `gamma:CV`.',
    ),
  concurrency: oneOrMany(level, 'a number of streams', '8 or [1, 4, 16]')
    .optional()
    .describe('Closed loop: requests always in flight. A list is a sweep.'),
  users: oneOrMany(level, 'a number of users', '10 or [10, 20]')
    .optional()
    .describe('Closed loop: users who wait for the answer, think and ask again.'),
  sessionRate: oneOrMany(sessionRate, 'a rate in sessions per second', '0.5 or [0.5, 1]')
    .optional()
    .describe(
      'Sessions that begin per second, whose turns wait for one another. A list is a sweep.',
    ),
  think: think
    .optional()
    .describe('Think time of users and sessions: `2s` (exponential with that mean) or `fixed:2s`.'),
  timeScale: oneOrMany(positiveNumber('a factor', '10'), 'a factor', '10 or [1, 10]')
    .optional()
    .describe('Replay of a trace: 10 = ten times as fast. Default 1 for a trace workload.'),
  from: duration('any', '5m').optional().describe('Where the replay starts, in trace time.'),
});
