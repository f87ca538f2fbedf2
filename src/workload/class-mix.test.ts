import { describe, expect, it } from 'vitest';
import { planSchedule } from './plan-schedule.ts';
import type { RequestClass } from './spec.ts';

const SEEDS = { arrivals: 1, lengths: 2, prompts: 3, text: 4 };

const INTERACTIVE: RequestClass = {
  name: 'interactive',
  weight: 3,
  priority: 0,
  input: { kind: 'uniform', min: 10, max: 100 },
  output: { kind: 'uniform', min: 10, max: 100 },
  prefix: { kind: 'shared', tokens: 5, groups: 2 },
};

const BATCH: RequestClass = { ...INTERACTIVE, name: 'batch', weight: 1, priority: 10 };

function requestsOf(...classes: readonly RequestClass[]) {
  const shape = {
    kind: 'rate',
    rateRps: 1_000,
    arrivals: { kind: 'constant' },
    durationNs: 4e9,
    maxRequests: null,
  } as const;
  return planSchedule({ source: { kind: 'classes', classes }, shape, seeds: SEEDS }).requests;
}

function lengthsOf(name: string, requests: ReturnType<typeof requestsOf>): unknown[] {
  return requests
    .filter((request) => request.class === name)
    .map(({ promptTokens, outputTokensMax }) => [promptTokens, outputTokensMax]);
}

describe('a mix of classes', () => {
  it('has each class by its weight, with its label and its priority', () => {
    const requests = requestsOf(INTERACTIVE, BATCH);
    const batch = requests.filter((request) => request.class === 'batch');
    // 4,000 draws of a quarter: four standard deviations are 2.7 %.
    expect(Math.abs(batch.length / requests.length - 0.25)).toBeLessThan(0.027);
    expect(new Set(batch.map(({ priority }) => priority))).toEqual(new Set([10]));
    expect(requests.every(({ priority }) => priority === 0 || priority === 10)).toBe(true);
  });

  it('leaves the lengths of one class as they were when another changes', () => {
    const before = requestsOf(INTERACTIVE, BATCH);
    const after = requestsOf(INTERACTIVE, { ...BATCH, input: { kind: 'fixed', tokens: 7 } });
    expect(lengthsOf('interactive', after)).toEqual(lengthsOf('interactive', before));
    expect(lengthsOf('batch', after)).not.toEqual(lengthsOf('batch', before));
    expect(lengthsOf('batch', before).slice(0, 9)).not.toEqual(
      lengthsOf('interactive', before).slice(0, 9),
    );
  });

  it('shares no text between classes', () => {
    const shared = (name: string) =>
      new Set(
        requestsOf(INTERACTIVE, BATCH)
          .filter((request) => request.class === name)
          .map(({ prompt }) => (prompt.kind === 'synthetic' ? prompt.sharedId : null)),
      );
    expect(shared('interactive')).toEqual(new Set([0, 1]));
    expect(shared('batch')).toEqual(new Set([2, 3]));
  });
});
