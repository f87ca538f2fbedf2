import { describe, expect, it } from 'vitest';
import { QUIET, records, severities, validityOf } from '../../test/support/made-validity.ts';
import type { RecordOptions } from '../../test/support/record-builder.ts';
import { objectiveOf, pointOf, pointSummaryOf } from '../../test/support/summary-builder.ts';
import { nsFromMs, nsFromSeconds } from '../base/index.ts';
import type { ClientStall, GeneratorEvidence, RequestRecord } from '../record/index.ts';

describe('late dispatch', () => {
  /** Every request sent this late; answers 100 ms after dispatch. */
  const lateBy = (ms: number) =>
    records(100, (index) => ({ dispatchedNs: nsFromMs(50 * index + ms) }));

  it('invalidates when it turned the verdict', () => {
    // 410 ms late + 100 ms = 510 ms from planned, over the limit only by the client's own doing.
    const validity = validityOf(lateBy(410));
    expect(severities(validity)).toEqual({ clientError: 'invalid' });
    expect(validity.reasons[0]?.message).toMatch(/move good % by 100\.0 .* and turn the verdict/);
  });

  it('warns, and no more, where lateness too small to matter turned a verdict on its edge', () => {
    // 1 ms late each; one answer of a hundred is within its limit only without that millisecond.
    const edge = records(100, (index) => ({
      dispatchedNs: nsFromMs(50 * index + 1),
      ...(index < 5 && { finishReason: 'length' as const }),
      ...(index === 5 && { arrivalsNs: [500.5, 520, 540].map((ms) => nsFromMs(250 + ms)) }),
    }));
    expect(severities(validityOf(edge))).toEqual({ clientError: 'warning' });
  });

  it('invalidates when it moved attainment by more than a point, however small it was', () => {
    const clustered = records(100, (index) => ({
      dispatchedNs: nsFromMs(50 * index + 1),
      ...(index < 2 && { arrivalsNs: [500.5, 520, 540].map((ms) => nsFromMs(50 * index + ms)) }),
    }));
    expect(severities(validityOf(clustered))).toEqual({ clientError: 'invalid' });
  });

  it('counts starts dropped for it: a note for one in a hundred, invalid for more', () => {
    const drop = (count: number) =>
      severities(validityOf(records(100, (index) => (index < count ? { dropped: 'late' } : {}))));
    expect(drop(1)).toEqual({ lateDrops: 'note' });
    expect(drop(2)).toEqual({ lateDrops: 'invalid' });
  });

  it('is only noted when it could change nothing', () => {
    const validity = validityOf(lateBy(50));
    expect(severities(validity)).toEqual({ clientError: 'note' });
    expect(validity.reasons[0]?.message).toBe(
      'this client could move TTFT median by 33.3 %: 1 start in 100 at least 50.0 ms late',
    );
  });

  it('is not mentioned below 2 ms or 1 % of the tightest TTFT limit', () => {
    expect(validityOf(lateBy(5)).reasons).toEqual([]);
    const slow = records(100, (index) => ({
      dispatchedNs: nsFromMs(50 * index + 6),
      arrivalsNs: [306, 326].map((ms) => nsFromMs(50 * index + ms)),
    }));
    expect(severities(validityOf(slow)), '1 % of 500 ms is 5 ms').toEqual({ lateDispatch: 'note' });
  });

  it('counts the other way where the objective starts at dispatch', () => {
    const objective = objectiveOf('ttft<=500ms, attainment>=95%, from=dispatch');
    const point = pointSummaryOf(lateBy(410), { objective });
    expect(point.attainment.share).toBe(1);
    expect(point.validity.valid).toBe(false);
  });
});

describe('a slow pacer', () => {
  /** Starts planned every 50 ms and sent every `stepMs`. */
  const paced = (stepMs: number) =>
    records(200, (index) => ({ dispatchedNs: nsFromMs(50 * index + (stepMs - 50) * index) }));

  it('offers less than was asked, whatever the verdicts say', () => {
    const validity = validityOf(paced(51), { points: [pointOf({ stopNs: nsFromSeconds(100) })] });
    expect(validity.reasons[0]).toMatchObject({ check: 'slowPacer', severity: 'invalid' });
    expect(validity.reasons[0]?.message).toMatch(/the load sent was 2\.0 % below the one asked/);
  });

  it('is neither a constant lateness, nor a stall, nor a drift below 1 %, nor a closed loop', () => {
    const checks = (measured: readonly RequestRecord[], closedLoop = false) =>
      severities(
        validityOf(measured, { points: [pointOf({ stopNs: nsFromSeconds(100), closedLoop })] }),
      )['slowPacer'];
    expect(checks(paced(51))).toBe('invalid');
    expect(checks(paced(50.3))).toBeUndefined();
    expect(checks(paced(51), true)).toBeUndefined();
    expect(
      checks(records(200, (index) => ({ dispatchedNs: nsFromMs(50 * index + 30) }))),
    ).toBeUndefined();
    const stalled = records(200, (index) => ({
      dispatchedNs: nsFromMs(50 * index + (index > 185 ? 500 : 0)),
    }));
    expect(checks(stalled)).toBeUndefined();
  });
});

describe('stalls of the client', () => {
  const stall = (fromMs: number, toMs: number, cause: ClientStall['cause'] = 'host') => ({
    fromNs: nsFromMs(fromMs),
    toNs: nsFromMs(toMs),
    cause,
  });
  const generatorWith = (stalls: readonly ClientStall[]): GeneratorEvidence => ({
    ...QUIET,
    stalls,
    hostStallCount: stalls.filter(({ cause }) => cause === 'host').length,
    hostStallMaxNs: nsFromMs(60),
  });
  const withStalls = (stalls: readonly ClientStall[], optionsOf?: (i: number) => RecordOptions) =>
    pointSummaryOf(records(200, optionsOf), {
      objective: objectiveOf('ttft<=110ms, attainment>=95%'),
      points: [pointOf({ stopNs: nsFromSeconds(100), generator: generatorWith(stalls) })],
    });
  /** Request 40 is planned at 2 s; 12 ms too slow by its stamp. */
  const oneSlow = (index: number): RecordOptions =>
    index === 40 ? { arrivalsNs: [2_112, 2_132, 2_152].map(nsFromMs) } : {};

  it('that overlap a few requests leave the point valid, with the share touched', () => {
    const point = withStalls([stall(2_090, 2_111)], oneSlow);
    expect(point.validity.valid).toBe(true);
    expect(point.clientError).toMatchObject({
      touchedCount: 1,
      judgedCount: 200,
      attainment: { low: 0.995, high: 1 },
    });
    expect(point.validity.reasons[0]).toMatchObject({
      check: 'clientError',
      severity: 'note',
      message: expect.stringMatching(
        /^this client could move good % by 0\.5 \(1 of 200 requests touched\): it stood still once, up to 21\.0 ms$/,
      ),
    });
  });

  it('count only as far as the request could have been in time without them', () => {
    const touched = (fromMs: number, toMs: number) =>
      withStalls([stall(fromMs, toMs)], oneSlow).clientError.touchedCount;
    expect(touched(2_109, 2_120), 'began 3 ms before its stamp').toBe(1);
    expect(touched(2_111, 2_120), 'began 1 ms before it: late in any case').toBe(0);
    expect(touched(2_050, 2_100), 'over 5 ms before: caught up').toBe(0);
    expect(touched(2_130, 2_160), 'after it').toBe(0);
  });

  it('never make a request worse in TTFT than it was seen', () => {
    const point = withStalls([stall(0, 20_000)]);
    expect(point.clientError.attainment).toEqual({ low: 1, high: 1 });
    expect(severities(point.validity)).toEqual({ clientError: 'note', hostStalls: 'note' });
  });

  it('invalidate where they could move good % by more than a point, with advice by their cause', () => {
    const slow = (index: number): RecordOptions =>
      index % 40 === 0
        ? { arrivalsNs: [112, 132, 152].map((ms) => nsFromMs(50 * index + ms)) }
        : {};
    const stalls = (cause: ClientStall['cause']) =>
      [0, 40, 80, 120, 160].map((index) => stall(50 * index + 90, 50 * index + 111, cause));
    const byHost = withStalls(stalls('host'), slow).validity;
    expect(byHost.reasons[0]).toMatchObject({
      check: 'clientError',
      severity: 'invalid',
      advice: 'the machine was taken away: stop what else runs on it, then repeat',
    });
    const byLoop = withStalls(stalls('loop'), slow).validity;
    expect(byLoop.reasons[0]).toMatchObject({
      severity: 'invalid',
      advice: 'the event loop stood still: offer less load from this process',
    });
  });

  it('can hide a slow answer too: a late first stamp shortens TPOT and the gaps', () => {
    // First token of request 40 stamped at 2,100: perhaps 10 ms late, and then TPOT was 25 ms.
    for (const limit of ['tpot<=21ms', 'gap<=25ms']) {
      const point = pointSummaryOf(records(100), {
        objective: objectiveOf(`${limit}, attainment>=95%`),
        points: [pointOf({ generator: generatorWith([stall(2_090, 2_101)]) })],
      });
      expect(point.attainment.share).toBe(1);
      expect(point.clientError.attainment, limit).toEqual({ low: 0.99, high: 1 });
    }
  });

  it('left out of the list count for every request', () => {
    const generator = { ...QUIET, unlistedStallMaxNs: nsFromMs(12) };
    const point = pointSummaryOf(records(100), {
      objective: objectiveOf('ttft<=95ms, attainment>=95%'),
      points: [pointOf({ generator })],
    });
    expect(point.clientError.attainment).toEqual({ low: 0, high: 1 });
    expect(point.validity.valid).toBe(false);
  });

  it('without an objective are held against the quantiles', () => {
    const plain = (stalls: readonly ClientStall[]) =>
      pointSummaryOf(records(100), { points: [pointOf({ generator: generatorWith(stalls) })] });
    const few = plain([stall(2_090, 2_101)]);
    expect(few.validity.valid).toBe(true);
    const many = plain(records(100).map((_, index) => stall(50 * index + 90, 50 * index + 101)));
    expect(many.validity.reasons[0]).toMatchObject({ check: 'clientError', severity: 'invalid' });
    expect(many.clientError.quantiles.find(({ measure }) => measure === 'ttft')).toMatchObject({
      valueNs: nsFromMs(100),
      lowNs: nsFromMs(90),
      highNs: nsFromMs(100),
    });
  });
});
