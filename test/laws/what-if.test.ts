/** A what-if is the judge's own answer: what a summary by the other objective would say. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { nsFromMs } from '../../src/base/index.ts';
import type { Objective } from '../../src/slo/index.ts';
import { parseObjective } from '../../src/slo/index.ts';
import { createPointAccumulator, WhatIf } from '../../src/summary/index.ts';
import { manifestOf } from '../support/manifest-builder.ts';
import { failedEnd, recordOf, type RecordOptions } from '../support/record-builder.ts';

function objectiveOf(text: string): Objective {
  const parsed = parseObjective(text);
  if ('problems' in parsed) throw new Error(parsed.problems[0]?.message);
  return parsed.objective;
}

const ms = (min: number, max: number) => fc.integer({ min, max });
const request: fc.Arbitrary<RecordOptions> = fc
  .record({ ttft: ms(1, 300), gaps: fc.array(ms(0, 60), { maxLength: 8 }), kind: ms(0, 9) })
  .map(({ ttft, gaps, kind }) => {
    if (kind === 0) return { dropped: 'ceiling' as const };
    if (kind === 1) return { end: failedEnd('httpStatus'), arrivalsNs: [] };
    let at = ttft;
    return { arrivalsNs: [ttft, ...gaps.map((gap) => (at += gap))] };
  });

const limits = fc.record({ ttft: ms(1, 300), tpot: ms(1, 60), gap: ms(1, 60), e2e: ms(1, 600) });

it('equals the summary of the same records, whatever was asked before', () => {
  fc.assert(
    fc.property(fc.array(request, { maxLength: 60 }), limits, limits, (requests, first, second) => {
      const [point] = manifestOf().points;
      const records = requests.map((options, index) => {
        const plannedNs = nsFromMs(100 * index);
        const arrivalsNs = options.arrivalsNs?.map((at) => plannedNs + nsFromMs(at));
        return recordOf({
          ...options,
          scheduleIndex: index,
          plannedNs,
          ...(arrivalsNs === undefined ? {} : { arrivalsNs }),
        });
      });
      const asked = [first, second].map(({ ttft, tpot, gap, e2e }) =>
        objectiveOf(`ttft<=${ttft}ms, tpot<=${tpot}ms, gap<=${gap}ms, e2e<=${e2e}ms`),
      );
      const whatIf = new WhatIf(point!, asked[0]!);
      for (const record of records) whatIf.add(record);
      whatIf.ask(asked[0]!);
      const { attainment, goodputRps, misses } = whatIf.ask(asked[1]!);

      const accumulator = createPointAccumulator({
        point: point!,
        objective: asked[1]!,
        exactOutput: false,
        prefixCache: 'unique',
      });
      for (const record of records) accumulator.add(record);
      const summary = accumulator.finish();
      expect(attainment).toEqual(summary.attainment);
      expect(goodputRps).toBe(summary.goodputRps);
      for (const { objective, missed, soleMiss } of misses) {
        expect(summary.misses.find((entry) => entry.objective === objective)).toMatchObject({
          missed,
          soleMiss,
        });
      }
    }),
    { numRuns: 100 },
  );
});
