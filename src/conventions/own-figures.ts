/** goodput's own definitions, where every bridge begins: docs/glossary.md says them in words. */
import { secondsFromNs } from '../base/index.ts';
import type { OwnLatency, OwnRate, Rate } from './convention.ts';
import type { Distribution } from './distribution.ts';
import { isInJudgedWindow, ownWindow, type Sample } from './sample.ts';
import type { SeenRequest } from './seen-request.ts';

const isCompleted = (request: SeenRequest): boolean => request.outcome === 'completed';

const COMPLETED_IN_WINDOW = {
  of: (request: SeenRequest, sample: Sample) =>
    isCompleted(request) && isInJudgedWindow(request, sample),
  weight: null,
  rule: 'nearestRank',
} as const;

export const OWN_LATENCIES: Readonly<Record<OwnLatency, Distribution>> = {
  ttft: { ...COMPLETED_IN_WINDOW, values: ({ own }) => oneOrNone(own.ttftNs) },
  tpot: { ...COMPLETED_IN_WINDOW, values: ({ own }) => oneOrNone(own.tpotNs) },
  completion: { ...COMPLETED_IN_WINDOW, values: ({ own }) => oneOrNone(own.completionNs) },
  gap: {
    ...COMPLETED_IN_WINDOW,
    // A warm-up that is found in the end comes too late to leave gaps out of the pool.
    of: (request, sample) =>
      isCompleted(request) &&
      (sample.summary.warmUp.basis === 'detected' || isInJudgedWindow(request, sample)),
    values: ({ own }) => own.gapsNs,
  },
};

/** What goodput calls it, in the table. */
export const OWN_NAMES: Readonly<Record<OwnLatency | OwnRate, string>> = {
  ttft: 'ttft',
  tpot: 'tpot',
  gap: 'chunk gap',
  completion: 'completion',
  completedRps: 'completed',
  outputTokensPerSecond: 'output tokens',
  goodRps: 'goodput',
};

/** The rates as the summary has them, taken apart into their count and their span. */
export function ownRate(name: OwnRate): Rate {
  const spanNs = (sample: Sample): number => {
    const { fromNs, toNs } = ownWindow(sample);
    return toNs - fromNs;
  };
  return {
    spanNs,
    count: (sample) => {
      const perSecond = sample.summary.rates[name];
      return perSecond === null ? null : perSecond * secondsFromNs(spanNs(sample));
    },
  };
}

export function oneOrNone(value: number | null): readonly number[] {
  return value === null ? [] : [value];
}
