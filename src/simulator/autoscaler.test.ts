import { describe, expect, it } from 'vitest';
import { NS_PER_SECOND } from '../base/index.ts';
import { Autoscaler, type AutoscalingOptions } from './autoscaler.ts';

const OPTIONS: AutoscalingOptions = {
  metric: 'inFlight',
  target: 10,
  minReplicas: 1,
  maxReplicas: 8,
  intervalNs: 15 * NS_PER_SECOND,
  scaleDownWindowNs: 60 * NS_PER_SECOND,
  provisionNs: 0,
  toleranceShare: 0.1,
};

function autoscaler(more: Partial<AutoscalingOptions> = {}, replicas = 2): Autoscaler {
  return new Autoscaler({ ...OPTIONS, ...more }, replicas);
}

const at = (seconds: number): number => seconds * NS_PER_SECOND;

describe('how many replicas are wanted', () => {
  it.each([
    [20, 2],
    [22, 2], // Within 10 % of 2 × 10.
    [23, 3],
    [41, 5],
    [1_000, 8],
  ])('for %d of 10 each, with 2: %d', (total, wanted) => {
    expect(autoscaler().desired(at(15), total, 2)).toBe(wanted);
  });

  it('does not round a whole number up', () => {
    expect(autoscaler({ target: 0.1, toleranceShare: 0 }).desired(at(15), 0.1 + 0.2, 1)).toBe(3);
  });
});

describe('fewer', () => {
  it('only when no evaluation in the window wanted more, the start included', () => {
    const scaler = autoscaler();
    expect(scaler.desired(at(15), 0, 2)).toBe(2);
    expect(scaler.desired(at(60), 0, 2)).toBe(2);
    expect(scaler.desired(at(61), 0, 2)).toBe(1);
  });

  it('at most as many as the largest wish in the window', () => {
    const scaler = autoscaler({}, 6);
    scaler.desired(at(50), 40, 6);
    expect(scaler.desired(at(100), 0, 6)).toBe(4);
    expect(scaler.desired(at(111), 0, 4)).toBe(1);
  });

  it('at once without a window', () => {
    expect(autoscaler({ scaleDownWindowNs: 0 }).desired(at(15), 0, 2)).toBe(1);
  });
});
