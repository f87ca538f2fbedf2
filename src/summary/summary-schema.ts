/**
 * The published schema of `summary.json`. Hand-written beside the interface; a type test keeps the
 * two equal, and `schema/summary.schema.json` is generated from here.
 */
import { z } from 'zod';
import { objectiveSchema, share } from './objective-schema.ts';
import { SUMMARY_SCHEMA_VERSION } from './summary.ts';

const count = z.int().min(0);
const number = z.number();
const rate = z.number().min(0).nullable();
const counts = z.record(z.string(), count);
/** An instant may precede the run's start only by a mistake, but that is not the schema's to say. */
const instantNs = z.int();

const interval = z.strictObject({
  low: number,
  high: number,
  level: share.describe('Confidence level, two-sided.'),
  method: z.string().describe('How it was made and under which assumption.'),
  effectiveN: z.number().min(0),
});

const ledger = z
  .strictObject({
    scheduled: count,
    dropped: count,
    refused: count,
    failed: count,
    cancelled: count,
    timedOut: count,
    completed: count,
    notReached: count.describe('Outside the identity: the run stopped first.'),
  })
  .describe('scheduled = dropped + refused + failed + cancelled + timedOut + completed, exactly.');

const attainment = z
  .strictObject({
    good: count,
    offered: count.describe('The denominator: scheduled − excluded (− dropped when admitted).'),
    unjudged: count,
    share: share.nullable().describe('good / offered, unknown counted as bad.'),
    unknownBounds: z.strictObject({ low: share, high: share }).nullable(),
    interval: interval.nullable().describe('Holds although requests share a queue.'),
    dependence: z
      .strictObject({
        designEffect: z.number().min(1).describe('Requests worth one independent request.'),
        effectiveN: z.number().min(0),
        batchCount: count,
        degrees: count.describe('Degrees of freedom of the variance behind them.'),
        looks: z.number().min(0).describe('Independent looks at the queue.'),
        assumed: z.boolean().describe('Too few misses to measure it: a bound stands in.'),
      })
      .nullable(),
    noInterval: z
      .strictObject({
        reason: z.enum(['tooLittleData', 'growingBacklog']),
        moreSeconds: count.nullable(),
      })
      .nullable()
      .describe('Why there is no interval; null when there is one.'),
    intervalIfIndependent: interval
      .nullable()
      .describe('On raw counts: right only if requests were independent.'),
    denominator: z.enum(['offered', 'admitted']),
  })
  .describe('The share of requests that met all their objectives.');

const windowKind = z.enum(['wall', 'steady', 'cohort']);

const quantiles = z
  .strictObject({
    rule: z.enum(['nearestRank', 'floorRank', 'linear']),
    window: windowKind,
    population: z.enum(['completed', 'allObserved']),
    n: count,
    coverage: share.nullable(),
    mean: number.nullable(),
    min: number.nullable(),
    max: number.nullable(),
    quantiles: z.array(
      z.strictObject({
        q: share,
        value: number,
        claimable: z.boolean().describe('False: no interval; shown, but no claim.'),
        effectiveN: z.number().min(0).nullable(),
        interval: interval.nullable(),
      }),
    ),
  })
  .describe('Quantiles of one measure over one named population; empty when n is 0.');

const rates = z
  .strictObject({
    window: z.strictObject({ kind: windowKind, fromNs: instantNs, toNs: instantNs }),
    offeredRps: rate,
    realisedOfferedRps: rate,
    admittedRps: rate,
    completedRps: rate,
    successfulRps: rate,
    goodRps: rate,
    inputTokensPerSecond: rate,
    outputTokensPerSecond: rate,
    outputTokensBasis: z.enum(['requests', 'arrivals']),
    goodOutputTokensPerSecond: rate,
    unknownUsageCount: count,
    intervals: z.strictObject({
      completedRps: interval.nullable(),
      successfulRps: interval.nullable(),
      goodRps: interval.nullable(),
      inputTokensPerSecond: interval.nullable(),
      outputTokensPerSecond: interval.nullable(),
      goodOutputTokensPerSecond: interval.nullable(),
    }),
  })
  .describe('Counts over one window, never sums or means of per-request rates.');

const comparedCounts = z.strictObject({
  n: count,
  equalCount: count,
  ratioMedian: number.nullable(),
  ratioWorst: number.nullable(),
});

const stratum = z.strictObject({
  name: z.string(),
  ledger,
  attainment,
  ttftFromPlannedNs: quantiles,
  tpotNs: quantiles,
  completionNs: quantiles,
});

const sessions = z
  .strictObject({
    begun: count.describe('Sessions whose first turn was due in the judged window.'),
    cut: count.describe('Had turns that the run ended before: not judged.'),
    cutAfterMiss: count,
    verdicts: z.strictObject({ good: count, bad: count, excluded: count, unjudged: count }),
    endedEarly: count.describe('Ended because a turn did not complete: bad.'),
    turnsNeverDue: count,
    attainment: attainment.describe('Share of good sessions; a session is one observation.'),
    cutBounds: z.strictObject({ low: share, high: share }).nullable(),
    shareIfIndependent: share.nullable(),
    turnsMean: number.nullable(),
    turnsMost: count,
    begunPerSecond: rate,
    turnsPerSecond: rate,
    durationNs: quantiles,
    turns: z.array(
      stratum.extend({
        cachedTokenShare: share.nullable(),
        promptTokensMean: number.nullable(),
      }),
    ),
  })
  .describe('Sessions as a whole: good when all their turns are.');

const validity = z.strictObject({
  valid: z.boolean(),
  reasons: z.array(
    z.strictObject({
      check: z.string(),
      severity: z.enum(['invalid', 'warning', 'note']),
      message: z.string(),
      advice: z.string().nullable(),
    }),
  ),
});

const clientError = z
  .strictObject({
    touchedCount: count.describe('Judged requests whose verdict the error could change.'),
    judgedCount: count,
    attainment: z.strictObject({ low: share, high: share }).nullable(),
    quantiles: z.array(
      z.strictObject({
        measure: z.enum(['ttft', 'tpot', 'e2e']),
        q: share,
        valueNs: number,
        lowNs: number,
        highNs: number,
      }),
    ),
  })
  .describe('How far late starts and late stamps of the client reach into the result.');

const calibration = z
  .strictObject({
    measuredAt: z.string(),
    used: z.boolean().describe('Whether it bounds the error of the client here.'),
    misfits: z.array(z.enum(['machine', 'node', 'transport', 'version'])),
    streamCount: z.number().min(0),
    chunksRps: z.number().min(0),
    startsRps: z.number().min(0),
    burst: z.boolean(),
    stampAgeP99Ns: number.nullable(),
    stampAgeMaxNs: number.nullable(),
  })
  .describe('How late the client stamps, measured before the run by goodput doctor.');

const point = z.strictObject({
  index: count,
  load: z.strictObject({
    kind: z.enum(['rate', 'concurrency', 'users', 'sessions', 'trace']),
    level: number,
    label: z.string(),
    closedLoop: z.boolean(),
  }),
  partial: z.boolean(),
  stopReason: z.string(),
  ledger,
  dropReasons: counts,
  failureClasses: counts,
  verdicts: z.strictObject({ good: count, bad: count, excluded: count, unjudged: count }),
  unjudgedReasons: counts.describe('The first unknown part and why, e.g. tpot:tokensUnknown.'),
  attainment,
  attainmentAdmitted: attainment,
  goodputRps: rate,
  rates,
  otherWindows: z.array(rates),
  errorShare: share.nullable(),
  dropShare: share.nullable(),
  refusalShare: share.nullable(),
  ttftFromPlannedNs: quantiles,
  ttftFromDispatchNs: quantiles,
  firstAnswerFromPlannedNs: quantiles,
  firstAnswerFromDispatchNs: quantiles,
  scheduleLagNs: quantiles,
  tpotNs: quantiles,
  tpotBasis: z.strictObject({ observed: count, estimated: count }),
  itlNs: quantiles,
  chunkGapNs: quantiles,
  zeroGapShare: share.nullable(),
  completionNs: quantiles,
  completionFromPlannedNs: quantiles,
  queueDelayNs: quantiles,
  inFlightMean: number.nullable(),
  inFlightP99: number.nullable(),
  backlogGrowing: z.boolean().describe('True: latencies depend on the duration.'),
  misses: z.array(
    z.strictObject({
      objective: z.enum([
        'ttft',
        'firstAnswer',
        'tpot',
        'gapMax',
        'gapQuantile',
        'e2e',
        'outputTokens',
        'correctness',
      ]),
      missed: count,
      soleMiss: count,
      unknown: count,
      notApplicable: count,
      reasons: counts.describe('Of the missed, by machine word.'),
    }),
  ),
  population: z.array(
    z.strictObject({
      target: z.string(),
      state: z.enum(['met', 'missed', 'notEnoughData']),
      observed: number.nullable(),
      limit: number,
      proven: z.boolean().describe('The interval lies wholly on that side.'),
      toProve: z
        .strictObject({ requests: count, seconds: count })
        .nullable()
        .describe('What proof would take beyond this window.'),
    }),
  ),
  marginalsPass: z.boolean().nullable(),
  marginals: z.array(
    z.strictObject({
      objective: z.enum(['ttft', 'tpot']),
      q: share,
      metShare: share,
      interval: interval.nullable(),
      passes: z.boolean(),
    }),
  ),
  promptBuckets: z.array(stratum),
  promptTokensFrom: z
    .strictObject({ usage: count, planned: count, unknown: count })
    .describe('Where the lengths behind the prompt buckets come from, in requests.'),
  outputBuckets: z.array(stratum),
  phases: z.array(stratum),
  warmUp: z.strictObject({
    basis: z.enum(['declared', 'detected', 'none']),
    untilNs: instantNs.nullable(),
  }),
  groups: z.array(stratum),
  promptTokens: quantiles,
  outputTokens: quantiles,
  finishReasons: counts,
  cachedTokenShare: share.nullable(),
  cachedTokenToldCount: count,
  draft: z
    .strictObject({
      proposedTokens: count,
      acceptedTokens: count,
      acceptedShare: share.nullable(),
      toldCount: count,
    })
    .nullable(),
  tokenAgreement: z
    .strictObject({
      tokenizer: z.string(),
      judged: z.boolean().describe('Output tokens are its counts, not the server’s.'),
      output: comparedCounts.describe('Tokens of the text here over the server’s.'),
      leftOutCount: count.describe('Answers with tool calls, which are not compared.'),
      prompt: comparedCounts.describe('Prompt tokens as planned over the server’s.'),
    })
    .nullable(),
  limits: z.array(
    z.strictObject({
      of: z.enum(['requests', 'tokens', 'inputTokens', 'outputTokens']),
      per: z.enum(['minute', 'day']).nullable(),
      limit: count.nullable(),
      leastRemaining: count.nullable(),
      toldCount: count,
    }),
  ),
  tries: z
    .strictObject({
      sent: count,
      requests: count,
      amplification: number.nullable(),
      sentRps: number.nullable(),
      retried: count,
      recovered: count,
      most: count,
      ledger,
      failureClasses: counts,
      attainment,
    })
    .nullable(),
  littlesLaw: z.strictObject({
    lMean: number.nullable(),
    lambdaRps: rate,
    wMeanNs: number.nullable(),
    pathGapShare: number.nullable(),
    stationaryGapShare: number.nullable(),
  }),
  sessions: sessions.nullable(),
  clientError,
  validity,
});

const knee = z
  .strictObject({
    target: share,
    level: number.nullable(),
    goodputRps: rate,
    provenLevel: number.nullable(),
    next: z
      .strictObject({
        level: number,
        state: z.enum(['missed', 'notEnoughData']),
        share: share.nullable(),
      })
      .nullable(),
    metAbove: z.array(number).describe('Loads that met the target above one that did not.'),
  })
  .describe('The largest load that met the attainment target, as did all below it.');

/** Validates a summary; {@link summaryJsonSchema} is the same for everybody else. */
export const summarySchema = z.strictObject({
  schemaVersion: z.literal(SUMMARY_SCHEMA_VERSION),
  tool: z.strictObject({ name: z.literal('goodput'), version: z.string() }),
  experimentHash: z.string(),
  source: z.enum(['measured', 'simulated', 'imported']),
  clock: z.enum(['client', 'edge', 'server']),
  prefixCache: z.string().describe('Prefix cache policy the verdict belongs to.'),
  objective: objectiveSchema.nullable(),
  calibration: calibration.nullable(),
  points: z.array(point).describe('Load points, by ascending load.'),
  partial: z.boolean(),
  knee: knee.nullable(),
  verdict: z
    .enum(['met', 'missed', 'notEnoughData'])
    .nullable()
    .describe('null when no population target was set.'),
  proven: z.boolean().nullable(),
  validity,
});

/** The JSON Schema (draft 7) of `summary.json`. */
export function summaryJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(summarySchema, { target: 'draft-7', reused: 'ref' }),
    title: 'goodput summary',
    description:
      'What a run of goodput measured and how it was judged. Times are nanoseconds, shares are ' +
      'in [0, 1], rates are per second, null means not observed.',
  };
}
