import { describe, expect, it } from 'vitest';
import { recordOf, type RecordOptions } from '../../test/support/record-builder.ts';
import { objectiveOf, pointOf, pointSummaryOf } from '../../test/support/summary-builder.ts';
import { nsFromMs, nsFromSeconds } from '../base/index.ts';
import type { GeneratorEvidence, RequestRecord } from '../record/index.ts';
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
    expect(severities(validity)).toEqual({ lateDispatch: 'invalid' });
    expect(validity.reasons[0]?.message).toMatch(/100\.0 % and turn the verdict/);
  });

  it('warns, and no more, where lateness too small to matter turned a verdict on its edge', () => {
    // 1 ms late each; one answer of a hundred is within its limit only without that millisecond.
    const edge = records(100, (index) => ({
      dispatchedNs: nsFromMs(50 * index + 1),
      ...(index < 5 && { finishReason: 'length' as const }),
      ...(index === 5 && { arrivalsNs: [500.5, 520, 540].map((ms) => nsFromMs(250 + ms)) }),
    }));
    expect(severities(validityOf(edge))).toEqual({ lateDispatch: 'warning' });
  });

  it('invalidates when it moved attainment by more than a point, however small it was', () => {
    const clustered = records(100, (index) => ({
      dispatchedNs: nsFromMs(50 * index + 1),
      ...(index < 2 && { arrivalsNs: [500.5, 520, 540].map((ms) => nsFromMs(50 * index + ms)) }),
    }));
    expect(severities(validityOf(clustered))).toEqual({ lateDispatch: 'invalid' });
  });

  it('counts starts dropped for it: a note for one in a hundred, invalid for more', () => {
    const drop = (count: number) =>
      severities(validityOf(records(100, (index) => (index < count ? { dropped: 'late' } : {}))));
    expect(drop(1)).toEqual({ lateDrops: 'note' });
    expect(drop(2)).toEqual({ lateDrops: 'invalid' });
  });

  it('is only noted when it could change nothing', () => {
    expect(severities(validityOf(lateBy(50)))).toEqual({ lateDispatch: 'note' });
  });

  it('is not mentioned below 2 ms or 1 % of the tightest TTFT limit', () => {
    expect(validityOf(lateBy(5)).reasons).toEqual([]);
    expect(
      validityOf(lateBy(6)).reasons.map((reason) => reason.check),
      '1 % of 500 ms is 5 ms',
    ).toEqual(['lateDispatch']);
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
