/** Differences from goodput's definitions that more than one tool has, each as one change. */
import { secondsFromNs } from '../base/index.ts';
import {
  type Lack,
  type LatencyChange,
  type LatencyMeasure,
  NOTHING,
  type OwnLatency,
} from './convention.ts';
import type { Distribution } from './distribution.ts';
import { oneOrNone } from './own-figures.ts';
import { isInJudgedWindow, type Sample } from './sample.ts';
import type { SeenRequest } from './seen-request.ts';

/** No tool looks for a warm-up among the requests it measures. */
export const wholeRun: LatencyChange = {
  why: (sample) => {
    const early = countOf(sample, (request) => !isInJudgedWindow(request, sample));
    return `the warm-up counts too: ${early} requests`;
  },
  to: { of: (request) => request.outcome === 'completed' },
};

/** The tool's successes instead of completed requests; `why` says who is in and who is out. */
export function successes(isSuccess: Distribution['of']): LatencyChange {
  return {
    why: (sample) => {
      const isIn = (request: SeenRequest): boolean => isSuccess(request, sample);
      const added = countOf(sample, (request) => isIn(request) && request.outcome !== 'completed');
      const left = countOf(sample, (request) => !isIn(request) && request.outcome === 'completed');
      return [
        'its successes',
        ...(added > 0 ? [`${added} answers cut off or broken off are among them`] : []),
        ...(left > 0 ? [`${left} completed answers are not`] : []),
      ].join(': ');
    },
    to: { of: isSuccess },
  };
}

/** From the client's taking the request up. Of TTFT. */
export const ttftFromSend: LatencyChange = {
  why: (sample) => `counted from the send: ${lateCount(sample)} were sent after they were due`,
  to: { values: ({ own }) => oneOrNone(own.ttftFromDispatchNs) },
};

/** From the send to the first output of any kind, tool calls included. */
export const ttftOfAnyKind: LatencyChange = {
  why: (sample) => `tool calls are output too: ${toolCallCount(sample)} answers hold some`,
  to: { values: (request) => since(request.sentNs, request.firstNs) },
};

export const linearPercentiles: LatencyChange = {
  why: () => 'percentiles lie between two values (linear interpolation), not on one',
  to: { rule: 'linear' },
};

/**
 * The latency of a tool that takes its successes of the whole run and percentiles between two
 * values, with what else it changes.
 */
export function interpolatedLatency(
  isSuccess: Distribution['of'],
  name: string,
  against: OwnLatency,
  differing: Pick<LatencyMeasure, 'changes'> & Partial<Pick<LatencyMeasure, 'lacks' | 'remark'>>,
): LatencyMeasure {
  return {
    name,
    against,
    lacks: lacksStream,
    remark: NOTHING,
    ...differing,
    changes: [wholeRun, ...differing.changes, successes(isSuccess), linearPercentiles],
  };
}

/**
 * The time after the first output by all tokens but one. An answer that came in one chunk gives 0,
 * where goodput says that its pace cannot be seen.
 */
export const tpotByAllTokens: LatencyChange = {
  why: (sample) => {
    const bundled = countOf(sample, isOneChunk);
    const told = countOf(sample, (request) => (request.firstEventTokens ?? 1) !== 1);
    return [
      ...(bundled > 0 ? [`0 for answers in one chunk, whose pace nobody saw: ${bundled}`] : []),
      ...(told > 0 ? [`one token is taken for the first chunk, which held more: ${told}`] : []),
      ...(bundled + told === 0 ? ['all tokens of the usage but one divide the time'] : []),
    ].join('; ');
  },
  to: { values: (request) => oneOrNone(afterFirst(request, request.lastNs)) },
};

/** (end − first output) / (tokens − 1); `null` below two tokens or where either is unknown. */
export function afterFirst(
  { firstNs, outputTokens }: SeenRequest,
  endNs: number | null,
): number | null {
  if (firstNs === null || endNs === null || outputTokens === null || outputTokens < 2) return null;
  return (endNs - firstNs) / (outputTokens - 1);
}

/** From the send to the last output: end mark, usage and body end come after it. */
export const endsWithLastOutput: LatencyChange = {
  why: () => 'ends with the last output: end mark and usage come after it',
  to: { values: (request) => since(request.sentNs, request.lastNs) },
};

/** Gaps between output events of any kind. */
export const gapsOfAnyKind: LatencyChange = {
  why: (sample) => `tool calls are output too: ${toolCallCount(sample)} answers hold some`,
  to: { values: ({ gapsNs }) => gapsNs ?? [] },
};

export function since(fromNs: number, atNs: number | null): readonly number[] {
  return atNs === null ? [] : [atNs - fromNs];
}

export function countOf(sample: Sample, is: (request: SeenRequest) => boolean): number {
  return sample.sent.filter(is).length;
}

export function lateCount(sample: Sample): string {
  const late = countOf(sample, (request) => request.sentNs > request.plannedNs);
  return `${late} of ${sample.sent.length}`;
}

export function secondsText(ns: number): string {
  return `${secondsFromNs(ns).toFixed(1)} s`;
}

/** An answer of several tokens in one event. */
export function isOneChunk({ eventCount, outputTokens }: SeenRequest): boolean {
  return eventCount === 1 && outputTokens !== null && outputTokens > 1;
}

function toolCallCount(sample: Sample): number {
  return countOf(sample, (request) => request.hasToolCalls);
}

/** Of gaps that a tool calls token gaps. */
export function chunksNotTokens(sample: Sample): string | null {
  let tokens = 0;
  let chunks = 0;
  for (const { outputTokens, eventCount, gapsNs } of sample.sent) {
    if (outputTokens === null || gapsNs === null || eventCount === 0) continue;
    tokens += outputTokens;
    chunks += eventCount;
  }
  return tokens <= chunks * LEAST_BUNDLING
    ? null
    : `it counts chunks, not tokens: ${(tokens / chunks).toFixed(1)} tokens arrive in a chunk`;
}

/** An end token that is no content makes a little over one token a chunk. */
const LEAST_BUNDLING = 1.1;

/** Of a mean of each request that a tool calls a latency between tokens. */
export function meanNotGaps(): string {
  return 'one mean of each request, not gaps: a stall in an answer does not show';
}

/** Of measures that divide by tokens: requests whose usage is not known. */
export function lacksTokens(sample: Sample): string | null {
  const unknown = countOf(
    sample,
    (request) => request.firstNs !== null && request.outputTokens === null,
  );
  return unknown === 0
    ? null
    : `no token count in ${unknown} of ${sample.sent.length} records: the tool counts their text, which is not kept`;
}

/** Of measures of chunks: logs that hold only first and last output. */
function lacksGaps(sample: Sample): string | null {
  const unknown = countOf(sample, (request) => request.gapsNs === null && request.firstNs !== null);
  return unknown === 0
    ? null
    : `no instants of chunks in ${unknown} of ${sample.sent.length} records`;
}

/** Of paces of streams. */
export const lacksPace: Lack = (sample) => lacksStream(sample) ?? lacksTokens(sample);

/** Of gaps of streams. */
export const lacksChunks: Lack = (sample) => lacksStream(sample) ?? lacksGaps(sample);

/** Of measures of streams. */
export function lacksStream(sample: Sample): string | null {
  const whole = countOf(sample, (request) => request.firstNs === null && request.doneNs !== null);
  return whole === 0
    ? null
    : `${whole} of ${sample.sent.length} answers did not come as a stream with output`;
}
