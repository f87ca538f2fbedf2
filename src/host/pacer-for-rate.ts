/** Which pacer wakes the generator, by how often it must: each has its place (bench/README.md). */
import { availableParallelism } from 'node:os';
import type { Clock } from '../base/index.ts';
import { precisePacer } from './precise-pacer.ts';
import { type StartedPacer, startThreadPacer } from './thread-pacer.ts';

/** Above this many starts a second, walking turn by turn would keep the loop from its reading. */
const PRECISE_RPS = 50;
/** Above this many, waking for each costs more than the millisecond that a timer may be late. */
const THREAD_RPS = 1_000;

/**
 * The precise pacer for few starts, the thread for more, the clock's own timer for very many, which
 * then fires all that is due, and where a thread would have no core to wake on.
 */
export async function pacerForRate(startsRps: number, clock: Clock): Promise<StartedPacer> {
  if (startsRps <= PRECISE_RPS) return { ...precisePacer(clock), stop: async () => {} };
  if (startsRps <= THREAD_RPS && availableParallelism() > 1) return startThreadPacer(clock);
  return { at: clock.at.bind(clock), stop: async () => {} };
}
