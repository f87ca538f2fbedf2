/** What must hold of a summary, whatever the records. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nsFromSeconds } from '../../src/base/index.ts';
import {
  summarySchema,
  type Ledger,
  type PointSummary,
  type StratumSummary,
} from '../../src/summary/index.ts';
import { inFlightOver } from '../../src/summary/in-flight.ts';
import { terminalReport } from '../../src/report/index.ts';
import { anyRecords } from '../support/point-records-arbitrary.ts';
import { objectiveOf, pointOf, pointSummaryOf, summaryOf } from '../support/summary-builder.ts';

const objective = objectiveOf(
  'ttft<=500ms, tpot<=40ms, gap<=60ms, e2e<=3s, attainment>=95%, success>=99%, p95(ttft)<=1s, ' +
    'worst(tenant)>=90%',
);
/** With and without a declared warm-up. */
const span = fc.constantFrom(null, nsFromSeconds(3)).map((steadyFromNs) => ({
  objective,
  points: [pointOf({ stopNs: nsFromSeconds(10.001), steadyFromNs })],
}));

const COLUMNS = [
  'scheduled',
  'dropped',
  'refused',
  'failed',
  'cancelled',
  'timedOut',
  'completed',
] as const satisfies readonly (keyof Ledger)[];

function summed(strata: readonly StratumSummary[]): Record<string, number> {
  return Object.fromEntries(
    COLUMNS.map((column) => [
      column,
      strata.reduce((sum, stratum) => sum + stratum.ledger[column], 0),
    ]),
  );
}

function columnsOf(ledger: Ledger): Record<string, number> {
  return Object.fromEntries(COLUMNS.map((column) => [column, ledger[column]]));
}

function identityHolds({ scheduled, ...rest }: Record<string, number>): boolean {
  return scheduled === Object.values(rest).reduce((sum, count) => sum + count, 0);
}

describe('the ledger', () => {
  it('adds up in total and in every stratum, and no record is lost', () => {
    fc.assert(
      fc.property(anyRecords, span, (records, options) => {
        const point = pointSummaryOf(records, options);
        expect(point.ledger.scheduled + point.ledger.notReached).toBe(records.length);
        const all = [point, ...strataOf(point)];
        expect(all.every((part) => identityHolds(columnsOf(part.ledger)))).toBe(true);
      }),
    );
  });

  it('is the sum of its strata, whichever way they are cut', () => {
    fc.assert(
      fc.property(anyRecords, span, (records, options) => {
        const point = pointSummaryOf(records, options);
        const connections = point.phases.filter((phase) => / conne|not conn/.test(phase.name));
        const phases = point.phases.filter((phase) => !connections.includes(phase));
        expect(summed(connections)).toEqual(columnsOf(point.ledger));
        const steady = phases.find((phase) => phase.name === 'steady')?.ledger;
        if (phases.length > 0) expect(summed(phases)).toEqual(columnsOf(point.ledger));
        const warmUpOnly = phases.length > 0 && steady === undefined;
        const judged = warmUpOnly ? summed([]) : columnsOf(steady ?? point.ledger);
        expect(summed(point.promptBuckets)).toEqual(judged);
        expect(summed(point.outputBuckets)).toEqual(judged);
        expect(summed(point.groups)).toEqual(judged);
        const good = point.promptBuckets.reduce((sum, part) => sum + part.attainment.good, 0);
        expect(good).toBe(point.attainment.good);
        const n = point.promptBuckets.reduce((sum, part) => sum + part.ttftFromPlannedNs.n, 0);
        expect(n).toBe(point.ttftFromPlannedNs.n);
      }),
    );
  });
});

function strataOf(point: PointSummary): StratumSummary[] {
  return [...point.promptBuckets, ...point.outputBuckets, ...point.phases, ...point.groups];
}

describe('attainment', () => {
  it('has ordered bounds, an interval around its share, and a smaller admitted denominator', () => {
    fc.assert(
      fc.property(anyRecords, span, (records, options) => {
        const point = pointSummaryOf(records, options);
        for (const attainment of [point.attainment, point.attainmentAdmitted]) {
          const { share, unknownBounds, interval } = attainment;
          if (share === null || unknownBounds === null || interval === null) continue;
          expect(share).toBe(unknownBounds.low);
          expect(unknownBounds.high).toBeGreaterThanOrEqual(unknownBounds.low);
          expect(unknownBounds.high).toBeLessThanOrEqual(1);
          expect(interval.low).toBeLessThanOrEqual(share + 1e-12);
          expect(interval.high).toBeGreaterThanOrEqual(share - 1e-12);
        }
        expect(point.attainmentAdmitted.offered).toBeLessThanOrEqual(point.attainment.offered);
        const { good, bad, unjudged, excluded } = point.verdicts;
        expect(good + bad + unjudged).toBe(point.attainment.offered);
        expect(excluded).toBeLessThanOrEqual(point.ledger.refused);
      }),
    );
  });
});

describe('a summary', () => {
  it('does not depend on the order of the records', () => {
    fc.assert(
      fc.property(
        anyRecords.chain((records) =>
          fc.tuple(
            fc.constant(records),
            fc.shuffledSubarray(records, { minLength: records.length }),
          ),
        ),
        span,
        ([records, shuffled], options) => {
          expect(summaryOf(shuffled, options)).toEqual(summaryOf(records, options));
        },
      ),
    );
  });

  it('always fits its published schema and survives JSON', () => {
    fc.assert(
      fc.property(anyRecords, span, (records, options) => {
        const summary = summaryOf(records, options);
        const read: unknown = JSON.parse(JSON.stringify(summary));
        expect(summarySchema.parse(read)).toEqual(summary);
      }),
    );
  });

  it('always has a report of at most 20 lines of at most 100 columns', () => {
    fc.assert(
      fc.property(anyRecords, span, (records, options) => {
        const text = terminalReport(summaryOf(records, options), {
          width: 100,
          color: false,
          explain: false,
          files: ['summary.json'],
        });
        const lines = text.trimEnd().split('\n');
        expect(lines.length).toBeLessThanOrEqual(20);
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
      }),
    );
  });

  it('counts no token twice: windows that cover the run have all of them', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const points = [pointOf({ steadyFromNs: 0, stopNs: nsFromSeconds(60) })];
        const point = pointSummaryOf(records, { points });
        const wall = point.otherWindows.find((rates) => rates.window.kind === 'wall');
        const tokens = (point.rates.outputTokensPerSecond ?? 0) * 60;
        const { fromNs, toNs } = wall?.window ?? { fromNs: 0, toNs: 0 };
        expect(tokens).toBeCloseTo(((wall?.outputTokensPerSecond ?? 0) * (toNs - fromNs)) / 1e9, 6);
      }),
    );
  });
});

describe("Little's law", () => {
  const stay = fc
    .tuple(fc.nat(1_000), fc.nat(1_000))
    .map(([fromNs, length]) => ({ fromNs, toNs: fromNs + length }));

  it('holds of every path: ∫ in-flight = Σ of the stays inside the window', () => {
    fc.assert(
      fc.property(fc.array(stay), fc.nat(500), fc.nat(1_500), (stays, fromNs, length) => {
        const toNs = fromNs + length;
        const inside = stays.reduce(
          (sum, { fromNs: start, toNs: end }) =>
            sum + Math.max(0, Math.min(end, toNs) - Math.max(start, fromNs)),
          0,
        );
        expect(inFlightOver(stays, { fromNs, toNs }).integralNs).toBe(inside);
      }),
    );
  });

  it('L = λW over the wall window, where every stay lies inside', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const { stationaryGapShare } = pointSummaryOf(records).littlesLaw;
        expect(Math.abs(stationaryGapShare ?? 0)).toBeLessThan(1e-9);
      }),
    );
  });
});
