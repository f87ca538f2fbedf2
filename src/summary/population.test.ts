import { describe, expect, it } from 'vitest';
import { recordOf } from '../../test/support/record-builder.ts';
import { objectiveOf, pointSummaryOf, summaryOf } from '../../test/support/summary-builder.ts';
import { nsFromMs } from '../base/index.ts';
import type { RequestRecord } from '../record/index.ts';

/** `count` requests with this TTFT and this gap between three tokens. */
function answers(count: number, ttftMs: number, gapMs: number, tenant = 'a'): RequestRecord[] {
  return Array.from({ length: count }, (_, index) =>
    recordOf({
      plannedNs: index,
      arrivalsNs: [0, 1, 2].map((token) => index + nsFromMs(ttftMs + token * gapMs)),
      labels: { tenant },
    }),
  );
}

function numbered(records: readonly RequestRecord[]): RequestRecord[] {
  return records.map((record, scheduleIndex) => ({ ...record, scheduleIndex }));
}

function resultsOf(records: readonly RequestRecord[], expression: string) {
  return pointSummaryOf(numbered(records), { objective: objectiveOf(expression) }).population;
}

describe('two p95s can pass while 90 % are good', () => {
  const point = pointSummaryOf(
    numbered([...answers(90, 100, 10), ...answers(5, 900, 10), ...answers(5, 100, 90)]),
    { objective: objectiveOf('ttft<=500ms, tpot<=40ms, attainment>=95%') },
  );

  it('misses jointly', () => {
    expect(point.population).toMatchObject([
      { target: 'attainment >= 95%', state: 'missed', observed: 0.9, limit: 0.95 },
    ]);
  });

  it('says beside it that each marginal passes', () => {
    expect(point.marginalsPass).toBe(true);
    expect(point.marginals).toMatchObject([
      { objective: 'ttft', q: 0.95, metShare: 0.95, passes: true },
      { objective: 'tpot', q: 0.95, metShare: 0.95, passes: true },
    ]);
  });
});

describe('attainment', () => {
  it('is met by 19 of 20 sixty times over, inclusive of its limit', () => {
    const [result] = resultsOf(
      [...answers(95, 100, 10), ...answers(5, 900, 10)],
      'ttft<=500ms, attainment>=95%',
    );
    expect(result).toMatchObject({ state: 'met', observed: 0.95 });
  });

  it('is not decided by 20 good requests: 59 could carry the claim', () => {
    const at = (count: number) =>
      resultsOf(answers(count, 100, 10), 'ttft<=500ms, attainment>=95%')[0]?.state;
    expect([at(20), at(58), at(59)]).toEqual(['notEnoughData', 'notEnoughData', 'met']);
  });

  it('is missed by few requests where the miss is plain', () => {
    const [result] = resultsOf(answers(3, 900, 10), 'ttft<=500ms, attainment>=95%');
    expect(result?.state).toBe('missed');
  });

  it('is not decided while the unjudged could turn it', () => {
    const unknown = Array.from({ length: 10 }, () => recordOf({ usage: null }));
    const [result] = resultsOf(
      [...answers(90, 100, 10), ...unknown],
      'tpot<=40ms, attainment>=95%',
    );
    expect(result).toMatchObject({ state: 'notEnoughData', observed: 0.9 });
  });
});

describe('other targets', () => {
  it('holds a quantile against its limit once enough was seen', () => {
    const records = [...answers(70, 100, 10), ...answers(30, 900, 10)];
    expect(
      resultsOf(records, 'median(ttft)<=500ms, p95(ttft)<=500ms, p99(ttft)<=500ms'),
    ).toMatchObject([
      {
        target: 'median(ttft) <= 500ms',
        state: 'met',
        observed: nsFromMs(100),
        limit: nsFromMs(500),
      },
      {
        target: 'p95(ttft) <= 500ms',
        state: 'missed',
        observed: nsFromMs(900),
        limit: nsFromMs(500),
      },
      // 30 of 100 over the limit is a plain miss of a p99, though no p99 could be claimed.
      {
        target: 'p99(ttft) <= 500ms',
        state: 'missed',
        observed: nsFromMs(900),
        limit: nsFromMs(500),
      },
    ]);
  });

  it('makes no claim about a p99 from 20 requests', () => {
    expect(resultsOf(answers(20, 100, 10), 'p99(ttft)<=500ms')[0]?.state).toBe('notEnoughData');
  });

  it('makes no claim about a p99 of many gaps from few answers, unless the miss is plain', () => {
    const stateOf = (count: number, gapMs: number) =>
      resultsOf(answers(count, 100, gapMs), 'p95(gap)<=60ms')[0]?.state;
    expect([stateOf(58, 10), stateOf(59, 10), stateOf(58, 90), stateOf(59, 90)]).toEqual([
      'notEnoughData',
      'met',
      'missed',
      'missed',
    ]);
  });

  it('leaves success open while what the run cut off could turn it', () => {
    const cut = Array.from({ length: 2 }, () =>
      recordOf({ doneNs: null, end: { kind: 'cancelled', atNs: nsFromMs(200) } }),
    );
    const [result] = resultsOf([...answers(98, 100, 10), ...cut], 'success>=99%');
    expect(result).toMatchObject({ state: 'notEnoughData', observed: 0.98 });
  });

  it('asks success of correctness alone', () => {
    const [result] = resultsOf(
      [
        ...answers(99, 900, 10),
        recordOf({ finishReason: 'length' }),
        recordOf({ dropped: 'ceiling' }),
      ],
      'ttft<=500ms, success>=98%',
    );
    expect(result).toMatchObject({ state: 'notEnoughData', observed: 99 / 101 });
  });

  it('takes the worst tenant, not the mean of all', () => {
    const records = [
      ...answers(100, 100, 10, 'a'),
      ...answers(50, 100, 10, 'b'),
      ...answers(50, 900, 10, 'b'),
    ];
    const point = pointSummaryOf(numbered(records), {
      objective: objectiveOf('ttft<=500ms, attainment>=70%, worst(tenant)>=90%'),
    });
    expect(point.population).toMatchObject([
      { state: 'met', observed: 0.75 },
      { target: 'worst(tenant) >= 90%', state: 'missed', observed: 0.5 },
    ]);
    expect(point.groups.map((group) => [group.name, group.attainment.share])).toEqual([
      ['a', 1],
      ['b', 0.5],
    ]);
  });
});

describe('the verdict', () => {
  const verdictOf = (records: readonly RequestRecord[], expression: string) =>
    summaryOf(numbered(records), { objective: objectiveOf(expression) }).verdict;

  it('is missed when one target is, whatever the others say', () => {
    expect(verdictOf(answers(20, 900, 10), 'ttft<=500ms, success>=50%, attainment>=95%')).toBe(
      'missed',
    );
  });

  it('is undecided when a target is, and none is missed', () => {
    expect(verdictOf(answers(100, 100, 10), 'attainment>=95%, p99.9(ttft)<=1s')).toBe(
      'notEnoughData',
    );
  });

  it('is met when all are', () => {
    expect(verdictOf(answers(100, 100, 10), 'attainment>=95%, p95(ttft)<=1s')).toBe('met');
  });
});
