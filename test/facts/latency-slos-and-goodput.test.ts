/** Every claim and worked number of "Latency SLOs and goodput" that concerns one record's judge. */
import { describe, expect, it } from 'vitest';
import { nsFromMs, nsFromSeconds, secondsFromNs } from '../../src/base/index.ts';
import { measureRecord } from '../../src/record/index.ts';
import {
  attainmentOf,
  burnRate,
  classifyOutcome,
  errorBudget,
  goodputRps,
  judge,
  lintObjective,
  objectivePreset,
  parseObjective,
  tallyVerdicts,
  timeToExhaustionNs,
  type Judgement,
  type Objective,
} from '../../src/slo/index.ts';
import { sampleQuantile } from '../../src/stats/index.ts';
import { failedEnd, recordOf, type RecordOptions } from '../support/record-builder.ts';

const THIRTY_DAYS_NS = nsFromSeconds(30 * 86_400);

function objectiveOf(text: string): Objective {
  const parsed = parseObjective(text);
  if ('problems' in parsed) throw new Error(parsed.problems[0]!.message);
  return parsed.objective;
}

/** An answer of `tokens` tokens, one a chunk: the first after `ttftMs`, then `paceMs` apart. */
function answer(
  ttftMs: number,
  paceMs: number,
  tokens = 11,
  more: RecordOptions = {},
): RecordOptions {
  const arrivalsNs = Array.from({ length: tokens }, (_, index) =>
    nsFromMs(ttftMs + index * paceMs),
  );
  return { arrivalsNs, ...more };
}

const judgeAll = (records: readonly RecordOptions[], objective: Objective): Judgement[] =>
  records.map((record) => judge(recordOf(record), objective));

const times = <T>(n: number, make: (index: number) => T): T[] =>
  Array.from({ length: n }, (_, index) => make(index));

describe('judge per request', () => {
  // 100 requests: 5 miss TTFT, 5 others miss TPOT.
  const records = times(100, (index) =>
    index < 5 ? answer(1_500, 10) : index < 10 ? answer(200, 20) : answer(200, 10),
  );
  const objective = objectiveOf('ttft<=1s, tpot<=15ms, attainment>=95%');

  it('two p95s pass while only 90 % of requests are good', () => {
    const measures = records.map((record) =>
      measureRecord(recordOf(record), { counts: objective.request.counts }),
    );
    const ttfts = measures.map((one) => one.ttftFromPlannedNs!);
    const tpots = measures.map((one) => one.tpotNs!);
    expect(sampleQuantile(ttfts, 0.95, 'nearestRank')).toBeLessThanOrEqual(nsFromSeconds(1));
    expect(sampleQuantile(tpots, 0.95, 'nearestRank')).toBeLessThanOrEqual(nsFromMs(15));
    expect(attainmentOf(tallyVerdicts(judgeAll(records, objective))).share).toBe(0.9);
  });

  it('up to 10 % can miss at least one, because different requests miss each', () => {
    const verdicts = judgeAll(records, objective);
    const missed = (name: string) =>
      verdicts.filter((one) =>
        one.objectives.some((result) => result.objective === name && result.state === 'missed'),
      ).length;
    expect([missed('ttft'), missed('tpot')]).toEqual([5, 5]);
    expect(verdicts.filter((one) => one.verdict === 'bad')).toHaveLength(10);
  });
});

describe('exclude what you refuse', () => {
  const objective = objectiveOf('ttft<=1s');
  const overQuota: RecordOptions = {
    end: failedEnd('httpStatus', { httpStatus: 429, evidence: ['quota'] }),
    httpStatus: 429,
    arrivalsNs: [],
  };
  const overload: RecordOptions = {
    end: failedEnd('httpStatus', { httpStatus: 429 }),
    httpStatus: 429,
    arrivalsNs: [],
  };

  it('a tenant over quota is excluded, and still counted', () => {
    const tally = tallyVerdicts(
      judgeAll([...times(90, () => answer(200, 10)), ...times(10, () => overQuota)], objective),
    );
    expect(tally).toMatchObject({ good: 90, bad: 0, excluded: 10 });
    expect(attainmentOf(tally)).toMatchObject({ good: 90, offered: 90, share: 1 });
  });

  it('the exclusion does not mask overload: a bare 429 is a miss', () => {
    expect(classifyOutcome(recordOf(overload), objective.refusals)).toBe('failed');
    const tally = tallyVerdicts(
      judgeAll([...times(90, () => answer(200, 10)), ...times(10, () => overload)], objective),
    );
    expect(attainmentOf(tally).share).toBe(0.9);
  });

  it('a buyer counts what was refused as missed', () => {
    const buyer = { ...objective, perspective: 'buyer' as const };
    const tally = tallyVerdicts(judgeAll([answer(200, 10), overQuota], buyer));
    expect(attainmentOf(tally)).toMatchObject({ good: 1, offered: 2 });
  });
});

describe('the offered denominator', () => {
  // 10 scheduled, 2 dropped, 1 error, 7 completed, 6 good.
  const records: RecordOptions[] = [
    ...times(6, () => answer(200, 10)),
    answer(2_000, 10),
    { end: failedEnd('socket'), arrivalsNs: [] },
    { dropped: 'ceiling' },
    { dropped: 'ceiling' },
  ];
  const tally = tallyVerdicts(judgeAll(records, objectiveOf('ttft<=1s')));

  it('holds what was dropped: 6 of 10 offered are good', () => {
    expect(attainmentOf(tally)).toMatchObject({ good: 6, offered: 10, share: 0.6 });
  });

  it('of admitted requests does not: 6 of 8', () => {
    expect(attainmentOf(tally, 'admitted')).toMatchObject({ good: 6, offered: 8, share: 0.75 });
  });

  it('goodput is attained requests per second', () => {
    expect(goodputRps(tally.good, nsFromSeconds(10))).toBe(0.6);
  });
});

describe('mean TPOT hides stalls', () => {
  // 301 tokens 10 ms apart, but for one gap of 600 ms.
  const smooth = answer(200, 10, 301);
  const stalled: RecordOptions = {
    arrivalsNs: smooth.arrivalsNs!.map((instant, index) =>
      index < 150 ? instant : instant + nsFromMs(590),
    ),
  };

  it('600 ms of silence pass a TPOT limit and miss a gap limit', () => {
    const { tpotNs } = measureRecord(recordOf(stalled), { counts: ['answer'] });
    expect(tpotNs! / nsFromMs(1)).toBeCloseTo(11.97, 2);
    expect(judge(recordOf(stalled), objectiveOf('tpot<=15ms')).verdict).toBe('good');
    const withGap = judge(recordOf(stalled), objectiveOf('tpot<=15ms, gap<=500ms'));
    expect([withGap.verdict, withGap.reason]).toEqual(['bad', 'gapMax:overLimit']);
    expect(judge(recordOf(smooth), objectiveOf('tpot<=15ms, gap<=500ms')).verdict).toBe('good');
  });

  it('lint asks for a gap limit', () => {
    const rules = lintObjective(objectiveOf('tpot<=15ms')).map((warning) => warning.rule);
    expect(rules).toEqual(['stallsUnseen']);
  });
});

describe('end-to-end time is a poor objective for a stream', () => {
  it('on the same service every long answer violates it and every short one passes', () => {
    const e2e = objectiveOf('e2e<=2s');
    const perToken = objectiveOf('ttft<=500ms, tpot<=15ms');
    const short = recordOf(answer(200, 10, 50));
    const long = recordOf(answer(200, 10, 500));
    expect([judge(short, e2e).verdict, judge(long, e2e).verdict]).toEqual(['good', 'bad']);
    expect([judge(short, perToken).verdict, judge(long, perToken).verdict]).toEqual([
      'good',
      'good',
    ]);
  });

  it('it is TTFT + TPOT × (output tokens − 1)', () => {
    const record = recordOf(answer(505, 25, 300));
    const { ttftFromPlannedNs, tpotNs, lastContentNs } = measureRecord(record, {
      counts: ['answer'],
    });
    expect(ttftFromPlannedNs! + tpotNs! * (300 - 1)).toBeCloseTo(lastContentNs!, 3);
  });
});

describe('bucket TTFT by prompt length', () => {
  it('a pasted document is judged by its own limit, not by that of a question', () => {
    const document = recordOf(answer(6_000, 10, 11, { usage: { promptTokens: 60_000 } }));
    expect(judge(document, objectivePreset('chat')).verdict).toBe('good');
    expect(judge(document, objectiveOf('ttft<=500ms')).verdict).toBe('bad');
    const question = recordOf(answer(6_000, 10, 11, { usage: { promptTokens: 600 } }));
    expect(judge(question, objectivePreset('chat')).verdict).toBe('bad');
  });
});

describe('error budgets on attainment', () => {
  it('with 97 % over 30 days, 3 % of requests may miss', () => {
    const budget = errorBudget({ targetShare: 0.97, offered: 1_000_000, bad: 0 });
    expect(budget.budgetShare).toBe(0.03);
    expect(budget.allowedBad).toBe(30_000);
  });

  it('a total outage burns 33 times too fast and ends it in 21.6 hours', () => {
    const rate = burnRate({ targetShare: 0.97, offered: 500, bad: 500 })!;
    expect(rate).toBeCloseTo(33.33, 2);
    const untilNs = timeToExhaustionNs({ leftShare: 1, burnRate: rate, periodNs: THIRTY_DAYS_NS })!;
    expect(secondsFromNs(untilNs) / 3_600).toBeCloseTo(21.6, 6);
  });

  it('at a burn rate of 1 it lasts exactly 30 days', () => {
    const rate = burnRate({ targetShare: 0.97, offered: 10_000, bad: 300 })!;
    expect(
      timeToExhaustionNs({ leftShare: 1, burnRate: rate, periodNs: THIRTY_DAYS_NS }),
    ).toBeCloseTo(THIRTY_DAYS_NS, -3);
  });
});

describe('match the number to the use', () => {
  it('40 to 50 ms a token already outpaces a reader of a few words per second', () => {
    const chat = objectivePreset('chat').request.tpot!;
    expect(chat.limitNs).toBeLessThanOrEqual(nsFromMs(50));
    expect(objectivePreset('agent').request.tpot!.limitNs).toBeLessThan(chat.limitNs);
  });

  it('batch work cares only about completion time', () => {
    const { request } = objectivePreset('batch');
    expect([request.ttft, request.tpot, request.gapMaxNs]).toEqual([null, null, null]);
    expect(request.e2eNs).not.toBeNull();
  });
});
