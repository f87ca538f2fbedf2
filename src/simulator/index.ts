/**
 * `simulator`: serving without a server, on a clock of arithmetic. Read `goodput-sweep.ts` (the
 * mission document's program as a preset), `batch.ts` (what a step is), `step-run.ts` (many steps
 * as one sum) and `drive-batch.ts` (step by step, or from decision to decision).
 * `simulate-schedule.ts` serves the schedule of any load test, `serve-requests.ts` bare arrivals.
 * Behind the door (`simulated-service.ts`) stand replicas that an autoscaler may add and drain
 * (`scaled-backend.ts`), or prefill and decode replicas (`disaggregated-backend.ts`).
 */
export * from './batch.ts';
export * from './cpython-random.ts';
export * from './decode-gaps.ts';
export * from './drive-batch.ts';
export * from './goodput-sweep.ts';
export * from './request-block.ts';
export * from './step-run.ts';
export * from './sweep-capacity.ts';
export * from './sweep-table.ts';
export * from './sweep-tally.ts';
export * from './sweep-workload.ts';
export * from './serve-requests.ts';
export * from './router.ts';
export * from './simulate-schedule.ts';
export * from './simulated-service.ts';
export * from './serving-backend.ts';
export type { AutoscalingOptions, ScalingMetric } from './autoscaler.ts';
export type { DisaggregationOptions, KvTransferOptions } from './disaggregated-backend.ts';
export type { ScaleEvent, ScaleEventKind } from './replica-pool.ts';
export type { StepMethod } from './simulated-replica.ts';
export { STEP_ROWS_MAX, StepTimeline, type StepsListener } from './step-timeline.ts';
