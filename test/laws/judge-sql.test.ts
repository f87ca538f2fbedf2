/** One meaning: the objective as SQL, in a real DuckDB, says of every record what the judge says. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countParquetLog, openDuckDb, type SqlDatabase } from '../../src/duckdb/index.ts';
import {
  judgedRowOf,
  LogTally,
  objectiveSql,
  windowCounts,
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
        async (options, objective) => {
          for (const sides of await bothSides(options.map(recordOf), objective)) {
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
        fc.array(fc.tuple(richRecord, fc.nat(100_000)), { minLength: 1, maxLength: 40 }),
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
      { numRuns: 25 },
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
});
