/**
 * `logs`: production logs → windows of attainment. `logged-request.ts` is what importers give,
 * `objective-sql.ts` the objective as SQL, `window-table.ts` the answer. Pure: files and databases
 * are elsewhere.
 */
export * from './counts-sql.ts';
export * from './judged-row.ts';
export * from './log-tally.ts';
export * from './log-views.ts';
export * from './logged-request.ts';
export { objectiveSql, quoted, type ObjectiveSql } from './objective-sql.ts';
export * from './record-of-logged.ts';
export * from './slice-counts.ts';
export * from './window-counts.ts';
export * from './window-spec.ts';
export * from './window-table.ts';
export {
  claimFault,
  IdentityCheck,
  type SourceFault,
  type SourceFinding,
} from './identity-check.ts';
export * from './log-mapping.ts';
export * from './logical-requests.ts';
export { movedRecord } from './moved-record.ts';
export { claimsSql, FINISH_WORDS, identifier, mappedSql } from './mapping-sql.ts';
export * from './iso-instant.ts';
export * from './targets.ts';
export * from './what-if.ts';
