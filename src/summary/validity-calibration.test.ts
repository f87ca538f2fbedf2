import { describe, expect, it } from 'vitest';
import { runCalibrationOf } from '../../test/support/calibration-builder.ts';
import { QUIET, records, severities, validityOf } from '../../test/support/made-validity.ts';
import {
  objectiveOf,
  pointOf,
  pointSummaryOf,
  summaryOf,
} from '../../test/support/summary-builder.ts';
import { nsFromMs } from '../base/index.ts';

const MS = 1_000_000;
const AGE = { sampleCount: 1_000, p50Ns: 0.2 * MS, p99Ns: 3 * MS, maxNs: 4 * MS };
const late = (p99Ns: number, maxNs = p99Ns) =>
  runCalibrationOf({ calmStampAge: { ...AGE, p99Ns, maxNs } });
const points = [pointOf({ generator: QUIET })];

/** Sent on time, by a client that never stood still; first tokens after `ttftMs`. */
const answersAfter = (ttftMs: (index: number) => number, gapMs = 20) =>
  records(100, (index) => ({
    arrivalsNs: [0, 1, 2].map((event) => nsFromMs(50 * index + ttftMs(index) + gapMs * event)),
  }));

describe('a verdict within the calibrated error', () => {
  /** 94 of 100 within 500 ms; six miss it by 1 ms. */
  const edge = answersAfter((index) => (index < 6 ? 501 : 300));

  it('stands without a calibration, and with one whose error is smaller', () => {
    expect(severities(validityOf(edge, { points }))).toEqual({});
    expect(severities(validityOf(edge, { points, calibration: late(0.5 * MS) }))).toEqual({});
  });

  it('is flagged by nothing but the calibration', () => {
    const validity = validityOf(edge, { points, calibration: late(3 * MS) });
    expect(severities(validity)).toEqual({ clientError: 'invalid' });
    expect(validity.reasons[0]?.message).toBe(
      'this client could move good % by 6.0 (6 of 100 requests touched) and turn the verdict: ' +
        '1 start in 100 at least 0 ms late, stamps up to 3.00 ms late by its calibration (p99)',
    );
  });

  it('only warns where the error is too small to matter and moves no point', () => {
    const one = answersAfter((index) => (index < 5 ? 600 : index === 5 ? 501 : 300));
    expect(severities(validityOf(one, { points, calibration: late(1.5 * MS) }))).toEqual({
      clientError: 'warning',
    });
  });

  it('stands where no limit is within reach', () => {
    const clear = answersAfter((index) => (index < 6 ? 520 : 300), 200);
    expect(severities(validityOf(clear, { points, calibration: late(3 * MS) }))).toEqual({});
  });

  it('counts both stamps of a gap, each as late as any ever was', () => {
    const objective = objectiveOf('gap<=30ms, attainment>=95%');
    const judge = (gapMs: number, calibration = late(1 * MS, 4 * MS)) =>
      severities(
        validityOf(
          answersAfter(() => 300, gapMs),
          { points, objective, calibration },
        ),
      );
    // 27 ms may have been 31 had the first of the two been stamped 4 ms late; 25 may not.
    expect(judge(27)).toEqual({ clientError: 'invalid' });
    expect(judge(25)).toEqual({});
    expect(judge(33)).toEqual({ clientError: 'invalid' });
    expect(judge(35)).toEqual({});
    expect(judge(27, late(1 * MS, 2 * MS))).toEqual({});
  });

  it('tells how far every figure reaches', () => {
    const { clientError } = pointSummaryOf(edge, {
      points,
      objective: objectiveOf('ttft<=500ms, attainment>=95%'),
      calibration: late(3 * MS),
    });
    expect(clientError.attainment).toEqual({ low: 0.94, high: 1 });
    const median = clientError.quantiles.find(({ measure, q }) => measure === 'ttft' && q === 0.5);
    expect(median).toMatchObject({ valueNs: 300 * MS, lowNs: 297 * MS, highNs: 300 * MS });
    const tpot = clientError.quantiles.find(({ measure, q }) => measure === 'tpot' && q === 0.5);
    if (tpot !== undefined) {
      expect(tpot.lowNs).toBeCloseTo(tpot.valueNs * (37 / 40), 0);
      expect(tpot.highNs).toBeCloseTo(tpot.valueNs * (43 / 40), 0);
    }
  });
});

describe('a calibration that is not of this run', () => {
  const edge = answersAfter((index) => (index < 6 ? 501 : 300));

  it('bounds nothing and says so, with where it is from', () => {
    const calibration = {
      ...runCalibrationOf({ calmStampAge: AGE }, ['machine', 'transport', 'node', 'version']),
    };
    const validity = validityOf(edge, { points, calibration });
    expect(severities(validity)).toEqual({ calibration: 'warning' });
    expect(validity.reasons[0]?.message).toBe(
      'the calibration is stale and was not used: it was measured on another machine ' +
        '(8 × some processor, linux 6.1.0 x64), over fast without TLS, under Node v20.19.0, ' +
        'by goodput 0.1.0',
    );
  });

  it('is told apart from one that was for less load', () => {
    // Here: 100 requests of 3 events in 10 s of wall time.
    const small = { streamCount: 100, chunksRps: 20, startsRps: 7 };
    const validity = validityOf(edge, {
      points,
      calibration: runCalibrationOf({ reached: small }),
    });
    expect(severities(validity)).toEqual({ calibration: 'warning' });
    expect(validity.reasons[0]?.message).toMatch(
      /^the calibration was for less load \(here \d+ chunks\/s of 20, \d+ starts\/s of 7\.0\)/,
    );
    expect(validity.reasons[0]?.advice).toMatch(/goodput doctor --streams \d+ --token-rate \d+/);
    const ample = { streamCount: 100, chunksRps: 60, startsRps: 20 };
    expect(
      validityOf(edge, { points, calibration: runCalibrationOf({ reached: ample }) }).reasons,
    ).toEqual([]);
  });
});

describe('no calibration', () => {
  const fine = answersAfter(() => 300);
  const noted = (expression: string, loopUtilisationShare: number) =>
    severities(
      validityOf(fine, {
        objective: objectiveOf(`${expression}, attainment>=0%`),
        points: [pointOf({ generator: { ...QUIET, loopUtilisationShare } })],
      }),
    );

  it('is noted where the client was busy or a limit is tight, and nowhere else', () => {
    expect(noted('ttft<=500ms', 0.1)).toEqual({});
    expect(noted('ttft<=500ms', 0.4)).toEqual({ calibration: 'note' });
    expect(noted('gap<=30ms', 0.1)).toEqual({ calibration: 'note' });
    expect(noted('tpot<=30ms', 0.4), 'a pace is an average: no stamp moves it').toEqual({});
  });

  it('is no matter of records that no client of ours stamped', () => {
    expect(
      severities(validityOf(fine, { objective: objectiveOf('gap<=30ms, attainment>=0%') })),
    ).toEqual({});
  });
});

it('the summary says what was known of the client', () => {
  expect(summaryOf(answersAfter(() => 300)).calibration).toBeNull();
  const { calibration } = summaryOf(
    answersAfter(() => 300),
    {
      calibration: runCalibrationOf({}, ['node']),
    },
  );
  expect(calibration).toEqual({
    measuredAt: '2026-11-30T03:00:00.000Z',
    used: false,
    misfits: ['node'],
    streamCount: 256,
    chunksRps: 10_240,
    startsRps: 40,
    burst: false,
    stampAgeP99Ns: 400_000,
    stampAgeMaxNs: 1_900_000,
  });
});
