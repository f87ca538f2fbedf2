/**
 * `planner`: demand, measured capacity and prices in; replicas, cost and memory out. Start with
 * `replicas.ts`; `kv-cache.ts` is the memory side. Pure arithmetic on numbers that someone
 * measured or chose: it measures nothing and simulates nothing.
 */
export * from './kv-cache.ts';
export * from './replicas.ts';
