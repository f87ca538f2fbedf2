/** One meaning: the objective as SQL, in a real DuckDB, says of every record what the judge says. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countParquetLog, openDuckDb, type SqlDatabase } from '../../src/duckdb/index.ts';
import {
  judgedRowOf,
  LogTally,
  objectiveSql,
  windowCounts,
  type JudgedRow,
  type LogCounts,
  type WindowSpec,
} from '../../src/logs/index.ts';
import type { RequestRecord } from '../../src/record/index.ts';
import { judge, parseObjective, windowCountsFault, type Objective } from '../../src/slo/index.ts';
import { anyObjective, anyRecord } from '../support/objective-arbitrary.ts';
import { failedEnd, recordOf, type RecordOptions } from '../support/record-builder.ts';
import { sqlTable } from '../support/sql-rows.ts';

const MS = 1_000_000;
let database: SqlDatabase;

beforeAll(async () => {
  database = await openDuckDb({ threads: 2, memoryLimit: '500MB' });
});
afterAll(() => database.close());

/** What SQL says of each record, beside what the judge says. */
async function bothSides(records: readonly RequestRecord[], objective: Objective) {
  const sql = objectiveSql(objective);
  const table = sqlTable(records.map((record) => judgedRowOf(record, objective, 0)));
  const parts = sql.parts.map(({ name, sql: part }) => `${part} AS ${name}`).join(', ');
  const rows = await database.rows(
    `SELECT *, ${sql.verdict} AS verdict FROM (SELECT row, ${sql.ended} AS ended,
       ${sql.bucketLabel(sql.bucketCode)} AS bucket, ${parts} FROM ${table}) ORDER BY row`,
  );
  return records.map((record, index) => {
    const judgement = judge(record, objective);
    const row = rows[index] ?? {};
    const states = Object.fromEntries(
      judgement.objectives.map(({ objective: name, state }) => [
        name,
        state === 'unknown' ? null : state !== 'missed',
      ]),
    );
    const notReached = judgement.outcome === 'notReached';
    return {
      sql: {
        verdict: row['verdict'],
        outcome: row['ended'],
        bucket: row['bucket'],
        ...Object.fromEntries(Object.keys(states).map((name) => [name, row[name]])),
      },
      judge: {
        verdict: notReached ? null : judgement.verdict,
        outcome: judgement.outcome,
        bucket: judgement.promptBucket,
        ...states,
      },
    };
  });
}

const CHECKS = [{ kind: 'json', name: "it's json" }] as const;

/** With labels, checks, refusals with several sorts of evidence, and imported logs. */
const richRecord: fc.Arbitrary<RecordOptions> = fc
  .record({
    base: anyRecord,
    source: fc.constantFrom('measured', 'imported'),
    tenant: fc.constantFrom('a', "b'; DROP TABLE x; --", null),
    passed: fc.constantFrom(true, false, null),
    code: fc.constantFrom(null, 'context_length_exceeded', 'rate_limit', 'x'),
    refused: fc.integer({ min: 0, max: 5 }),
    planned: fc.constantFrom(null, 500, 5_000, 80_000),
  })
  .map(({ base, source, tenant, passed, code, refused, planned }) => ({
    ...base,
    source,
    labels: { tenant },
    promptTokensPlanned: planned,
    checks: passed === null ? [] : [{ name: "it's json", passed }],
    ...(refused === 0 && !('dropped' in base) && !('notReached' in base)
      ? {
          end: failedEnd('httpStatus', { httpStatus: 400, code, evidence: ['contextLength'] }),
          httpStatus: 400,
        }
      : {}),
  }));

const richObjective: fc.Arbitrary<Objective> = fc
  .record({ base: anyObjective, checks: fc.constantFrom([], [...CHECKS]) })
  .map(({ base, checks }) => ({
    ...base,
    // A log does not tell answers from thinking: such limits are refused before.
    request: {
      ...base.request,
      firstAnswerNs: null,
      correctness: { ...base.request.correctness, checks },
    },
    population: {
      ...base.population,
      quantiles: base.population.quantiles.filter(({ measure }) => measure !== 'firstAnswer'),
    },
  }));

/** Which of the values that occur a limit is put on, and how far beside it. */
const places = fc.array(fc.record({ at: fc.nat(1_000), beside: fc.constantFrom(0, 0, 0, -1, 1) }), {
  minLength: 1,
  maxLength: 12,
});
type Place = typeof places extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

/**
 * The objective with its limits on values that the records have, or 1 beside them: drawn apart, the
 * two would hardly ever meet, and `<` would pass for `<=`.
 */
function limitsOnValues(
  objective: Objective,
  records: readonly RequestRecord[],
  chosen: readonly Place[],
): Objective {
  const rows = records.map((record) => judgedRowOf(record, objective, 0));
  const { from, ttft, tpot, gapMaxNs, gapQuantile, e2eNs, outputTokensMax } = objective.request;
  let turn = 0;
  const onValue = (column: keyof JudgedRow, limit: number): number => {
    const values = rows.map((row) => row[column]).filter((value) => Number.isInteger(value));
    const { at, beside } = chosen[turn % chosen.length] as Place;
    turn += 1;
    return values.length === 0 ? limit : Math.max(1, Number(values[at % values.length]) + beside);
  };
  const columnOf = (measure: string): keyof JudgedRow =>
    measure === 'ttft' ? `ttft_${from}_ns` : measure === 'e2e' ? `e2e_${from}_ns` : 'tpot_ns';
  const moved = <Limit extends { readonly limitNs: number }>(
    column: keyof JudgedRow,
    limit: Limit,
  ): Limit => ({ ...limit, limitNs: onValue(column, limit.limitNs) });
  return {
    ...objective,
    request: {
      ...objective.request,
      ttft: ttft?.map((limit) => moved(columnOf('ttft'), limit)) ?? null,
      tpot: tpot === null ? null : moved('tpot_ns', tpot),
      gapMaxNs: gapMaxNs === null ? null : onValue('gap_max_ns', gapMaxNs),
      gapQuantile: gapQuantile === null ? null : moved('gap_quantile_ns', gapQuantile),
      e2eNs: e2eNs === null ? null : onValue(columnOf('e2e'), e2eNs),
      outputTokensMax: outputTokensMax === null ? null : onValue('output_tokens', outputTokensMax),
    },
    population: {
      ...objective.population,
      quantiles: objective.population.quantiles.map((target) =>
        moved(columnOf(target.measure), target),
      ),
    },
  };
}

function objectiveOf(text: string): Objective {
  const parsed = parseObjective(text);
  if ('problems' in parsed) throw new Error(parsed.problems[0]?.message);
  return parsed.objective;
}

/** Counts in one order, with what has no counterpart in the other form left out. */
function comparable({ slices, bins }: LogCounts) {
  const order = (value: object): string => JSON.stringify(value);
  return {
    slices: slices
      .map((slice) => ({ ...slice, missed: new Map(Object.entries(slice.missed)) }))
      .toSorted((a, b) => order([a.fromUs, a.values]).localeCompare(order([b.fromUs, b.values]))),
    bins: bins
      .map(({ fromUs, values, measure, count }) => ({ fromUs, values, measure, count }))
      .reduce<Record<string, number>>((sum, one) => {
        const key = order([one.fromUs, one.values, one.measure]);
        return { ...sum, [key]: (sum[key] ?? 0) + one.count };
      }, {}),
  };
}

describe('the objective as SQL', () => {
  it('says of any record what the judge says, part by part', async () => {
    const verdicts = new Set<unknown>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(richRecord, { minLength: 1, maxLength: 25 }),
        richObjective,
        places,
        async (options, apart, chosen) => {
          const records = options.map(recordOf);
          const objective = limitsOnValues(apart, records, chosen);
          for (const sides of await bothSides(records, objective)) {
            expect(sides.sql).toEqual(sides.judge);
            verdicts.add(sides.judge.verdict);
          }
        },
      ),
      { numRuns: 80 },
    );
    expect(verdicts).toEqual(new Set(['bad', 'excluded', 'good', 'unjudged', null]));
  });

  it('counts the same windows, strata, misses and quantile targets', async () => {
    const windowUs = 20_000;
    const by: WindowSpec = { windowUs, keys: ['bucket', 'tenant'] };
    const causes = { failed: 0, incorrect: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(richRecord, fc.nat(100_000)), {
          minLength: 1,
          maxLength: 40,
          size: 'max',
        }),
        richObjective,
        async (entries, objective) => {
          const tally = new LogTally(objective, by);
          const unsplit = new LogTally(objective, { windowUs, keys: [] });
          const rows = entries.map(([options, atUs]) => {
            const record = recordOf(options);
            tally.add(record, atUs);
            unsplit.add(record, atUs);
            return { ...judgedRowOf(record, objective, 0), start_us: atUs };
          });
          const counts = await countParquetLog(database, { table: sqlTable(rows) }, objective, by);
          expect(comparable(counts)).toEqual(comparable(tally.counts()));
          const windows = windowCounts(counts, windowUs);
          expect(windows).toEqual(windowCounts(unsplit.counts(), windowUs));
          for (const window of windows) {
            expect(windowCountsFault(window)).toBeNull();
            causes.failed += window.failed ?? 0;
            causes.incorrect += window.incorrect ?? 0;
          }
        },
      ),
      // A run takes long enough that shrinking would end in the time limit and hide what differs.
      { numRuns: 25, endOnFailure: true },
    );
    expect(Math.min(causes.failed, causes.incorrect)).toBeGreaterThan(0);
  }, 90_000);

  it('takes limits as inclusive, and the strictest where the length is not known', async () => {
    const objective = objectiveOf('ttft[0-4k]<=500ms, ttft[4k+]<=100ms');
    const at = (ttftMs: number, promptTokens: number | null): RequestRecord =>
      recordOf({
        arrivalsNs: [ttftMs * MS],
        plannedNs: 0,
        usage: { promptTokens, completionTokens: 1 },
      });
    const sides = await bothSides(
      [at(500, 3_999), at(500.000_001, 3_999), at(500, 4_000), at(100, null), at(101, null)],
      objective,
    );
    expect(sides.map(({ sql }) => sql.verdict)).toEqual(['good', 'bad', 'bad', 'good', 'bad']);
    for (const { sql, judge: said } of sides) expect(sql).toEqual(said);
  });

  it('tells apart as many checks as an objective has', async () => {
    const base = objectiveOf('ttft<=500ms, attainment>=95%');
    const names = Array.from({ length: 20 }, (_, at) => `check ${at}`);
    const checks = names.map((name) => ({ kind: 'json', name }) as const);
    const correctness = { ...base.request.correctness, checks };
    const objective = { ...base, request: { ...base.request, correctness } };
    const by: WindowSpec = { windowUs: null, keys: [] };
    const tally = new LogTally(objective, by);
    const rows = [...names, null].map((failed) => {
      const record = recordOf({
        arrivalsNs: [100 * MS],
        plannedNs: 0,
        checks: names.map((name) => ({ name, passed: name !== failed })),
      });
      tally.add(record, 0);
      return { ...judgedRowOf(record, objective, 0), start_us: 0 };
    });
    const counts = await countParquetLog(database, { table: sqlTable(rows) }, objective, by);
    expect(comparable(counts)).toEqual(comparable(tally.counts()));
    expect(counts.slices.map(({ good, bad }) => [good, bad])).toEqual([[1, 20]]);
  });

  it.each(['ttft<=100ms', 'tpot<=40ms', 'e2e<=140ms', 'gap<=40ms'])(
    'counts a request on the limit as within %s',
    async (limit) => {
      const objective = objectiveOf(`${limit}, attainment>=95%`);
      const by: WindowSpec = { windowUs: null, keys: [] };
      const tally = new LogTally(objective, by);
      const rows = [-1, 0, 1].map((besideNs) => {
        // The first output moves with TTFT only; the second, 40 ms on, with all the others.
        const firstNs = 100 * MS + (limit.startsWith('ttft') ? besideNs : 0);
        const secondNs = 140 * MS + besideNs;
        const record = recordOf({
          arrivalsNs: [firstNs, secondNs],
          doneNs: secondNs,
          plannedNs: 0,
          usage: { promptTokens: 10, completionTokens: 2 },
        });
        tally.add(record, 0);
        return { ...judgedRowOf(record, objective, 0), start_us: 0 };
      });
      const counts = await countParquetLog(database, { table: sqlTable(rows) }, objective, by);
      expect(comparable(counts)).toEqual(comparable(tally.counts()));
      expect(counts.slices.map(({ good, bad }) => [good, bad])).toEqual([[2, 1]]);
    },
  );
});
