/**
 * `config`: text the user wrote → typed specs, with every problem placed at file:line:column.
 * Start with `run-spec.ts` (the result) and `parse-run-spec.ts`. Pure: files are read elsewhere.
 */
export * from './config-reference.ts';
export { faultReference } from './fault-reference.ts';
export { faultScriptJsonSchema, parseFaultScript } from './parse-fault-script.ts';
export { parseLogMapping } from './parse-log-mapping.ts';
export { correctnessOf, fittedObjective, type JudgedRun } from './fitted-objective.ts';
export * from './parse-run-spec.ts';
export * from './public-host.ts';
export { parseObjectiveFile, readObjective, type ConfigContext } from './read-objective.ts';
export * from './require-budget.ts';
export { NO_QUOTA, type QuotaSpec } from './quota-schema.ts';
export { RUN_FLAGS, type FlagForm, type RunFlag } from './run-flags.ts';
export * from './run-spec.ts';
export * from './run-spec-yaml.ts';
export type { Environment } from './substitute-env.ts';
export type { FlagValue, FlagValues } from './written-flags.ts';
export { SERVICE_KEYS, type ServiceKeys } from './service-schema.ts';
