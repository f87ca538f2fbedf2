/**
 * `duckdb`: SQL over log files in embedded DuckDB. `open-duckdb.ts` loads it when first asked for,
 * `parquet-log.ts` judges Parquet with it. What the SQL means is for `logs` to say.
 */
export * from './open-duckdb.ts';
export * from './parquet-log.ts';
