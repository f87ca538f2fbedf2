/**
 * `config`: text the user wrote → typed specs, with every problem placed at file:line:column.
 * Start with `run-spec.ts` (the result) and `parse-run-spec.ts`. Pure: files are read elsewhere.
 */
export * from './run-spec.ts';
