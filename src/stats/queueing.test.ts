import { describe, expect, test } from 'vitest';
import { NS_PER_SECOND } from '../base/index.ts';
import {
  kingmanMeanQueueDelayNs,
  littleAdmittedRps,
  littleInFlightMean,
  littleSojournMeanNs,
  md1MeanQueueDelayNs,
  mm1MeanQueueDelayNs,
  mm1MeanSystemTimeNs,
} from './queueing.ts';

describe("Little's law", () => {
  test('gives each of the three from the other two', () => {
    expect(littleInFlightMean({ admittedRps: 4, sojournMeanNs: 2 * NS_PER_SECOND })).toBe(8);
    expect(littleAdmittedRps({ inFlightMean: 8, sojournMeanNs: 2 * NS_PER_SECOND })).toBe(4);
    expect(littleSojournMeanNs({ inFlightMean: 8, admittedRps: 4 })).toBe(2 * NS_PER_SECOND);
  });

  test('cannot be solved for what nothing flows through', () => {
    expect(() => littleSojournMeanNs({ inFlightMean: 8, admittedRps: 0 })).toThrow(/positive/);
    expect(() => littleAdmittedRps({ inFlightMean: 8, sojournMeanNs: 0 })).toThrow(/positive/);
  });
});

describe('single-server queues', () => {
  const busy = { arrivalRps: 8, serviceRps: 10 };

  test('M/M/1: wait plus service is the time in system', () => {
    expect(mm1MeanQueueDelayNs(busy)).toBeCloseTo(0.4 * NS_PER_SECOND, 3);
    expect(mm1MeanSystemTimeNs(busy)).toBeCloseTo(0.5 * NS_PER_SECOND, 3);
  });

  test('M/D/1 waits half as long as M/M/1', () => {
    expect(md1MeanQueueDelayNs(busy)).toBeCloseTo(0.2 * NS_PER_SECOND, 3);
  });

  test('Kingman: twice the squared variability waits twice as long, none waits not at all', () => {
    expect(kingmanMeanQueueDelayNs({ ...busy, arrivalCv: 2, serviceCv: 0 })).toBeCloseTo(
      0.8 * NS_PER_SECOND,
      3,
    );
    expect(kingmanMeanQueueDelayNs({ ...busy, arrivalCv: 0, serviceCv: 0 })).toBe(0);
  });

  test('an unstable queue has no mean', () => {
    const full = { arrivalRps: 10, serviceRps: 10 };
    expect(mm1MeanSystemTimeNs(full)).toBeNull();
    expect(mm1MeanQueueDelayNs(full)).toBeNull();
    expect(md1MeanQueueDelayNs(full)).toBeNull();
    expect(kingmanMeanQueueDelayNs({ ...full, arrivalCv: 0, serviceCv: 0 })).toBeNull();
  });
});
