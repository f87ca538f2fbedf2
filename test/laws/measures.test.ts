/** What holds of the measures of any record, and of its line. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkRecord,
  isCutLine,
  measureRecord,
  OUTPUT_KINDS,
  parseRecordLine,
  recordLine,
  type Measures,
  type OutputKind,
  type RequestRecord,
} from '../../src/record/index.ts';
import { anyRecord, sentRecord } from '../support/record-arbitrary.ts';

const counts = fc.subarray<OutputKind>([...OUTPUT_KINDS]);

/** Came after the format's first version, with what their absence says. */
const LATER_FIELDS: Partial<RequestRecord> = { nextTryNs: null };

/** Checks a property of the measures of any record under any choice of counted kinds. */
function always(
  records: fc.Arbitrary<RequestRecord>,
  holds: (measures: Measures, record: RequestRecord, kinds: readonly OutputKind[]) => void,
): void {
  fc.assert(
    fc.property(records, counts, (record, kinds) => {
      holds(measureRecord(record, { counts: kinds }), record, kinds);
    }),
  );
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

describe('measures', () => {
  test('TTFT plus the gaps is the last content', () => {
    always(sentRecord, (measures) => {
      if (measures.ttftFromDispatchNs === null) return;
      expect(measures.ttftFromDispatchNs + sum(measures.chunkGapsNs)).toBe(measures.lastContentNs);
    });
  });

  test('from planned = from dispatch + schedule lag, for every latency', () => {
    always(sentRecord, (measures) => {
      const lagNs = measures.scheduleLagNs ?? Number.NaN;
      for (const [planned, dispatched] of [
        [measures.ttftFromPlannedNs, measures.ttftFromDispatchNs],
        [measures.firstAnswerFromPlannedNs, measures.firstAnswerFromDispatchNs],
        [measures.completionFromPlannedNs, measures.completionNs],
      ] as const) {
        expect(planned).toBe(dispatched === null ? null : dispatched + lagNs);
      }
    });
  });

  test('nothing is negative, and zero gaps are counted as such', () => {
    always(
      anyRecord,
      ({ reasons: _reasons, alignment, tpotBasis, chunkGapsNs, itlNs, ...values }) => {
        expect([...chunkGapsNs, ...(itlNs ?? [])].every((gap) => gap >= 0)).toBe(true);
        expect(Object.values(values).every((value) => value === null || value >= 0)).toBe(true);
        expect(values.zeroGapCount).toBe(chunkGapsNs.filter((gap) => gap === 0).length);
        expect(tpotBasis === 'observed').toBe(alignment === 'aligned' && values.tpotNs !== null);
      },
    );
  });

  test('a measure is null exactly when there is a reason', () => {
    always(anyRecord, ({ reasons, ...measures }) => {
      const pairs: readonly (readonly [unknown, unknown])[] = [
        [measures.ttftFromPlannedNs, reasons.ttft],
        [measures.ttftFromDispatchNs, reasons.ttft],
        [measures.lastContentNs, reasons.ttft],
        [measures.firstAnswerFromPlannedNs, reasons.firstAnswer],
        [measures.scheduleLagNs, reasons.scheduleLag],
        [measures.completionNs, reasons.completion],
        [measures.completionFromPlannedNs, reasons.completion],
        [measures.chunkGapsNs[0] ?? null, reasons.chunkGaps],
        [measures.tpotNs, reasons.tpot],
        [measures.tpotBasis, reasons.tpot],
        [measures.itlNs, reasons.itl],
        [measures.outputPhaseTps, reasons.outputPhaseTps],
        [measures.requestTps, reasons.requestTps],
        [measures.outputTokens, reasons.outputTokens],
        [measures.countedTokens, reasons.countedTokens],
        [measures.promptTokens, reasons.promptTokens],
        [measures.cachedPromptTokens, reasons.cachedPromptTokens],
        [measures.queueDelayNs, reasons.queueDelay],
      ];
      for (const [value, reason] of pairs) expect(value === null).toBe(reason !== null);
    });
  });

  test('observed TPOT is the mean token gap', () => {
    always(sentRecord, ({ tpotNs, tpotBasis, itlNs }) => {
      if (tpotBasis !== 'observed' || tpotNs === null || itlNs === null) return;
      expect(tpotNs * itlNs.length).toBeCloseTo(sum(itlNs), 3);
    });
  });

  test('equal totals alone never make token gaps', () => {
    always(sentRecord, (_measures, record, kinds) => {
      const { timeline } = record;
      if (timeline === null) return;
      const tokens = timeline.output.tokens.map(() => null);
      const untold: RequestRecord = {
        ...record,
        oneTokenPerEvent: false,
        timeline: { ...timeline, output: { ...timeline.output, tokens } },
      };
      const measures = measureRecord(untold, { counts: kinds });
      expect(measures.alignment).toBe('notAligned');
      expect(measures.itlNs).toBeNull();
      expect(measures.tpotBasis).not.toBe('observed');
    });
  });

  test('moving a whole request in time moves no measure', () => {
    always(sentRecord, (measures, record, kinds) => {
      const { dispatch, timeline } = record;
      if (dispatch.kind !== 'sent' || timeline === null) return;
      const by = 12_345;
      const moved: RequestRecord = {
        ...record,
        dispatch: {
          ...dispatch,
          plannedNs: dispatch.plannedNs + by,
          dispatchedNs: dispatch.dispatchedNs + by,
        },
        timeline: {
          ...timeline,
          doneNs: timeline.doneNs === null ? null : timeline.doneNs + by,
          output: { ...timeline.output, atNs: timeline.output.atNs.map((at) => at + by) },
        },
      };
      expect(measureRecord(moved, { counts: kinds })).toEqual(measures);
    });
  });
});

describe('record lines', () => {
  test('what was written is read back, and is sound', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        expect(checkRecord(record)).toEqual([]);
        expect(parseRecordLine(recordLine(record), { file: 'f', line: 1 })).toEqual(record);
      }),
    );
  });

  test('a line cut anywhere is known to be cut', () => {
    fc.assert(
      fc.property(anyRecord, fc.nat(), (record, at) => {
        const line = recordLine(record);
        expect(isCutLine(line.slice(0, 1 + (at % (line.length - 1))))).toBe(true);
      }),
    );
  });

  test('a line with any field removed is refused, or read as an older writer meant it', () => {
    fc.assert(
      fc.property(anyRecord, fc.nat(), (record, at) => {
        const entries = Object.entries(record);
        const [[name] = ['']] = entries.splice(at % entries.length, 1);
        const read = parseRecordLine(JSON.stringify(Object.fromEntries(entries)), {
          file: 'f',
          line: 1,
        });
        if (Object.hasOwn(LATER_FIELDS, name)) {
          expect(read).toEqual({ ...record, ...LATER_FIELDS });
        } else expect(read).toHaveProperty('code', 'E_RECORD_FORMAT');
      }),
    );
  });
});
