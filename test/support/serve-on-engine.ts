/** Drives an engine through a list of arrivals on a virtual clock, as the simulator will. */
import type { Engine } from '../../src/engine/index.ts';

export interface Arrival {
  readonly atNs: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
}

/** Instants of a request's tokens; empty when the engine turned it away. */
export type TokenInstants = readonly number[];

/** `arrivals` ascending in time. The result has one entry per arrival, in the same order. */
export function serveOnEngine(engine: Engine, arrivals: readonly Arrival[]): TokenInstants[] {
  const tokensNs: number[][] = arrivals.map(() => []);
  let nowNs = 0;
  let due = 0;
  for (;;) {
    for (; due < arrivals.length && (arrivals[due] as Arrival).atNs <= nowNs; due += 1) {
      const { promptTokens, outputTokens } = arrivals[due] as Arrival;
      engine.admit({ id: String(due), promptTokens, outputTokens });
    }
    const plan = engine.plan();
    if (plan === null) {
      const next = arrivals[due];
      if (next === undefined) return tokensNs;
      nowNs = next.atNs;
      continue;
    }
    nowNs += engine.stepDurationNs(plan);
    for (const { id } of engine.commit(plan)) (tokensNs[Number(id)] as number[]).push(nowNs);
  }
}
