import { describe, expect, it } from 'vitest';
import { recordOf, type RecordOptions } from '../../test/support/record-builder.ts';
import { objectiveOf, pointOf, pointSummaryOf } from '../../test/support/summary-builder.ts';
import { nsFromMs, nsFromSeconds } from '../base/index.ts';
import type { ClientStall, GeneratorEvidence, RequestRecord } from '../record/index.ts';
import type { SummaryOptions } from './summarise.ts';
import type { Validity } from './summary.ts';

const QUIET: GeneratorEvidence = {
  loopUtilisationShare: 0.1,
  loopStallMaxNs: 0,
  hostStallCount: 0,
  hostStallMaxNs: 0,
  stalls: [],
  unlistedStallMaxNs: 0,
  connectionCount: 1,
};

function records(count: number, optionsOf: (index: number) => RecordOptions = () => ({})) {
  return Array.from({ length: count }, (_, index) =>
    recordOf({ scheduleIndex: index, plannedNs: nsFromMs(50 * index), ...optionsOf(index) }),
  );
}

function validityOf(
  measured: readonly RequestRecord[],
  options: Partial<SummaryOptions> = {},
): Validity {
  return pointSummaryOf(measured, {
    objective: objectiveOf('ttft<=500ms, attainment>=95%'),
    ...options,
  }).validity;
}

function severities(validity: Validity): Record<string, string> {
  return Object.fromEntries(validity.reasons.map((reason) => [reason.check, reason.severity]));
}

describe('a clean run', () => {
  it('gives no reason at all', () => {
    expect(validityOf(records(100), { points: [pointOf({ generator: QUIET })] })).toEqual({
      valid: true,
      reasons: [],
    });
  });
});

describe('planted defects', () => {
  it('a lost record leaves a hole in the schedule', () => {
    const validity = validityOf(records(100).filter((_, index) => index !== 40));
    expect(validity.valid).toBe(false);
    expect(validity.reasons[0]?.message).toMatch(/1 place of the schedule without a record/);
  });

  it('a lost tail of the records is missed by their number', () => {
    const points = [pointOf({ recordCount: 100 })];
    expect(validityOf(records(100), { points }).valid).toBe(true);
    const validity = validityOf(records(93), { points });
    expect(severities(validity)).toEqual({ ledger: 'invalid' });
    expect(validity.reasons[0]?.message).toMatch(/7 places of the schedule without a record/);
  });

  it('a lost generator is told from other losses by its stripe', () => {
    const without = (isLost: (index: number) => boolean) =>
      validityOf(records(100).filter((_, index) => !isLost(index)));
    const lost = without((index) => index >= 40 && index % 4 === 2);
    expect(severities(lost)).toEqual({ ledger: 'invalid', lostWorker: 'invalid' });
    expect(lost.reasons[1]?.message).toMatch(
      /^1 place in 4 has no record from place 42 to the end/,
    );
    const ended = without((index) => index >= 40 && index < 80 && index % 4 === 2);
    expect(severities(ended), 'it came back').toEqual({ ledger: 'invalid' });
    expect(severities(without((index) => index >= 40 && index < 50))).toEqual({
      ledger: 'invalid',
    });
  });

  it('a doubled record is a repetition; a retry is not', () => {
    const all = records(100);
    const first = all[0] as RequestRecord;
    expect(severities(validityOf([...all, first]))).toEqual({ ledger: 'invalid' });
    expect(validityOf([...all, { ...first, attempt: 2 }]).valid).toBe(true);
  });

  it('failures of the keep-alive race are told apart from load', () => {
    const raced = records(100).map((record, index): RequestRecord => {
      const { timeline } = record;
      if (index !== 7 || timeline === null) return record;
      const end = { kind: 'failed', failure: 'socket', error: null } as const;
      return { ...record, end, timeline: { ...timeline, notes: ['reusedConnectionLost'] } };
    });
    const validity = validityOf(raced);
    expect(severities(validity)).toEqual({ lostOnReuse: 'warning' });
    expect(validity.reasons[0]?.message).toMatch(/^1 failed request met a kept connection that/);
    expect(severities(validityOf(records(100)))).toEqual({});
  });

  it('a start lost by the generator invalidates', () => {
    const lost = records(100, (index) => (index === 3 ? { dropped: 'generatorLost' } : {}));
    expect(severities(validityOf(lost))).toEqual({ lostStarts: 'invalid' });
  });

  it('a due request never taken up is a lost start, unless the run was cut short', () => {
    const overlooked = records(100, (index) => (index === 99 ? { notReached: true } : {}));
    expect(severities(validityOf(overlooked))).toEqual({ lostStarts: 'invalid' });
    expect(validityOf(overlooked, { points: [pointOf({ partial: true })] }).valid).toBe(true);
  });

  it('a request sent after the stop does not belong to the schedule', () => {
    const late = records(100, (index) => (index === 99 ? { plannedNs: nsFromSeconds(10) } : {}));
    expect(severities(validityOf(late))).toEqual({ ledger: 'invalid' });
  });

  it('a saturated loop is a warning', () => {
    const points = [pointOf({ generator: { ...QUIET, loopUtilisationShare: 0.8 } })];
    expect(severities(validityOf(records(100), { points }))).toEqual({
      loopUtilisation: 'warning',
    });
  });

  it('a host that stood still is a note', () => {
    const points = [
      pointOf({ generator: { ...QUIET, hostStallCount: 2, hostStallMaxNs: nsFromMs(80) } }),
    ];
    expect(severities(validityOf(records(100), { points }))).toEqual({ hostStalls: 'note' });
  });
});

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

describe('a cache that served what was to be unique', () => {
  const cached = (cachedPromptTokens: number, prefixCache: string) =>
    severities(
      validityOf(
        records(100, () => ({ usage: { promptTokens: 100, cachedPromptTokens } })),
        { prefixCache },
      ),
    );

  it('invalidates, unless no more than a chat template was cached or sharing was asked for', () => {
    expect(cached(26, 'unique')).toEqual({ cachedShare: 'invalid' });
    expect(cached(25, 'unique')).toEqual({});
    expect(cached(90, 'shared: 64 tokens, 1 group')).toEqual({});
  });
});

describe('one token per event', () => {
  it('warns where it was declared and the counts contradict it', () => {
    const declared = records(100, (index) => ({
      oneTokenPerEvent: true,
      usage: { completionTokens: index === 0 ? 7 : 3 },
    }));
    const validity = validityOf(declared);
    expect(severities(validity)).toEqual({ tokenAlignment: 'warning' });
    expect(validity.reasons[0]?.message).toMatch(/^1 of 100 answers/);
  });
});

describe('exact output lengths', () => {
  const withLengths = (off: number) =>
    records(200, (index) => ({
      outputTokensMax: 3,
      usage: { completionTokens: index < off ? 2 : 3 },
    }));

  it('must be as asked, within 1 %', () => {
    const severity = (off: number, exactOutput: boolean) =>
      severities(validityOf(withLengths(off), { exactOutput }))['outputLengths'];
    expect([severity(0, true), severity(2, true), severity(3, true)]).toEqual([
      undefined,
      'note',
      'invalid',
    ]);
    expect(severity(3, false)).toBeUndefined();
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
    const objective = objectiveOf('tpot<=21ms, gap<=25ms, attainment>=95%');
    const point = pointSummaryOf(records(100), {
      objective,
      points: [pointOf({ generator: generatorWith([stall(2_090, 2_101)]) })],
    });
    // First token of request 40 stamped at 2,100: perhaps 10 ms late, and then TPOT was 25 ms.
    expect(point.attainment.share).toBe(1);
    expect(point.clientError.attainment).toEqual({ low: 0.99, high: 1 });
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

describe('a path that bunches events', () => {
  /** 16 tokens, 20 ms apart, let through `together` at a time. */
  const bunched = (index: number, together: number): RecordOptions => ({
    arrivalsNs: Array.from({ length: 16 }, (_, token) =>
      nsFromMs(50 * index + 100 + 20 * together * Math.ceil((token + 1) / together)),
    ),
  });
  const checks = (together: number, points = [pointOf()]) =>
    validityOf(
      records(100, (index) => bunched(index, together)),
      { points },
    );

  it('is told by gaps of zero', () => {
    const validity = checks(8);
    expect(severities(validity)).toEqual({ bunching: 'warning' });
    expect(validity.reasons[0]?.message).toMatch(/^events arrive in bunches, 8\.0 in one read/);
    expect(validity.reasons[0]?.advice).toMatch(/proxy_buffering off/);
    expect(severities(checks(1))).toEqual({});
  });

  it('is not blamed for what the client read late', () => {
    const stalls = [{ fromNs: 0, toNs: nsFromSeconds(10), cause: 'loop' as const }];
    const validity = checks(8, [pointOf({ generator: { ...QUIET, stalls } })]);
    expect(severities(validity)['bunching']).toBeUndefined();
  });

  it('is not told from a machine that stood still for over a tenth of the time', () => {
    const stalls = (ms: number) =>
      Array.from({ length: 100 }, (_, at) => ({
        fromNs: nsFromMs(100 * at),
        toNs: nsFromMs(100 * at + ms),
        cause: 'host' as const,
      }));
    const withStalls = (ms: number) =>
      severities(checks(8, [pointOf({ generator: { ...QUIET, stalls: stalls(ms) } })]));
    expect(withStalls(9)['bunching']).toBe('warning');
    expect(withStalls(11)['bunching']).toBeUndefined();
  });
});

describe('a cache that drifts', () => {
  const drifting = (from: number, to: number) =>
    records(90, (index) => ({
      usage: {
        promptTokens: 1_000,
        cachedPromptTokens: Math.round(1_000 * (from + ((to - from) * index) / 89)),
      },
    }));
  const prefixCache = 'shared: 512 tokens, 1 group';

  it('is a load that changes: a warning, invalid past 25 points; in a trace it may be wanted', () => {
    const severity = (from: number, to: number, kind: 'rate' | 'trace' = 'rate') =>
      severities(validityOf(drifting(from, to), { prefixCache, points: [pointOf({ kind })] }))[
        'cacheDrift'
      ];
    expect(severity(0.5, 0.6)).toBeUndefined();
    expect(severity(0.5, 0.75)).toBe('warning');
    expect(severity(0.1, 0.9)).toBe('invalid');
    expect(severity(0.9, 0.1)).toBe('invalid');
    expect(severity(0.1, 0.9, 'trace')).toBe('note');
  });

  it('is not seen in a cache that is merely uneven', () => {
    const uneven = records(90, (index) => ({
      usage: { promptTokens: 1_000, cachedPromptTokens: index % 2 === 0 ? 900 : 100 },
    }));
    expect(severities(validityOf(uneven, { prefixCache }))).toEqual({});
  });
});
