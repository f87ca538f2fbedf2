/** MLPerf Inference: LoadGen's Server scenario with token latencies. */
import { NS_PER_SECOND } from '../base/index.ts';
import { earlyStopping, quantile, sortedCopy } from '../stats/index.ts';
import {
  NOTHING,
  type Convention,
  type LatencyChange,
  type Rate,
  type RateMeasure,
} from './convention.ts';
import {
  countOf,
  lacksStream,
  lacksTokens,
  secondsText,
  since,
  wholeRun,
} from './latency-changes.ts';
import { flatLimits } from './limits.ts';
import { oneOrNone } from './own-figures.ts';
import { lacksInstants } from './rate-changes.ts';
import { ownWindow, type Sample } from './sample.ts';
import type { SeenRequest } from './seen-request.ts';

/** The percentile that the scenario judges, and how long it has to run. */
const JUDGED_QUANTILE = 0.99;
const LEAST_DURATION_NS = 600 * NS_PER_SECOND;

function isSuccess({ outcome, firstNs }: SeenRequest): boolean {
  return outcome === 'completed' && firstNs !== null;
}

/** In whole nanoseconds, as LoadGen divides. */
function tpotNs({ firstNs, doneNs, outputTokens }: SeenRequest): number | null {
  if (firstNs === null || doneNs === null || outputTokens === null || outputTokens < 2) return null;
  return Math.floor((doneNs - firstNs) / (outputTokens - 1));
}

const higherRank: LatencyChange = {
  why: () => 'the value at ⌊q·n⌋ counted from 0: one rank higher where q·n is whole',
  to: { rule: 'floorRank' },
};

/** It has no failures: a query without an answer keeps the run from ending. */
const answered: LatencyChange = {
  why: (sample) =>
    `${countOf(sample, (one) => one.outcome === 'completed' && !isSuccess(one))} answers without a streamed output are not among its samples`,
  to: { of: isSuccess },
};

function lacksAnswers(sample: Sample): string | null {
  const others = sample.sent.length - countOf(sample, isSuccess);
  return others === 0
    ? null
    : `${others} of ${sample.sent.length} requests gave no streamed answer: LoadGen waits for every one, its run would not end`;
}

/** From the first scheduled query to the end of the last scheduled one: not to the last end. */
function spanNs({ sent, hasInstants }: Sample): number | null {
  const [first, last] = [sent[0], sent.at(-1)];
  if (!hasInstants || first === undefined || last === undefined) return null;
  const endNs = (last.doneNs ?? last.endNs) - first.plannedNs;
  return endNs > 0 ? endNs : null;
}

function completedRate(
  name: string,
  against: RateMeasure['against'],
  count: Rate['count'],
  counted: string,
): RateMeasure {
  return {
    name,
    against,
    changes: [
      {
        why: (sample) => {
          const { kind, fromNs, toNs } = ownWindow(sample);
          return `over the ${secondsText(spanNs(sample) ?? 0)} to the end of the query scheduled last; goodput's ${kind} window is ${secondsText(toNs - fromNs)}`;
        },
        to: { spanNs, count },
      },
      { why: () => counted, to: { count: (sample) => loadGenCount(sample, against) } },
    ],
    lacks: (sample) => lacksInstants(sample) ?? lacksAnswers(sample),
  };
}

function loadGenCount(sample: Sample, against: RateMeasure['against']): number {
  const done = sample.sent.filter(isSuccess);
  return against === 'completedRps'
    ? done.length - 1
    : done.reduce((sum, { outputTokens }) => sum + (outputTokens ?? 0), 0);
}

const completedOnes = ({ sent }: Sample): readonly SeenRequest[] =>
  sent.filter(({ outcome }) => outcome === 'completed');

export const mlperf: Convention = {
  name: 'mlperf',
  title: 'MLPerf LoadGen, Server',
  source: {
    repository: 'mlcommons/inference',
    version: 'LoadGen 6.0.17',
    files: [
      'loadgen/results.cc',
      'loadgen/early_stopping.cc',
      'loadgen/logging.cc',
      'loadgen/mlperf.conf',
    ],
  },
  says: {
    'clock starts': "at the query's scheduled instant",
    TTFT: 'first token as the system under test reports it (here: the first output)',
    TPOT: '(end − first token) / (tokens − 1), whole nanoseconds, a value per query; an error below 2 tokens',
    gaps: 'not kept',
    'end to end': 'to the end as the system under test reports it (here: end mark)',
    'output tokens': 'as the system under test reports them (here: usage)',
    throughput:
      '(queries − 1) / time to the end of the query scheduled last; tokens / the same time',
    failures: 'none: every query has to be answered, else the run does not end',
    percentiles: 'the value at ⌊q·n⌋ counted from 0',
    goodput:
      'none. VALID: p99 of TTFT and p99 of TPOT within their limits, each alone; 600 s; early stopping at 99 % confidence for both',
    'left out': 'nothing: no warm-up within the run',
  },
  latencies: [
    {
      name: 'First Token latency',
      against: 'ttft',
      changes: [
        wholeRun,
        {
          why: () => 'tool calls are output too',
          to: { values: (request) => since(request.plannedNs, request.firstNs) },
        },
        answered,
        higherRank,
      ],
      lacks: (sample) => lacksStream(sample) ?? lacksAnswers(sample),
      remark: NOTHING,
    },
    {
      name: 'Time to Output Token',
      against: 'tpot',
      changes: [
        wholeRun,
        {
          why: () => 'counted to the end of the answer, and tokens − 1 divide',
          to: { values: (request) => oneOrNone(tpotNs(request)) },
        },
        answered,
        higherRank,
      ],
      lacks: (sample) => lacksStream(sample) ?? lacksTokens(sample) ?? lacksAnswers(sample),
      remark: NOTHING,
    },
    {
      name: 'latency',
      against: 'completion',
      changes: [
        wholeRun,
        {
          why: () => 'counted from the scheduled instant',
          to: { values: (request) => since(request.plannedNs, request.doneNs) },
        },
        answered,
        higherRank,
      ],
      lacks: lacksAnswers,
      remark: NOTHING,
    },
  ],
  rates: [
    completedRate(
      'Completed samples per second',
      'completedRps',
      (sample) => completedOnes(sample).length,
      'one query fewer: the first opens the time and is not counted',
    ),
    completedRate(
      'Completed tokens per second',
      'outputTokensPerSecond',
      (sample) => completedOnes(sample).reduce((sum, one) => sum + (one.outputTokens ?? 0), 0),
      'answers without a streamed output are not among its samples',
    ),
  ],
  isSuccess,
  statements,
};

function statements(sample: Sample): string[] {
  const asked = flatLimits(sample.objective);
  if (asked.reason !== null) return [`Result: not judged: ${asked.reason}`];
  const { ttftNs, tpotNs: tpotLimitNs } = asked.limits;
  if (ttftNs === null || tpotLimitNs === null) {
    return ['Result: not judged: it needs a limit on TTFT and one on TPOT'];
  }
  const done = sample.sent.filter(isSuccess);
  const checks = [
    latencyCheck(
      'TTFT',
      done.flatMap(({ firstNs, plannedNs }) => since(plannedNs, firstNs)),
      ttftNs,
    ),
    latencyCheck(
      'TPOT',
      done.flatMap((request) => oneOrNone(tpotNs(request))),
      tpotLimitNs,
    ),
    durationCheck(sample),
  ];
  const lacking = lacksAnswers(sample);
  const isValid = lacking === null && checks.every(({ passes }) => passes);
  return [
    `Result is: ${isValid ? 'VALID' : 'INVALID'} (limits as asked here; those of a benchmark are in mlperf.conf)`,
    ...(lacking === null ? [] : [lacking]),
    ...checks.map(({ text }) => text),
  ];
}

interface Check {
  readonly passes: boolean;
  readonly text: string;
}

function latencyCheck(name: string, valuesNs: readonly number[], limitNs: number): Check {
  if (valuesNs.length === 0) return { passes: false, text: `p99 ${name}: no value` };
  const p99Ns = quantile(sortedCopy(valuesNs), JUDGED_QUANTILE, 'floorRank');
  const over = valuesNs.filter((value) => value > limitNs).length;
  const within = valuesNs.length - over;
  const stopping = earlyStopping(within, over, JUDGED_QUANTILE);
  const isWithin = p99Ns <= limitNs;
  const short = stopping.withinLeast - within;
  return {
    passes: isWithin && stopping.passes,
    text:
      `p99 ${name}: ${isWithin ? 'satisfied' : 'NOT satisfied'}; early stopping: ` +
      (stopping.passes
        ? 'satisfied'
        : `NOT satisfied: ${over} over the limit call for ${short} more queries within it`),
  };
}

function durationCheck({ sent, hasInstants }: Sample): Check {
  if (!hasInstants) return { passes: false, text: 'min duration: unknown, no instants' };
  const scheduledNs = (sent.at(-1)?.plannedNs ?? 0) - (sent[0]?.plannedNs ?? 0);
  const passes = scheduledNs >= LEAST_DURATION_NS;
  return {
    passes,
    text: `min duration of ${secondsText(LEAST_DURATION_NS)}: ${passes ? 'satisfied' : 'NOT satisfied'} (${secondsText(scheduledNs)})`,
  };
}
