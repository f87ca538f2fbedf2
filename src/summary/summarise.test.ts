import { describe, expect, it } from 'vitest';
import { failedEnd, recordOf } from '../../test/support/record-builder.ts';
import {
  objectiveOf,
  pointOf,
  pointSummaryOf,
  summaryOf,
} from '../../test/support/summary-builder.ts';
import { nsFromMs, nsFromSeconds } from '../base/index.ts';
import type { RequestRecord } from '../record/index.ts';
import { quantileOf } from './quantile-summary.ts';

/** Seven completed of which six are good, one error, two drops: the mission's example. */
const TEN: readonly RequestRecord[] = [
  ...[0, 1, 2, 3, 4, 5].map((at) =>
    recordOf({ scheduleIndex: at, plannedNs: nsFromSeconds(at), usage: { completionTokens: 3 } }),
  ),
  recordOf({
    scheduleIndex: 6,
    plannedNs: nsFromSeconds(6),
    arrivalsNs: [nsFromSeconds(7), nsFromSeconds(7.02), nsFromSeconds(7.04)],
  }),
  recordOf({
    scheduleIndex: 7,
    plannedNs: nsFromSeconds(7),
    arrivalsNs: [],
    usage: null,
    httpStatus: 500,
    end: failedEnd('httpStatus'),
  }),
  recordOf({ scheduleIndex: 8, plannedNs: nsFromSeconds(8), dropped: 'ceiling' }),
  recordOf({ scheduleIndex: 9, plannedNs: nsFromSeconds(9), dropped: 'ceiling' }),
];
const OBJECTIVE = objectiveOf('ttft<=500ms, tpot<=40ms, attainment>=95%');

describe('ten scheduled, two dropped, one error, seven completed, six good', () => {
  const point = pointSummaryOf(TEN, { objective: OBJECTIVE });

  it('accounts for every request', () => {
    expect(point.ledger).toEqual({
      scheduled: 10,
      dropped: 2,
      refused: 0,
      failed: 1,
      cancelled: 0,
      timedOut: 0,
      completed: 7,
      notReached: 0,
    });
    expect(point.dropReasons).toEqual({ ceiling: 2 });
    expect(point.failureClasses).toEqual({ httpStatus: 1 });
    expect(point.verdicts).toEqual({ good: 6, bad: 4, excluded: 0, unjudged: 0 });
  });

  it('is 6/10 of the offered and 6/8 of the admitted', () => {
    expect(point.attainment).toMatchObject({ good: 6, offered: 10, share: 0.6 });
    expect(point.attainmentAdmitted).toMatchObject({ good: 6, offered: 8, share: 0.75 });
  });

  it('has a goodput of six over the common wall window, which holds the last dropped start', () => {
    expect(point.rates.window).toEqual({ kind: 'wall', fromNs: 0, toNs: nsFromSeconds(9) });
    expect(point.goodputRps).toBeCloseTo(6 / 9, 12);
    expect(point.rates.completedRps).toBeCloseTo(7 / 9, 12);
    expect(point.rates.realisedOfferedRps).toBeCloseTo(10 / 9, 12);
    expect(point.rates.outputTokensPerSecond).toBeCloseTo(21 / 9, 12);
  });

  it('names what was missed, and by that alone', () => {
    expect(point.misses).toEqual([
      {
        objective: 'ttft',
        missed: 1,
        soleMiss: 1,
        unknown: 1,
        notApplicable: 0,
        reasons: { overLimit: 1 },
      },
      { objective: 'tpot', missed: 0, soleMiss: 0, unknown: 1, notApplicable: 0, reasons: {} },
      {
        objective: 'correctness',
        missed: 1,
        soleMiss: 1,
        unknown: 0,
        notApplicable: 0,
        reasons: { failed: 1 },
      },
    ]);
  });

  it('treats ceiling drops as a result, not as an invalid run', () => {
    expect(point.validity.valid).toBe(true);
    expect(point.validity.reasons).toMatchObject([{ check: 'ceiling', severity: 'note' }]);
  });
});

describe('a run in which nothing worked', () => {
  const failed = Array.from({ length: 70 }, (_, index) =>
    recordOf({
      scheduleIndex: index,
      plannedNs: nsFromMs(100 * index),
      arrivalsNs: [],
      usage: null,
      end: failedEnd('connect'),
      timeline: { doneNs: null, bodyEndNs: null, terminalNs: null, reused: null },
    }),
  );
  const summary = summaryOf(failed, { objective: OBJECTIVE });
  const [point] = summary.points;

  it('attains 0/N at goodput 0, latencies null, and the verdict is missed', () => {
    expect(point?.attainment).toMatchObject({ good: 0, offered: 70, share: 0 });
    expect(point?.goodputRps).toBe(0);
    expect(point?.ttftFromPlannedNs).toMatchObject({ n: 0, mean: null, quantiles: [] });
    expect(summary.verdict).toBe('missed');
  });

  it('misses with a single request, and where only quantiles or success were asked', () => {
    const verdictOf = (count: number, expression: string) =>
      summaryOf(failed.slice(0, count), { objective: objectiveOf(expression) }).verdict;
    expect(verdictOf(1, 'ttft<=500ms, attainment>=50%')).toBe('missed');
    expect(verdictOf(70, 'p99(ttft)<=500ms')).toBe('missed');
    expect(verdictOf(1, 'success>=10%')).toBe('missed');
  });

  it('has a goodput of 0 though it took no time', () => {
    expect(pointSummaryOf(failed.slice(0, 1)).goodputRps).toBe(0);
  });

  it('is a result, not an invalid measurement', () => {
    expect(summary.validity.valid).toBe(true);
    expect(summary.validity.reasons[0]).toMatchObject({
      check: 'nothingCompleted',
      severity: 'warning',
    });
  });
});

describe('a run without records', () => {
  it('has nothing to say and does not crash', () => {
    const summary = summaryOf([], { objective: OBJECTIVE });
    expect(summary.verdict).toBe('notEnoughData');
    expect(summary.points[0]).toMatchObject({
      goodputRps: null,
      inFlightMean: null,
      errorShare: null,
      attainment: { share: null, offered: 0 },
    });
  });
});

describe('windows', () => {
  // One request a second for 10 s, 2.5 s long, ten tokens each, one per event, 250 ms apart.
  const records = Array.from({ length: 10 }, (_, index) =>
    recordOf({
      scheduleIndex: index,
      plannedNs: nsFromSeconds(index),
      arrivalsNs: Array.from({ length: 10 }, (__, event) =>
        nsFromSeconds(index + (event + 1) * 0.25),
      ),
      doneNs: nsFromSeconds(index + 2.5),
      timeline: { reused: index > 0 },
    }),
  );
  const points = [pointOf({ steadyFromNs: nsFromSeconds(4) })];
  const point = pointSummaryOf(records, { points });
  const windows = [point.rates, ...point.otherWindows];
  const of = (kind: string) => windows.find((rates) => rates.window.kind === kind);

  it('judges the steady one when a warm-up was declared, and keeps the others', () => {
    expect(windows.map((rates) => rates.window.kind)).toEqual(['steady', 'wall', 'cohort']);
    expect(point.attainment.offered).toBe(6);
    expect(point.ledger.scheduled).toBe(10);
    expect(point.ttftFromPlannedNs).toMatchObject({ n: 6, window: 'steady' });
  });

  it('counts steady tokens by arrival: those of warm-up requests in, those of the drain out', () => {
    // Arrivals in [4 s, 10 s): request 2 has 3 left (4, 4.25, 4.5), 3 has 7, 4 to 7 have 10 each,
    // 8 has 7 before 10 s and 9 has 3.
    expect(of('steady')?.outputTokensPerSecond).toBe((3 + 7 + 40 + 7 + 3) / 6);
    expect(of('steady')?.outputTokensBasis).toBe('arrivals');
  });

  it('counts cohort tokens by the arrival of their request, without the drain in the time', () => {
    expect(of('cohort')).toMatchObject({
      outputTokensPerSecond: 10,
      realisedOfferedRps: 1,
      window: { fromNs: nsFromSeconds(4), toNs: nsFromSeconds(10) },
    });
  });

  it('spreads the wall window from first planned to last done', () => {
    expect(of('wall')?.window).toMatchObject({ fromNs: 0, toNs: nsFromSeconds(11.5) });
    expect(of('wall')?.outputTokensPerSecond).toBeCloseTo(100 / 11.5, 12);
  });

  it('publishes warm-up beside steady and cold beside reused connections', () => {
    expect(point.phases.map((phase) => [phase.name, phase.ledger.scheduled])).toEqual([
      ['warmup', 4],
      ['steady', 6],
      ['cold connection', 1],
      ['reused connection', 9],
    ]);
  });

  it('shares a total over the window by events where tokens were not told one by one', () => {
    const straddling = recordOf({
      plannedNs: nsFromSeconds(3),
      arrivalsNs: [3.5, 4.5, 4.6, 12].map((at) => nsFromSeconds(at)),
      usage: { completionTokens: 100 },
    });
    expect(pointSummaryOf([straddling], { points }).rates.outputTokensPerSecond).toBe(50 / 6);
  });

  it('sums fractions of tokens in one order, whatever the order of the records', () => {
    // A tenth, two and three tenths of one token arrive in the window: 0.1 + 0.2 + 0.3 is not the
    // same number in every order.
    const [a, b, c] = [1, 2, 3].map((inside, scheduleIndex) =>
      recordOf({
        scheduleIndex,
        plannedNs: nsFromSeconds(3) + scheduleIndex,
        arrivalsNs: Array.from({ length: 10 }, (_, event) =>
          nsFromSeconds(event < 10 - inside ? 3.5 : 4.5),
        ),
        usage: { completionTokens: 1 },
      }),
    ) as [RequestRecord, RequestRecord, RequestRecord];
    const sums = [
      [a, b, c],
      [b, c, a],
      [c, b, a],
    ].map((records) => pointSummaryOf(records, { points }).rates.outputTokensPerSecond);
    expect(new Set(sums).size).toBe(1);
    expect(sums[0]).toBeCloseTo(0.1, 12);
  });

  it('believes per-event counts over the share of events', () => {
    const straddling = recordOf({
      plannedNs: nsFromSeconds(3),
      arrivalsNs: [3.5, 4.5].map((at) => nsFromSeconds(at)),
      tokensPerEvent: [90, 10],
      usage: { completionTokens: 100 },
    });
    expect(pointSummaryOf([straddling], { points }).rates.outputTokensPerSecond).toBe(10 / 6);
  });

  it('never rates a closed loop by an offered load it does not have', () => {
    const closed = pointSummaryOf(records, {
      points: [pointOf({ kind: 'concurrency', closedLoop: true, offeredRps: null })],
    });
    expect(closed.rates.offeredRps).toBeNull();
    expect(closed.load.closedLoop).toBe(true);
  });
});

describe('what is not known', () => {
  it('counts unknown usage apart instead of as zero tokens', () => {
    const point = pointSummaryOf([
      recordOf({ scheduleIndex: 0 }),
      recordOf({ scheduleIndex: 1, usage: null }),
    ]);
    expect(point.rates.unknownUsageCount).toBe(1);
    expect(point.rates.outputTokensPerSecond).toBeGreaterThan(0);
    expect(point.outputTokens).toMatchObject({ n: 1, coverage: 0.5 });
  });

  it('has no token rate where the server never told its usage: unknown is not 0 tokens/s', () => {
    const silent = Array.from({ length: 3 }, (_, scheduleIndex) =>
      recordOf({ scheduleIndex, plannedNs: scheduleIndex, usage: null }),
    );
    for (const steadyFromNs of [null, 0]) {
      const { rates } = pointSummaryOf(silent, { points: [pointOf({ steadyFromNs })] });
      expect(rates).toMatchObject({
        inputTokensPerSecond: null,
        outputTokensPerSecond: null,
        goodOutputTokensPerSecond: null,
        unknownUsageCount: 3,
      });
    }
  });

  it('says why requests are unjudged, and how many each', () => {
    const point = pointSummaryOf(
      [
        recordOf({ scheduleIndex: 0 }),
        recordOf({ scheduleIndex: 1, usage: null, oneTokenPerEvent: true }),
        recordOf({ scheduleIndex: 2, usage: null, oneTokenPerEvent: true }),
        recordOf({ scheduleIndex: 3, usage: null, finishReason: 'length' }),
        recordOf({ scheduleIndex: 4, end: { kind: 'cancelled', atNs: nsFromMs(200) } }),
      ],
      { objective: OBJECTIVE },
    );
    expect(point.unjudgedReasons).toEqual({ 'tpot:tokensUnknown': 2, 'correctness:cancelled': 1 });
    expect(point.attainment).toMatchObject({ good: 1, unjudged: 3 });
  });

  it('says where the prompt lengths of the buckets come from', () => {
    const point = pointSummaryOf([
      recordOf({ scheduleIndex: 0 }),
      recordOf({ scheduleIndex: 1, usage: null, promptTokensPlanned: 900 }),
      recordOf({ scheduleIndex: 2, usage: null }),
    ]);
    expect(point.promptTokensFrom).toEqual({ usage: 1, planned: 1, unknown: 1 });
  });

  it('tells the cached share only of prompts whose cache the server told', () => {
    const point = pointSummaryOf([
      recordOf({ scheduleIndex: 0, usage: { promptTokens: 100, cachedPromptTokens: 25 } }),
      recordOf({ scheduleIndex: 1, usage: { promptTokens: 300 } }),
    ]);
    expect(point.cachedTokenShare).toBe(0.25);
    expect(pointSummaryOf([recordOf()]).cachedTokenShare).toBeNull();
  });

  it('has no ITL unless streams were token-aligned', () => {
    expect(pointSummaryOf([recordOf()]).itlNs.n).toBe(0);
    const aligned = pointSummaryOf([recordOf({ oneTokenPerEvent: true })]);
    expect(aligned.itlNs.n).toBe(2);
    expect(aligned.tpotBasis).toEqual({ observed: 1, estimated: 0 });
  });
});

describe('pooled gaps', () => {
  it('pool gaps, not request means: two of 10 ms and eight of 50 ms average 42 ms', () => {
    const two = [0, 10, 20].map(nsFromMs);
    const eight = Array.from({ length: 9 }, (_, index) => nsFromMs(100 + 50 * index));
    const point = pointSummaryOf([
      recordOf({ scheduleIndex: 0, arrivalsNs: two }),
      recordOf({ scheduleIndex: 1, arrivalsNs: eight }),
    ]);
    expect(point.chunkGapNs).toMatchObject({ n: 10, mean: nsFromMs(42), coverage: 1 });
  });

  it('print the share of gaps of zero', () => {
    const point = pointSummaryOf([recordOf({ arrivalsNs: [5, 5, 5, 9].map(nsFromMs) })]);
    expect(point.zeroGapShare).toBeCloseTo(2 / 3, 12);
  });
});

describe('the whole run', () => {
  it('sorts points by load, not by the order they ran', () => {
    const summary = summaryOf([recordOf({ pointIndex: 0 }), recordOf({ pointIndex: 1 })], {
      points: [pointOf({ index: 0, level: 8 }), pointOf({ index: 1, level: 2 })],
    });
    expect(summary.points.map((point) => point.load.level)).toEqual([2, 8]);
  });

  it('has no verdict without a population target', () => {
    expect(summaryOf(TEN).verdict).toBeNull();
    expect(summaryOf(TEN, { objective: objectiveOf('ttft<=500ms') }).verdict).toBeNull();
  });

  it('refuses records of a point that the manifest does not have', () => {
    expect(() => summaryOf([recordOf({ pointIndex: 3 })])).toThrow(/load point 3/);
  });

  it('keeps the first digits of a quantile exact', () => {
    const point = pointSummaryOf(TEN, { objective: OBJECTIVE });
    expect(quantileOf(point.ttftFromPlannedNs, 0.5)?.value).toBe(nsFromMs(100));
    expect(quantileOf(point.ttftFromPlannedNs, 0.99)?.value).toBe(nsFromSeconds(1));
  });
});
