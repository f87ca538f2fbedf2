/** {@link LogCounts} as SQL over a table of {@link JUDGED_COLUMNS}. */
import type { Objective, ObjectiveName } from '../slo/index.ts';
import { latencyBinSql } from './latency-bin.ts';
import { objectiveSql, type ObjectiveSql } from './objective-sql.ts';
import type { BinCount, SliceCounts } from './slice-counts.ts';
import { sliceUsOf } from './window-table.ts';
import type { WindowSpec } from './window-spec.ts';

/** A row of a result: columns by name. */
export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * The query whose rows {@link sliceCountsOf} reads. `table`: a name or a subquery.
 *
 * What is found of a row is packed into one number, and equal rows are counted first: one hash of a
 * few integers a row instead of a dozen aggregates. All else is done on the few distinct numbers.
 */
export function slicesSql(table: string, objective: Objective, by: WindowSpec): string {
  const sql = objectiveSql(objective);
  const strata = strataSql(by, sql);
  const facts = [
    ...sql.parts,
    ...(sql.tpotMet === null ? [] : [{ name: 'tpot_met', sql: sql.tpotMet }]),
    ...sql.quantiles.map((met, at) => ({ name: `within_${at}`, sql: met })),
  ];
  const missed = sql.parts.map(({ name }) => `${total(`missed AND NOT ${name}`)} AS miss_${name}`);
  const quantiles = sql.quantiles.flatMap((_, at) => [
    `${total(`within_${at} IS NOT NULL`)} AS seen_${at}`,
    `${total(`within_${at}`)} AS below_${at}`,
  ]);
  const tpotMet = sql.tpotMet === null ? 'NULL' : 'tpot_met';
  return `
    SELECT ${[`slice * ${sliceUsOf(by)} AS from_us`, ...strata.labels].join(', ')},
      ${total("verdict = 'good'")} AS good, ${total("verdict = 'bad'")} AS bad,
      ${total("verdict = 'unjudged'")} AS unjudged, ${total("verdict = 'excluded'")} AS excluded,
      ${total("ended = 'dropped'")} AS dropped,
      ${total('ttft_met IS NOT NULL')} AS ttft_observed, ${total('ttft_met')} AS ttft_within,
      ${total(`${tpotMet} IS NOT NULL`)} AS tpot_observed, ${total(tpotMet)} AS tpot_within,
      ${total("ended = 'completed' AND correctness")} AS succeeded,
      ${[...missed, ...quantiles].join(', ')}
    FROM (
      SELECT *, ${sql.ttftMet} AS ttft_met,
        verdict = 'bad' AND ended NOT IN ('dropped', 'refused') AS missed
      FROM (SELECT *, ${sql.verdict} AS verdict FROM (
        SELECT *, ${unpackedSql(facts.map(({ name }) => name))} FROM (
          SELECT ${[`${sliceSql(sliceUsOf(by))} AS slice`, ...strata.keys].join(', ')},
            ${packedSql(
              facts.map((fact) => fact.sql),
              sql.ended,
            )} AS packed, count(*) AS n
          FROM ${table} GROUP BY ALL
        )
      )) WHERE verdict IS NOT NULL
    ) GROUP BY ALL`;
}

function total(condition: string): string {
  return `COALESCE(sum(n) FILTER (${condition}), 0)`;
}

/** Ends that are told apart once a request is judged; the rest are `other`. */
const ENDS = ['completed', 'dropped', 'refused', 'notReached', 'other'] as const;

/**
 * Facts of three values as digits to base 3 (0 false, 1 true, 2 unknown), above the end. Most
 * requests completed and met all, which is one number: only of the rest are the digits worked out.
 */
function packedSql(facts: readonly string[], ended: string): string {
  const digits = facts.map((fact, at) => `COALESCE(CAST((${fact}) AS BIGINT), 2) * ${3 ** at}`);
  const ends = ENDS.slice(0, -1).map((end, at) => `WHEN '${end}' THEN ${at}`);
  const end = `CASE ${ended} ${ends.join(' ')} ELSE ${ENDS.length - 1} END`;
  const allMet = facts.reduce((sum, _, at) => sum + 3 ** at, 0) * ENDS.length;
  const met = ["outcome = 'completed'", ...facts.map((fact) => `(${fact})`)].join(' AND ');
  return `CASE WHEN ${met} THEN ${allMet} ELSE (${digits.join(' + ')}) * ${ENDS.length} + ${end} END`;
}

/** The facts by their names, and `ended`, from `packed`. */
function unpackedSql(names: readonly string[]): string {
  const facts = names.map(
    (name, at) =>
      `CASE packed // ${ENDS.length * 3 ** at} % 3 WHEN 0 THEN FALSE WHEN 1 THEN TRUE END AS ${name}`,
  );
  const ends = ENDS.map((end, at) => `WHEN ${at} THEN '${end}'`);
  return [...facts, `CASE packed % ${ENDS.length} ${ends.join(' ')} END AS ended`].join(', ');
}

/** The query whose rows {@link binCountOf} reads: both measures in one scan. */
export function binsSql(table: string, objective: Objective, by: WindowSpec): string {
  const sql = objectiveSql(objective);
  const strata = strataSql(by, sql);
  const groups = ['slice', ...by.keys.map((_, at) => `key_${at}`)].join(', ');
  return `
    SELECT measure, ${[`slice * ${by.windowUs ?? 0} AS from_us`, ...strata.labels].join(', ')}, bin, n
    FROM (
      SELECT ${groups}, COALESCE(ttft_bin, tpot_bin) AS bin, count(*) AS n,
        CASE GROUPING(tpot_bin) WHEN 1 THEN 'ttft' ELSE 'tpot' END AS measure
      FROM (
        SELECT ${[`${sliceSql(by.windowUs)} AS slice`, ...strata.keys].join(', ')},
          ${latencyBinSql(sql.ttftNs)} AS ttft_bin, ${latencyBinSql(sql.tpotNs)} AS tpot_bin
        FROM ${table} WHERE outcome = 'completed'
      ) GROUP BY GROUPING SETS ((${groups}, ttft_bin), (${groups}, tpot_bin))
    ) WHERE bin IS NOT NULL`;
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

/** Stratum columns to group by, and what they are in the result: `value_0`, `value_1`, …. */
function strataSql(
  { keys }: WindowSpec,
  sql: ObjectiveSql,
): { readonly keys: readonly string[]; readonly labels: readonly string[] } {
  // The name of a key is one of a closed list, so it is a column.
  const columns = keys.map((key) => (key === 'bucket' ? sql.bucketCode : key));
  return {
    keys: columns.map((column, at) => `${column} AS key_${at}`),
    labels: keys.map((key, at) => {
      const label =
        key === 'bucket' ? sql.bucketLabel(`key_${at}`) : `COALESCE(key_${at}, 'unknown')`;
      return `${label} AS value_${at}`;
    }),
  };
}

function sliceSql(lengthUs: number | null): string {
  return lengthUs === null ? '0' : `start_us // ${lengthUs}`;
}
