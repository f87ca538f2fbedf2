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
 * Counts the rows of `table` (a name or a subquery) in one scan: by slice and {@link rowClasses},
 * and twice by window and bin of latency. {@link slicesSql} and {@link binsSql} read the result,
 * which is small; what an objective finds is worked out on the few classes that there are.
 */
export function countedSql(table: string, objective: Objective, by: WindowSpec): string {
  const sql = objectiveSql(objective);
  const strata = strataSql(by, sql);
  const { codes } = rowClasses(objective, by.keys.includes('bucket'));
  const texts = strata.filter(({ key }) => key !== 'bucket');
  const names = (columns: readonly Column[]): string[] => columns.map(({ name }) => name);
  const bySlice = ['slice', ...names(texts), ...names(codes)];
  const byWindow = ['in_window', ...names(strata)];
  const columns = [
    { name: 'slice', sql: sliceSql(sliceUsOf(by)) },
    // Only latencies of completed requests are shown: no window is asked of the others.
    { name: 'in_window', sql: `CASE WHEN outcome = 'completed' THEN ${sliceSql(by.windowUs)} END` },
    ...strata,
    ...codes,
    { name: 'ttft_bin', sql: latencyBinSql(sql.ttftNs) },
    { name: 'tpot_bin', sql: latencyBinSql(sql.tpotNs) },
  ];
  return `
    SELECT GROUPING(slice, ttft_bin) AS counted_by, count(*) AS n,
      ${[...new Set([...bySlice, ...byWindow]), 'ttft_bin', 'tpot_bin'].join(', ')}
    FROM (SELECT ${columns.map(selected).join(', ')} FROM ${table}) GROUP BY GROUPING SETS (
      (${bySlice.join(', ')}), (${byWindow.join(', ')}, ttft_bin), (${byWindow.join(', ')}, tpot_bin)
    )`;
}

/** What a row of {@link countedSql} is counted by: `GROUPING` has a bit for what it is not. */
const BY_SLICE = 1;
const BY_TTFT = 2;

/** The query whose rows {@link sliceCountsOf} reads. `counted`: the result of {@link countedSql}. */
export function slicesSql(counted: string, objective: Objective, by: WindowSpec): string {
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
          SELECT ${[...kept, ...classes.columns.map(selected)].join(', ')}
          FROM ${counted} WHERE counted_by = ${BY_SLICE}
        )
      )) WHERE verdict IS NOT NULL
    ) GROUP BY ALL`;
}

interface Column {
  readonly name: string;
  readonly sql: string;
}

function selected({ name, sql }: Column): string {
  return `${sql} AS ${name}`;
}

function total(condition: string): string {
  return `COALESCE(sum(n) FILTER (${condition}), 0)`;
}

/** The query whose rows {@link binCountOf} reads. `counted`: the result of {@link countedSql}. */
export function binsSql(counted: string, objective: Objective, by: WindowSpec): string {
  const labels = strataSql(by, objectiveSql(objective)).map(({ label }) => label);
  return `
    SELECT CASE counted_by WHEN ${BY_TTFT} THEN 'ttft' ELSE 'tpot' END AS measure,
      ${[`in_window * ${by.windowUs ?? 0} AS from_us`, ...labels].join(', ')},
      COALESCE(ttft_bin, tpot_bin) AS bin, n
    FROM ${counted}
    WHERE counted_by <> ${BY_SLICE} AND in_window IS NOT NULL AND bin IS NOT NULL`;
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
