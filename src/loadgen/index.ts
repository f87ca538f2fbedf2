/**
 * `loadgen`: sends a schedule through the send port and accounts for every request in it. Start
 * with `run-schedule.ts`; `releases.ts` says what is due when. Waits only through the clock and
 * pacer it is given, so the same code runs in real and in virtual time.
 */
export * from './alarms.ts';
export * from './budget.ts';
export * from './flight-count.ts';
export * from './lost-stripe.ts';
export * from './pacer.ts';
export * from './place-set.ts';
export * from './point.ts';
export type { RecordTemplate, StartedRequest } from './point-records.ts';
export * from './run-schedule.ts';
export { stripesMax, stripesOf, sharesOf } from './stripes.ts';
