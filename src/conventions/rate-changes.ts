/** How tools count requests and tokens per second, as changes to goodput's rates. */
import type { Distribution } from './distribution.ts';
import type { Lack, Rate, RateChange, RateMeasure } from './convention.ts';
import { countOf, lacksTokens, secondsText } from './latency-changes.ts';
import { flatLimits, lacksLimits, type FlatLimits } from './limits.ts';
import { ownWindow, type Sample } from './sample.ts';
import type { SeenRequest } from './seen-request.ts';

type SpanOf = Rate['spanNs'];

/** From the first send to the last end of any request, failed ones and the drain inside. */
export const firstSendToLastEnd: SpanOf = (sample) =>
  spanOf(
    sample,
    sample.sent.map(({ sentNs }) => sentNs),
    sample.sent.map(({ endNs }) => endNs),
  );

/** `null` where nothing was sent, or where the records do not tell when. */
export function spanOf(
  { hasInstants }: Sample,
  startsNs: readonly number[],
  endsNs: readonly number[],
): number | null {
  if (!hasInstants || startsNs.length === 0 || endsNs.length === 0) return null;
  const spanNs = greatest(endsNs) - -greatest(startsNs.map((at) => -at));
  return spanNs > 0 ? spanNs : null;
}

/** Not by spreading: a run has more requests than a call may have arguments. */
export function greatest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
}

/** The tool's span, with what goodput counts over the whole of the run in it. */
function overSpan(
  spanNs: SpanOf,
  words: string,
  amount: (request: SeenRequest) => number,
): RateChange {
  return {
    why: (sample) => {
      const { kind, fromNs, toNs } = ownWindow(sample);
      const own = `goodput's ${kind} window is ${secondsText(toNs - fromNs)}`;
      return `over the ${secondsText(spanNs(sample) ?? 0)} ${words}; ${own}`;
    },
    to: { spanNs, count: (sample) => sumOf(sample.sent, amount) },
  };
}

function countingSuccesses(
  isSuccess: Distribution['of'],
  amount: (request: SeenRequest) => number,
): RateChange {
  return {
    why: (sample) => {
      const added = countOf(
        sample,
        (request) => isSuccess(request, sample) && request.outcome !== 'completed',
      );
      const left = countOf(
        sample,
        (request) => !isSuccess(request, sample) && request.outcome === 'completed',
      );
      return `its successes: ${added} answers cut off or broken off are among them, ${left} completed are not`;
    },
    to: {
      count: (sample) =>
        sumOf(
          sample.sent.filter((one) => isSuccess(one, sample)),
          amount,
        ),
    },
  };
}

const isCompleted = ({ outcome }: SeenRequest): boolean => outcome === 'completed';

export interface ThroughputRules {
  readonly spanNs: SpanOf;
  /** From what to what the span is, e.g. `from first send to last end`. */
  readonly span: string;
  readonly isSuccess: Distribution['of'];
}

/** Successes per second. */
export function requestThroughput(name: string, rules: ThroughputRules): RateMeasure {
  return {
    name,
    against: 'completedRps',
    changes: [
      overSpan(rules.spanNs, rules.span, (request) => (isCompleted(request) ? 1 : 0)),
      countingSuccesses(rules.isSuccess, () => 1),
    ],
    lacks: lacksInstants,
  };
}

/** Output tokens of successes per second. */
export function tokenThroughput(name: string, rules: ThroughputRules): RateMeasure {
  return {
    name,
    against: 'outputTokensPerSecond',
    changes: [
      overSpan(rules.spanNs, rules.span, (request) =>
        isCompleted(request) ? (request.outputTokens ?? 0) : 0,
      ),
      countingSuccesses(rules.isSuccess, ({ outputTokens }) => outputTokens ?? 0),
    ],
    lacks: (sample) => lacksInstants(sample) ?? lacksTokens(sample),
  };
}

/** Requests within the limits per second, by the tool's own judgement of each. */
export function goodputRate(
  name: string,
  rules: ThroughputRules & {
    readonly isGood: (request: SeenRequest, limits: FlatLimits, sample: Sample) => boolean;
  },
): RateMeasure {
  const isGood = (request: SeenRequest, sample: Sample): boolean => {
    const asked = flatLimits(sample.objective);
    return asked.reason === null && rules.isGood(request, asked.limits, sample);
  };
  return {
    name,
    against: 'goodRps',
    changes: [
      overSpan(rules.spanNs, rules.span, ({ verdict }) => (verdict === 'good' ? 1 : 0)),
      {
        why: (sample) => {
          const more = countOf(
            sample,
            (request) => isGood(request, sample) && request.verdict !== 'good',
          );
          const fewer = countOf(
            sample,
            (request) => !isGood(request, sample) && request.verdict === 'good',
          );
          return `good by its own measures, whatever the finish reason: ${more} more, ${fewer} fewer`;
        },
        to: {
          count: (sample) =>
            lacksLimits(sample) === null
              ? countOf(sample, (request) => isGood(request, sample))
              : null,
        },
      },
    ],
    lacks: (sample) =>
      lacksLimits(sample) ??
      lacksInstants(sample) ??
      (sample.objective?.request.tpot === null ? null : lacksTokens(sample)),
  };
}

function sumOf(requests: readonly SeenRequest[], amount: (request: SeenRequest) => number): number {
  return requests.reduce((sum, request) => sum + amount(request), 0);
}

/** Of rates: logs that do not say when a request was sent. */
export const lacksInstants: Lack = ({ hasInstants }) =>
  hasInstants ? null : 'the records do not tell when requests were sent';

/** Whether TTFT and end to end, from the send to the outputs, and this pace are within the limits. */
export function areWithin(
  { firstNs, lastNs, sentNs }: SeenRequest,
  tpotNs: number | null,
  limits: FlatLimits,
): boolean {
  if (firstNs === null || lastNs === null) return false;
  return (
    isWithin(firstNs - sentNs, limits.ttftNs) &&
    isWithin(tpotNs, limits.tpotNs) &&
    isWithin(lastNs - sentNs, limits.e2eNs)
  );
}

/** Whether a value that was observed is within a limit, where there is one. */
function isWithin(valueNs: number | null, limitNs: number | null): boolean {
  return limitNs === null || (valueNs !== null && valueNs <= limitNs);
}
