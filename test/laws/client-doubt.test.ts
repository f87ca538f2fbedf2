/** Laws of what the client's own error may have done to a verdict, on random records and stalls. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClientStall, GeneratorEvidence, RunCalibration } from '../../src/record/index.ts';
import { runCalibrationOf } from '../support/calibration-builder.ts';
import { anyObjective, anyRecord } from '../support/objective-arbitrary.ts';
import { QUIET } from '../support/made-validity.ts';
import { recordOf, type RecordOptions } from '../support/record-builder.ts';
import { objectiveOf, pointOf, pointSummaryOf } from '../support/summary-builder.ts';

const stall: fc.Arbitrary<ClientStall> = fc
  .record({
    fromNs: fc.integer({ min: 0, max: 3_000_000_000 }),
    lengthNs: fc.integer({ min: 1, max: 500_000_000 }),
    cause: fc.constantFrom('loop' as const, 'host' as const),
  })
  .map(({ fromNs, lengthNs, cause }) => ({ fromNs, toNs: fromNs + lengthNs, cause }));

const evidence: fc.Arbitrary<GeneratorEvidence> = fc
  .record({
    stalls: fc.array(stall, { maxLength: 8 }),
    unlistedStallMaxNs: fc.constantFrom(0, 0, 3_000_000),
  })
  .map((stalls) => ({ ...QUIET, ...stalls }));

const MS = 1_000_000;
const ms = (min: number, max: number) => fc.integer({ min: min * MS, max: max * MS });

/** Requests near the limits below, so that an error of milliseconds counts. */
const nearRecord: fc.Arbitrary<RecordOptions> = fc
  .tuple(ms(0, 2_000), ms(0, 40), ms(60, 120), fc.array(ms(0, 40), { maxLength: 6 }))
  .map(([plannedNs, lateNs, ttftNs, gapsNs]) => {
    const dispatchedNs = plannedNs + lateNs;
    const arrivalsNs = [dispatchedNs + ttftNs];
    for (const gapNs of gapsNs) arrivalsNs.push((arrivalsNs.at(-1) as number) + gapNs);
    return { plannedNs, dispatchedNs, arrivalsNs };
  });

const nearObjective = fc
  .tuple(
    fc.constantFrom('ttft<=100ms', 'tpot<=20ms', 'gap<=30ms', 'e2e<=200ms'),
    fc.constantFrom('planned', 'dispatch'),
  )
  .map(([limit, from]) => objectiveOf(`${limit}, attainment>=50%, from=${from}`));

const run = fc.tuple(
  fc.array(fc.oneof({ weight: 4, arbitrary: nearRecord }, anyRecord), {
    minLength: 1,
    maxLength: 8,
  }),
  fc.oneof({ weight: 4, arbitrary: nearObjective }, anyObjective),
  evidence,
);

function summarised(
  [options, objective, generator]: typeof run extends fc.Arbitrary<infer Run> ? Run : never,
  calibration: RunCalibration | null = null,
) {
  const records = options.map((option, at) => recordOf({ ...option, scheduleIndex: at }));
  return pointSummaryOf(records, { objective, points: [pointOf({ generator })], calibration });
}

describe('the reach of the client', () => {
  it('holds what was measured: attainment and every quantile lie between least and greatest', () => {
    fc.assert(
      fc.property(run, (made) => {
        const { attainment, clientError } = summarised(made);
        const { low, high } = clientError.attainment ?? { low: 0, high: 1 };
        expect(attainment.share ?? low).toBeGreaterThanOrEqual(low);
        expect(attainment.share ?? high).toBeLessThanOrEqual(high);
        for (const { lowNs, valueNs, highNs } of clientError.quantiles) {
          expect(lowNs).toBeLessThanOrEqual(valueNs);
          expect(highNs).toBeGreaterThanOrEqual(valueNs);
        }
        expect(clientError.touchedCount).toBeLessThanOrEqual(clientError.judgedCount);
      }),
      { numRuns: 150 },
    );
  });

  it('is nothing without stalls where every request left on time', () => {
    fc.assert(
      fc.property(run, ([options, objective]) => {
        const punctual = options.map(({ dispatchedNs: _late, ...rest }) => rest);
        const { attainment, clientError } = summarised([punctual, objective, QUIET]);
        expect(clientError.touchedCount).toBe(0);
        const { low, high } = clientError.attainment ?? { low: null, high: null };
        expect([low, high]).toEqual([attainment.share, attainment.share]);
      }),
    );
  });

  it('only grows with a calibration, and with a worse one', () => {
    fc.assert(
      fc.property(run, ms(0, 8), ms(0, 8), (made, oneNs, otherNs) => {
        const reaches = [null, Math.min(oneNs, otherNs), Math.max(oneNs, otherNs)].map((ageNs) => {
          const calmStampAge = { sampleCount: 1, p50Ns: 0, p99Ns: ageNs, maxNs: ageNs };
          const calibration = ageNs === null ? null : runCalibrationOf({ calmStampAge });
          return summarised(made, calibration).clientError;
        });
        for (const [at, wider] of reaches.entries()) {
          const narrower = reaches[at - 1];
          if (!narrower?.attainment || wider.attainment === null) continue;
          expect(wider.attainment.low).toBeLessThanOrEqual(narrower.attainment.low);
          expect(wider.attainment.high).toBeGreaterThanOrEqual(narrower.attainment.high);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('only grows with more stalls', () => {
    fc.assert(
      fc.property(run, stall, (made, more) => {
        const [options, objective, generator] = made;
        const fewer = summarised(made).clientError;
        const stalls = [...generator.stalls, more];
        const wider = summarised([options, objective, { ...generator, stalls }]).clientError;
        if (fewer.attainment === null || wider.attainment === null) return;
        expect(wider.attainment.low).toBeLessThanOrEqual(fewer.attainment.low);
        expect(wider.attainment.high).toBeGreaterThanOrEqual(fewer.attainment.high);
      }),
      { numRuns: 150 },
    );
  });
});
