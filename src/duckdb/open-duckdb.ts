/** Embedded DuckDB, loaded when first asked for: an optional package with a native library. */
import type * as DuckDb from '@duckdb/node-api';
import { EnvironmentError } from '../base/index.ts';
import type { SqlRow } from '../logs/index.ts';

export interface SqlLimits {
  readonly threads: number | null;
  /** As DuckDB writes it: `1GiB`. What does not fit is spilled to `tempDir`. */
  readonly memoryLimit: string;
}

/** A database in memory. */
export interface SqlDatabase {
  /** Errors: `EnvironmentError` `E_SQL` with the database's own words. */
  readonly rows: (sql: string) => Promise<readonly SqlRow[]>;
  readonly close: () => void;
}

/** Errors: `EnvironmentError` `E_DUCKDB_MISSING` when the package is not installed. */
export async function openDuckDb({ threads, memoryLimit }: SqlLimits): Promise<SqlDatabase> {
  const { DuckDBInstance } = await load();
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: memoryLimit,
    preserve_insertion_order: 'false',
    ...(threads === null ? {} : { threads: String(threads) }),
  });
  const connection = await instance.connect();
  return {
    async rows(sql) {
      try {
        const result = await connection.runAndReadAll(sql);
        return result.getRowObjects();
      } catch (cause) {
        const message = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
        throw new EnvironmentError({ code: 'E_SQL', message: `DuckDB: ${message}` });
      }
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function load(): Promise<typeof DuckDb> {
  try {
    return await import('@duckdb/node-api');
  } catch (cause) {
    throw new EnvironmentError({
      code: 'E_DUCKDB_MISSING',
      message: 'Parquet needs DuckDB, which is not installed',
      hint: 'npm install @duckdb/node-api beside goodput, or export the log as NDJSON or CSV',
      cause,
    });
  }
}
