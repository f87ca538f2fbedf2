/** {@link LogCounts} as SQL over a table of {@link JUDGED_COLUMNS}. */
import type { Objective, ObjectiveName } from '../slo/index.ts';
import { latencyBinSql } from './latency-bin.ts';
import { objectiveSql, type ObjectiveSql } from './objective-sql.ts';
import { rowClasses } from './row-classes.ts';
import type { BinCount, SliceCounts } from './slice-counts.ts';
import { sliceUsOf } from './window-table.ts';
import type { StratumKey, WindowSpec } from './window-spec.ts';

/** A row of a result: columns by name. */
export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * The query whose rows {@link sliceCountsOf} reads. `table`: a name or a subquery.
 *
 * Rows are counted by {@link rowClasses} first, in one hash of small integers; what is found of
 * them is worked out on the few classes that there are.
 */
export function slicesSql(table: string, objective: Objective, by: WindowSpec): string {
  const sql = objectiveSql(objective);
  const strata = strataSql(by, sql);
  const classes = rowClasses(objective, by.keys.includes('bucket'));
  const texts = strata.filter(({ key }) => key !== 'bucket');
  const facts = [
    { name: 'ended', sql: sql.ended },
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
  const kept = ['slice', 'n', ...texts.map(({ name }) => name)];
  return `
    SELECT ${[`slice * ${sliceUsOf(by)} AS from_us`, ...strata.map(({ label }) => label)].join(', ')},
      ${total("verdict = 'good'")} AS good, ${total("verdict = 'bad'")} AS bad,
      ${total("verdict = 'unjudged'")} AS unjudged, ${total("verdict = 'excluded'")} AS excluded,
      ${total("ended = 'dropped'")} AS dropped,
      ${total("verdict = 'bad' AND ended <> 'completed'")} AS failed,
      ${total("verdict = 'bad' AND ended = 'completed' AND NOT correctness")} AS incorrect,
      ${total('ttft_met IS NOT NULL')} AS ttft_observed, ${total('ttft_met')} AS ttft_within,
      ${total(`${tpotMet} IS NOT NULL`)} AS tpot_observed, ${total(tpotMet)} AS tpot_within,
      ${total("ended = 'completed' AND correctness")} AS succeeded,
      ${[...missed, ...quantiles].join(', ')}
    FROM (
      SELECT *, ${sql.ttftMet} AS ttft_met,
        verdict = 'bad' AND ended NOT IN ('dropped', 'refused') AS missed
      FROM (SELECT *, ${sql.verdict} AS verdict FROM (
        SELECT ${[...kept, ...strata.filter(({ key }) => key === 'bucket').map(selected)].join(', ')},
          ${facts.map(selected).join(', ')}
        FROM (
          SELECT ${[...kept, ...classes.columns.map(selected)].join(', ')} FROM (
            SELECT ${sliceSql(sliceUsOf(by))} AS slice, count(*) AS n,
              ${[...texts, ...classes.codes].map(selected).join(', ')}
            FROM ${table} GROUP BY ALL
          )
        )
      )) WHERE verdict IS NOT NULL
    ) GROUP BY ALL`;
}

function selected({ name, sql }: { readonly name: string; readonly sql: string }): string {
  return `${sql} AS ${name}`;
}

function total(condition: string): string {
  return `COALESCE(sum(n) FILTER (${condition}), 0)`;
}

/** The query whose rows {@link binCountOf} reads: both measures in one scan. */
export function binsSql(table: string, objective: Objective, by: WindowSpec): string {
  const sql = objectiveSql(objective);
  const strata = strataSql(by, sql);
  const groups = ['slice', ...strata.map(({ name }) => name)].join(', ');
  return `
    SELECT measure, ${[`slice * ${by.windowUs ?? 0} AS from_us`, ...strata.map(({ label }) => label)].join(', ')}, bin, n
    FROM (
      SELECT ${groups}, COALESCE(ttft_bin, tpot_bin) AS bin, count(*) AS n,
        CASE GROUPING(tpot_bin) WHEN 1 THEN 'ttft' ELSE 'tpot' END AS measure
      FROM (
        SELECT ${[`${sliceSql(by.windowUs)} AS slice`, ...strata.map(selected)].join(', ')},
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
    failed: n('failed'),
    incorrect: n('incorrect'),
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

interface StratumSql {
  readonly key: StratumKey;
  /** The column that is grouped by. */
  readonly name: string;
  readonly sql: string;
  /** As the result has it: `value_0`, `value_1`, …. */
  readonly label: string;
}

function strataSql({ keys }: WindowSpec, sql: ObjectiveSql): StratumSql[] {
  return keys.map((key, at) => {
    const name = `key_${at}`;
    // The name of a key is one of a closed list, so it is a column.
    return key === 'bucket'
      ? { key, name, sql: sql.bucketCode, label: `${sql.bucketLabel(name)} AS value_${at}` }
      : { key, name, sql: key, label: `COALESCE(${name}, 'unknown') AS value_${at}` };
  });
}

function sliceSql(lengthUs: number | null): string {
  return lengthUs === null ? '0' : `start_us // ${lengthUs}`;
}
