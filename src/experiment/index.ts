/**
 * `experiment`: the only place where rooms meet as a process. Start with `run-experiment.ts`: plan,
 * preflight, load points, summary; `simulate-run.ts` is the same without a server. Touches the
 * world through the client, host and store rooms and through the ports it is given.
 */
export * from './assemble-comparison.ts';
export * from './await-target.ts';
export {
  type CapacityEvent,
  type CapacityPorts,
  type CapacityResult,
  type CapacitySearch,
  plannedSeconds,
  searchCapacity,
  storedCapacity,
} from './search-capacity.ts';
export * from './check-target.ts';
export { calibrationMisfits } from './client-transport.ts';
export * from './compare-stored.ts';
export * from './exit-code.ts';
export * from './load-points.ts';
export * from './measure-client.ts';
export * from './measure-pairs.ts';
export {
  paretoDraws,
  type ParetoPlan,
  type ParetoPorts,
  type ParetoSweep,
  type ParetoWindow,
  sweepPareto,
} from './pareto-sweep.ts';
export * from './plan-run.ts';
export * from './preflight.ts';
export * from './prompt-source.ts';
export * from './run-experiment.ts';
export type { LiveProgress } from './run-point.ts';
export { questionOf, systemFacts } from './run-question.ts';
export { specText } from './run-manifest.ts';
export {
  SIMULATED_URL,
  type SimulatedTarget,
  simulateRun,
  type SimulationPorts,
} from './simulate-run.ts';
export * from './simulate-many.ts';
export * from './simulate-point.ts';
export * from './summarise-run.ts';
export type { StoredSide } from './slice-run.ts';
export { stepTimeBand } from './step-time-band.ts';
export * from './watch-servers.ts';
export { measuredDriver, simulatedDriver, type WindowDriver } from './window-driver.ts';
export { type CircuitBreakers, DEFAULT_BREAKERS } from './window-watch.ts';
