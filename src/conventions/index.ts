/**
 * `conventions`: records → the figures that another tool would have printed of them, each with the
 * bridge from goodput's own. Start with `convention.ts`; one file per tool says how it defines its
 * figures; `bridge.ts` makes the table. Pure: facts about those tools, none of their code.
 */
export * from './bridge.ts';
export {
  CONVENTION_NAMES,
  type Convention,
  type ConventionName,
  type ConventionSource,
} from './convention.ts';
export { CONVENTIONS, definitionsMarkdown } from './conventions.ts';
export type { Statistic } from './distribution.ts';
export { SampleBuilder, type Sample, type SampleOptions } from './sample.ts';
