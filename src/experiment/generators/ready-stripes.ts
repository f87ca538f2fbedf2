/** A load dealt to generator processes, ready to start in all of them at one instant. */
import type { Clock } from '../../base/index.ts';
import { type Budget, sharesOf, stripesOf } from '../../loadgen/index.ts';
import type { GeneratedLoad, GeneratorLoad, LoadHooks } from '../generate-load.ts';
import type { GeneratorPool } from './generator-pool.ts';
import { runStriped } from './striped-run.ts';

/**
 * Hands every generator its stripe, has the connections opened and returns what sends the load. The
 * ceiling and what is left of the budget are split too: together they are never passed.
 *
 * Errors: EnvironmentError `E_GENERATOR_LOST` when a process dies before the load and nobody stopped it.
 */
export async function readyStripes(
  load: GeneratorLoad,
  options: {
    readonly pool: GeneratorPool;
    readonly count: number;
    readonly budget: Budget;
    readonly clock: Clock;
    readonly stopStarts: AbortSignal;
  },
): Promise<(startNs: number, hooks: LoadHooks) => Promise<GeneratedLoad>> {
  const { pool, count, budget, clock, stopStarts } = options;
  const { schedule, maxInFlight, connections, arrivalsRps } = load;
  const stripes = stripesOf(schedule, count);
  const ceilings = sharesOf(maxInFlight, count);
  const warm = sharesOf(connections, count);
  const spending = budget.shares(stripes.map(({ requests }) => requests));
  const loads = stripes.map((stripe, at): GeneratorLoad => ({
    ...load,
    schedule: stripe,
    maxInFlight: ceilings[at] as number,
    connections: warm[at] as number,
    arrivalsRps: arrivalsRps === null ? null : arrivalsRps / count,
  }));
  const generators = pool.take(count);
  await Promise.all(
    generators.map((generator, at) =>
      generator.ready(
        loads[at] as GeneratorLoad,
        spending[at] as (typeof spending)[number],
        stopStarts,
      ),
    ),
  );
  return (startNs, hooks) => runStriped(generators, { ...hooks, clock, schedule, loads, startNs });
}
