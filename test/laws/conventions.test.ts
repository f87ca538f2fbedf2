/** Bridges between any records' figures: they begin at the summary's figure and add up. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bridgeOf,
  CONVENTIONS,
  SampleBuilder,
  type Bridge,
  type Sample,
} from '../../src/conventions/index.ts';
import type { RequestRecord } from '../../src/record/index.ts';
import { plainObjective } from '../../src/slo/index.ts';
import { quantileOf, type QuantileSummary } from '../../src/summary/index.ts';
import { anyRecords } from '../support/point-records-arbitrary.ts';
import { objectiveOf, pointOf } from '../support/summary-builder.ts';

const MS = 1_000_000;

const anyStart = fc.constantFrom(null, 2_000 * MS);

function sampleOf(records: readonly RequestRecord[], steadyFromNs: number | null): Sample {
  const builder = new SampleBuilder({
    point: pointOf({ steadyFromNs, stopNs: 15_000 * MS }),
    objective: objectiveOf('ttft<=500ms, tpot<=40ms, e2e<=3s'),
    correctness: plainObjective(),
    exactOutput: false,
    prefixCache: 'unique',
    hasInstants: true,
  });
  for (const record of records) builder.add(record);
  return builder.finish();
}

function bridgesOf(sample: Sample): Bridge[] {
  return Object.values(CONVENTIONS).map((convention) => bridgeOf(convention, sample));
}

function ownOf({ summary }: Sample, against: string): QuantileSummary {
  switch (against) {
    case 'ttft':
      return summary.ttftFromPlannedNs;
    case 'tpot':
      return summary.tpotNs;
    case 'chunk gap':
      return summary.chunkGapNs;
    default:
      return summary.completionNs;
  }
}

describe('bridges of any records', () => {
  it("begin at the figure of goodput's own summary", () => {
    fc.assert(
      fc.property(anyRecords, anyStart, (records, steadyFromNs) => {
        const sample = sampleOf(records, steadyFromNs);
        for (const { rows } of bridgesOf(sample)) {
          for (const { statistic, against, goodput } of rows) {
            if (statistic === null) continue;
            const own = ownOf(sample, against);
            const value =
              statistic === 'mean'
                ? own.mean
                : (quantileOf(own, Number(statistic.slice(1)) / 100)?.value ?? null);
            if (value === null) expect(goodput).toBeNull();
            else expect(goodput).toBeCloseTo(value, 3);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('add up to the difference', () => {
    fc.assert(
      fc.property(anyRecords, anyStart, (records, steadyFromNs) => {
        const sample = sampleOf(records, steadyFromNs);
        for (const { rows } of bridgesOf(sample)) {
          for (const { steps, difference, tool, goodput, unit } of rows) {
            if (difference === null) continue;
            const sum = steps.reduce((total, { change }) => total + change, 0);
            const slack = (unit === 'ns' ? 2 : 1e-9) + 1e-6 * Math.abs(tool ?? 0);
            expect(Math.abs(sum - difference)).toBeLessThanOrEqual(slack);
            expect(Math.abs((tool ?? 0) - (goodput ?? 0) - difference)).toBeLessThanOrEqual(slack);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
