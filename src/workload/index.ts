/**
 * `workload`: a spec and named seeds in, a schedule out. Start with `spec.ts`, then `schedule.ts`
 * and `plan-schedule.ts`; `prompt-text.ts` makes the prompts at send time. Pure: files are read
 * elsewhere and handed in as entries.
 */
export * from './arrivals.ts';
export * from './distributions.ts';
export * from './estimate-load.ts';
export * from './plan-schedule.ts';
export * from './prompt-text.ts';
export * from './retry-policy.ts';
export * from './schedule.ts';
export * from './seeds.ts';
export * from './session-spec.ts';
export * from './spec.ts';
export { LEAST_WORDS } from './seeded-text.ts';
export * from './trace-rows.ts';
export { WORDS as PROMPT_WORDS } from './words.ts';
