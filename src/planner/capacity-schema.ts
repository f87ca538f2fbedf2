/**
 * What a capacity search knows: `capacity.json` beside the records of its windows
 * (schema/capacity.schema.json). Written after every window, so that a search that was
 * stopped, by whatever, goes on from it. Numbers carry their unit in the name; `null` = not known.
 */
import { z } from 'zod';
import { EFFORT_NAMES } from './effort.ts';

export const CAPACITY_SCHEMA_VERSION = 1;

const count = z.int().min(0);
const share = z.number().min(0).max(1);
const rps = z.number().min(0);
const seconds = z.number().min(0);
const usd = z.number().min(0);

const openPlan = z
  .strictObject({
    kind: z.literal('open'),
    targetShare: share,
    startRps: rps,
    maxRps: rps.nullable(),
    bracketSeconds: seconds,
    windowSeconds: seconds,
    budgetSeconds: seconds,
    wantedHalfWidthShare: share.nullable(),
  })
  .describe('Open loop: the rate at which attainment crosses its target.');

const closedPlan = z
  .strictObject({
    kind: z.literal('closed'),
    targetShare: share,
    startStreams: count,
    maxStreams: count,
    windowSeconds: seconds,
    budgetSeconds: seconds,
  })
  .describe('Closed loop: the largest concurrency that meets the objective. No capacity claim.');

const window = z
  .strictObject({
    pointIndex: count.describe('Load point of the run folder that holds its records.'),
    phase: z.enum(['bracket', 'local', 'boundary']),
    level: z.number().describe('Requests/s; streams in a closed loop.'),
    good: count,
    offered: count,
    measuredSeconds: seconds.describe('Judged part.'),
    answerSeconds: seconds.nullable().describe('Mean time from request to end of answer.'),
    ending: z.enum(['full', 'clearlyMet', 'clearlyMissed', 'broken', 'interrupted', 'invalid']),
    why: z.string().nullable().describe('In words, where it did not end in full.'),
  })
  .describe('One window: a load point of its own, with fresh arrivals, lengths and prompts.');

const cost = z.strictObject({
  seconds,
  requests: count,
  inputTokens: count.nullable(),
  outputTokens: count.nullable(),
  costUsd: usd.nullable(),
});

const capacity = z
  .strictObject({
    rps: rps.nullable().describe('Best single figure; without an interval it proves nothing.'),
    lowRps: rps.nullable(),
    highRps: rps.nullable(),
    level: share.describe('Confidence of lowRps…highRps, two-sided.'),
    plannableRps: rps.nullable().describe('With 95 % confidence the target is met up to here.'),
    noInterval: z.enum(['notBracketed', 'tooFewWindows', 'tooShort', 'noFall']).nullable(),
    metRps: rps.nullable().describe('Highest coarse load that met the target.'),
    missedRps: rps.nullable().describe('Lowest coarse load that missed it.'),
    dispersion: z.number().nullable().describe('Spread between windows over that of chance.'),
    windowsFitted: count,
    rise: z
      .strictObject({ fromRps: rps, belowShare: share, fromShare: share })
      .nullable()
      .describe('Attainment rose with load beyond chance: something else changed.'),
  })
  .describe('Where attainment crosses its target: quasi-binomial logistic fit, Fieller interval.');

const rung = z.strictObject({
  streams: count,
  windows: count,
  share,
  met: z.boolean(),
  lowShare: share.nullable().describe('One-sided 95 % lower bound over the windows.'),
});

const atCapacity = z
  .strictObject({
    windows: count.describe('Windows nearest the capacity, which the figures are from.'),
    objective: z.string().nullable().describe('The objective that most misses miss.'),
    objectiveMissShare: share.nullable(),
    bucket: z.string().nullable().describe('Prompt bucket with most misses.'),
    bucketMissShare: share.nullable().describe('Its part of all misses.'),
    bucketOfferedShare: share.nullable().describe('Its part of all requests.'),
    inFlightMean: z.number().nullable(),
    inFlightP99: z.number().nullable().describe('Largest of the windows.'),
    ceilingDrops: count.describe('Above 0: limited by the ceiling of the generator or its spec.'),
  })
  .describe('What binds where attainment crosses its target.');

const headroom = z.strictObject({
  burstFactor: z.number().nullable(),
  growthShare: z.number().nullable(),
  failover: z.strictObject({ lost: count, replicas: count }).nullable(),
  usableShare: share.describe('Part of the capacity that average demand may take.'),
  averageRps: rps.nullable().describe('plannableRps × usableShare.'),
});

const demand = z.strictObject({
  averageRps: rps,
  requiredRps: rps.describe('With the declared headroom.'),
  verdict: z.enum(['met', 'likely', 'unlikely', 'missed', 'unknown']),
});

export const capacitySchema = z.strictObject({
  schemaVersion: z.literal(CAPACITY_SCHEMA_VERSION),
  tool: z.strictObject({ name: z.literal('goodput'), version: z.string() }),
  experimentHash: z.string(),
  source: z.enum(['measured', 'simulated']),
  effort: z.enum(EFFORT_NAMES),
  warmupSeconds: seconds.describe('Before the judged part of every window.'),
  objective: z.string(),
  plan: z.discriminatedUnion('kind', [openPlan, closedPlan]),
  planned: cost.describe('At the rate of the first window, if the whole budget is spent.'),
  windows: z.array(window),
  end: z
    .enum([
      'budgetSpent',
      'precise',
      'metEverywhere',
      'missedEverywhere',
      'targetDown',
      'unusable',
      'spendingLimit',
      'interrupted',
    ])
    .describe('Why the search ended; interrupted while it goes on.'),
  capacity: capacity.nullable().describe('null for a closed loop.'),
  ladder: z
    .strictObject({ rungs: z.array(rung), largestStreams: count.nullable() })
    .nullable()
    .describe('null for an open loop.'),
  curve: z
    .array(
      z.strictObject({
        level: z.number(),
        windows: count,
        good: count,
        offered: count,
        share: share.nullable(),
        fittedShare: share.nullable(),
      }),
    )
    .describe('Attainment by load: all windows of a load pooled, and the fit there.'),
  atCapacity: atCapacity.nullable(),
  otherTargets: z
    .array(z.strictObject({ target: z.string(), met: count, missed: count, undecided: count }))
    .describe('Targets besides attainment: windows up to the capacity that met and missed them.'),
  headroom: headroom.nullable().describe('null when none was declared.'),
  demand: demand.nullable(),
  stepTimeBand: z
    .strictObject({ slowerRps: rps.nullable(), fasterRps: rps.nullable(), share })
    .nullable()
    .describe('Simulated: the capacity with steps that much slower and faster.'),
  spent: cost,
  tighter: cost
    .nullable()
    .describe('What ±2 % would take on top; null when it is reached or cannot be told.'),
});

export type CapacityReport = z.infer<typeof capacitySchema>;
export type CapacityWindow = CapacityReport['windows'][number];
export type CapacityPlan = CapacityReport['plan'];

/** The JSON Schema (draft 7) of `capacity.json`. */
export function capacityJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(capacitySchema, { target: 'draft-7', reused: 'ref' }),
    title: 'goodput capacity',
    description:
      'What a capacity search measured and concluded. Times are seconds, shares are in [0, 1], ' +
      'rates are per second, null means not known.',
  };
}
