/** Judged rows as a table that SQL can select from. */
import { JUDGED_COLUMNS, quoted, type JudgedRow } from '../../src/logs/index.ts';

/** `(SELECT …)` with the row's number as `row`. */
export function sqlTable(rows: readonly JudgedRow[]): string {
  const columns = Object.entries(JUDGED_COLUMNS);
  const values = rows.map((row, index) => {
    const cells = columns.map(([name]) => literal(row[name as keyof JudgedRow]));
    return `(${[index, ...cells].join(', ')})`;
  });
  const names = columns.map(([name]) => name);
  const cast = columns.map(([name, type]) => `CAST(${name} AS ${type}) AS ${name}`);
  return `(SELECT row, ${cast.join(', ')} FROM (VALUES ${values.join(', ')}) t(row, ${names.join(', ')}))`;
}

function literal(value: JudgedRow[keyof JudgedRow]): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return quoted(value);
  // A double in full, so that a limit that lies on a value is met on both sides.
  return typeof value === 'number' && !Number.isInteger(value)
    ? `CAST('${value}' AS DOUBLE)`
    : String(value);
}
