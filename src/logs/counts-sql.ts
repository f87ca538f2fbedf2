/** {@link LogCounts} as SQL over a table of {@link JUDGED_COLUMNS}. */
import type { Objective, ObjectiveName } from '../slo/index.ts';
import { latencyBinSql } from './latency-bin.ts';
import { objectiveSql } from './objective-sql.ts';
import type { BinCount, SliceCounts } from './slice-counts.ts';
import { sliceUsOf } from './window-table.ts';
import type { WindowSpec } from './window-spec.ts';

/** A row of a result: columns by name. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** The query whose rows {@link sliceCountsOf} reads. `table`: a name or a subquery. */
export function slicesSql(table: string, objective: Objective, by: WindowSpec): string {
  const sql = objectiveSql(objective);
  const values = by.keys.map((key, at) => `${stratumSql(key, sql.bucket)} AS value_${at}`);
  const missed = sql.parts.map(({ name }) => `count(*) FILTER (bad AND NOT ${name}) AS miss_${name}`);
  const parts = sql.parts.map((part) => `${part.sql} AS ${part.name}`);
  const within = sql.quantiles.map((met, at) => `${met} AS within_${at}`);
  const quantiles = sql.quantiles.flatMap((_, at) => [
    `count(within_${at}) AS seen_${at}`,
    `count(*) FILTER (within_${at}) AS below_${at}`,
  ]);
  const judged = [...parts, ...within, `${sql.verdict} AS verdict`];
  return `
    SELECT from_us, ${by.keys.map((_, at) => `value_${at}, `).join('')}
      count(*) FILTER (verdict = 'good') AS good, count(*) FILTER (bad) AS bad,
      count(*) FILTER (verdict = 'unjudged') AS unjudged,
      count(*) FILTER (verdict = 'excluded') AS excluded,
      count(*) FILTER (outcome = 'dropped') AS dropped,
      count(ttft_met) AS ttft_observed, count(*) FILTER (ttft_met) AS ttft_within,
      count(tpot_met) AS tpot_observed, count(*) FILTER (tpot_met) AS tpot_within,
      count(*) FILTER (outcome = 'completed' AND correctness) AS succeeded,
      ${[...missed, ...quantiles].join(', ')}
    FROM (
      SELECT *, verdict = 'bad' AS bad FROM (
        SELECT ${floorSql(sliceUsOf(by))} AS from_us, outcome,
          ${[...values, ...judged].join(', ')},
          ${sql.ttftMet} AS ttft_met, ${sql.tpotMet} AS tpot_met
        FROM ${table}
      ) WHERE verdict IS NOT NULL
    ) GROUP BY ALL`;
}

/** The query whose rows {@link binCountsOf} reads. */
export function binsSql(table: string, objective: Objective, by: WindowSpec): string {
  const sql = objectiveSql(objective);
  const values = by.keys.map((key, at) => `, ${stratumSql(key, sql.bucket)} AS value_${at}`).join('');
  const one = (measure: BinCount['measure'], ns: string): string => `
    SELECT '${measure}' AS measure, ${floorSql(by.windowUs)} AS from_us${values},
      ${latencyBinSql(ns)} AS bin, count(*) AS n
    FROM ${table} WHERE outcome = 'completed' AND (${ns}) IS NOT NULL GROUP BY ALL`;
  return `${one('ttft', sql.ttft)} UNION ALL ${one('tpot', sql.tpot)}`;
}

/** Reads a row of {@link slicesSql}. */
export function sliceCountsOf(row: SqlRow, keyCount: number): SliceCounts {
  const missed: Partial<Record<ObjectiveName, number>> = {};
  for (const [name, count] of Object.entries(row)) {
    if (name.startsWith('miss_') && Number(count) > 0) {
      missed[name.slice('miss_'.length) as ObjectiveName] = Number(count);
    }
  }
  const n = (name: string): number => Number(row[name]);
  return {
    fromUs: n('from_us'),
    values: valuesOf(row, keyCount),
    good: n('good'),
    bad: n('bad'),
    unjudged: n('unjudged'),
    excluded: n('excluded'),
    dropped: n('dropped'),
    missed,
    ttft: { observed: n('ttft_observed'), within: n('ttft_within') },
    tpot: { observed: n('tpot_observed'), within: n('tpot_within') },
    succeeded: n('succeeded'),
    quantiles: Object.keys(row)
      .filter((name) => name.startsWith('seen_'))
      .map((_, at) => ({ observed: n(`seen_${at}`), within: n(`below_${at}`) })),
  };
}

/** Reads a row of {@link binsSql}. */
export function binCountOf(row: SqlRow, keyCount: number): BinCount {
  return {
    fromUs: Number(row['from_us']),
    values: valuesOf(row, keyCount),
    measure: row['measure'] === 'ttft' ? 'ttft' : 'tpot',
    bin: Number(row['bin']),
    count: Number(row['n']),
  };
}

function valuesOf(row: SqlRow, keyCount: number): string[] {
  return Array.from({ length: keyCount }, (_, at) => String(row[`value_${at}`]));
}

/** The name of the stratum key is one of a closed list, so it is a column. */
function stratumSql(key: WindowSpec['keys'][number], bucket: string): string {
  return key === 'bucket' ? bucket : `COALESCE(${key}, 'unknown')`;
}

function floorSql(lengthUs: number | null): string {
  return lengthUs === null ? '0' : `(start_us // ${lengthUs}) * ${lengthUs}`;
}
