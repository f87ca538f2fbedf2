/** Laws of the judge, on random records and objectives. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureRecord } from '../../src/record/index.ts';
import {
  attainmentOf,
  judge,
  judgeMeasured,
  objectiveText,
  parseObjective,
  requestWithoutLimits,
  tallyVerdicts,
  type BucketLimit,
  type Objective,
  type RequestObjective,
} from '../../src/slo/index.ts';
import { anyObjective, anyRecord } from '../support/objective-arbitrary.ts';
import { recordOf } from '../support/record-builder.ts';

const RANK = { bad: 0, unjudged: 1, good: 2, excluded: 3 } as const;

describe('the judge', () => {
  it('gives every record exactly one verdict, and a reason unless it is good', () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 20 }), anyObjective, (options, objective) => {
        const judgements = options.map((option) => judge(recordOf(option), objective));
        for (const { verdict, reason } of judgements) {
          expect(verdict === 'good').toBe(reason === null);
        }
        const { good, bad, unjudged, excluded } = tallyVerdicts(judgements);
        const notReached = judgements.filter((one) => one.outcome === 'notReached').length;
        expect(good + bad + unjudged + excluded).toBe(options.length - notReached);
      }),
    );
  });

  it('never calls unknown good', () => {
    fc.assert(
      fc.property(anyRecord, anyObjective, (options, objective) => {
        const { outcome, verdict, objectives } = judge(recordOf(options), objective);
        if (verdict !== 'good') return;
        expect(outcome).toBe('completed');
        for (const { state } of objectives) expect(['met', 'notApplicable']).toContain(state);
      }),
      { numRuns: 1_000 },
    );
  });

  it('makes nothing better by observing less', () => {
    fc.assert(
      fc.property(anyRecord, anyObjective, (options, objective) => {
        const seen = judge(recordOf(options), objective);
        const blind = judge(recordOf({ ...options, usage: null }), objective);
        if (seen.verdict !== 'good') expect(blind.verdict).not.toBe('good');
      }),
      { numRuns: 500 },
    );
  });

  it('never turns a verdict for the better when a limit is tightened', () => {
    fc.assert(
      fc.property(
        anyRecord,
        anyObjective,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 6, maxLength: 6 }),
        (options, objective, factors) => {
          const record = recordOf(options);
          const tight = { ...objective, request: tightened(objective.request, factors) };
          const [before, after] = [judge(record, objective), judge(record, tight)];
          expect(RANK[after.verdict]).toBeLessThanOrEqual(RANK[before.verdict]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('finds no more requests good together than each part alone does', () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 20 }), anyObjective, (options, objective) => {
        const good = (against: Objective): number =>
          attainmentOf(tallyVerdicts(options.map((one) => judge(recordOf(one), against)))).good;
        const joint = good(objective);
        for (const request of singleParts(objective.request)) {
          expect(joint).toBeLessThanOrEqual(good({ ...objective, request }));
        }
      }),
    );
  });

  it('says the same of measures made before', () => {
    fc.assert(
      fc.property(anyRecord, anyObjective, (options, objective) => {
        const record = recordOf(options);
        const measures = measureRecord(record, { counts: objective.request.counts });
        expect(judgeMeasured(record, measures, objective)).toEqual(judge(record, objective));
      }),
    );
  });
});

describe('an objective expression', () => {
  it('reads back as the objective it was written from', () => {
    fc.assert(
      fc.property(anyObjective, (objective) => {
        expect(parseObjective(objectiveText(objective))).toEqual({ objective });
      }),
      { numRuns: 500 },
    );
  });

  it('is an objective or problems with hints, whatever the text', () => {
    const shreds = fc.constantFrom(
      'ttft',
      'p99',
      '(',
      ')',
      '[',
      '4k-16k',
      ']',
      '<=',
      '>=',
      '=',
      ',',
      '95%',
      '1s',
      ' ',
      'gap',
      '|',
      'é',
      '\u0000',
    );
    fc.assert(
      fc.property(fc.array(shreds, { maxLength: 12 }), (words) => {
        const parsed = parseObjective(words.join(''));
        if ('problems' in parsed) expect(parsed.problems.length).toBeGreaterThan(0);
        else expect(parseObjective(objectiveText(parsed.objective))).toEqual(parsed);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** The objective's limits, each taken times its factor in [0, 1]. */
function tightened(request: RequestObjective, factors: readonly number[]): RequestObjective {
  const [ttft, tpot, gapMax, gapQuantile, e2e, output] = factors as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const tight = <T extends { readonly limitNs: number }>(limit: T, factor: number): T => ({
    ...limit,
    limitNs: limit.limitNs * factor,
  });
  const scaled = (limit: number | null, factor: number): number | null =>
    limit === null ? null : limit * factor;
  return {
    ...request,
    ttft: request.ttft?.map((limit): BucketLimit => tight(limit, ttft)) ?? null,
    firstAnswerNs: scaled(request.firstAnswerNs, ttft),
    tpot: request.tpot === null ? null : tight(request.tpot, tpot),
    gapMaxNs: scaled(request.gapMaxNs, gapMax),
    gapQuantile: request.gapQuantile === null ? null : tight(request.gapQuantile, gapQuantile),
    e2eNs: scaled(request.e2eNs, e2e),
    outputTokensMax: scaled(request.outputTokensMax, output),
  };
}

/** The request objective with one limit at a time. */
function singleParts(request: RequestObjective): RequestObjective[] {
  const { counts, from, correctness, ...limits } = request;
  const none = { ...requestWithoutLimits(), counts, from, correctness };
  return Object.entries(limits).map(([part, limit]) => ({ ...none, [part]: limit }));
}
