/**
 * `planner`: demand, measured capacity and prices in; replicas, cost and memory out. Start with
 * `capacity-search.ts` (which load to look at next) and `capacity-estimate.ts` (what the windows
 * say); `replicas.ts` turns a capacity into a fleet, `kv-cache.ts` is the memory side, and
 * `pareto-analysis.ts` says which ways of running a service none beats. Pure arithmetic on numbers
 * that someone measured or chose: it measures nothing and simulates nothing.
 */
export * from './capacity-estimate.ts';
export * from './capacity-schema.ts';
export * from './capacity-search.ts';
export * from './concurrency-ladder.ts';
export * from './effort.ts';
export * from './headroom.ts';
export * from './kv-cache.ts';
export * from './pareto-analysis.ts';
export * from './pareto.ts';
export * from './replicas.ts';
export * from './search-cost.ts';
export * from './search-window.ts';
