/** Connections opened, counted by why. */
import type { ConnectionsInLoad, OpeningReason } from '../record/index.ts';

/** A connection is lost for one of these, and another may have to make up for it. */
export type LossReason = Exclude<OpeningReason, 'allBusy'>;

/** All openings of a client: those ahead of a load, and the others by reason. */
export interface ConnectionOpenings extends ConnectionsInLoad {
  readonly ahead: number;
}

export const NO_OPENINGS: ConnectionOpenings = {
  ahead: 0,
  allBusy: 0,
  serverClosed: 0,
  idleEnded: 0,
  givenUp: 0,
};

export function addOpenings(a: ConnectionOpenings, b: ConnectionOpenings): ConnectionOpenings {
  return {
    ahead: a.ahead + b.ahead,
    allBusy: a.allBusy + b.allBusy,
    serverClosed: a.serverClosed + b.serverClosed,
    idleEnded: a.idleEnded + b.idleEnded,
    givenUp: a.givenUp + b.givenUp,
  };
}

/**
 * An opening makes up for the loss that was not made up for yet, the oldest first; where there is
 * none, all that are open were busy.
 */
export class OpeningTally {
  readonly #counts: Record<keyof ConnectionOpenings, number> = { ...NO_OPENINGS };
  #losses: LossReason[] = [];

  get counts(): ConnectionOpenings {
    return { ...this.#counts };
  }

  lost(reason: LossReason): void {
    this.#losses.push(reason);
  }

  /** Connections are opened ahead: what was lost before is made up for. */
  beginAhead(): void {
    this.#losses = [];
  }

  /** What a connection calls each time it is open: after the first time, its server had closed it. */
  opener(isAhead: boolean): () => void {
    let reason: keyof ConnectionOpenings = isAhead ? 'ahead' : (this.#losses.shift() ?? 'allBusy');
    return () => {
      this.#counts[reason] += 1;
      reason = 'serverClosed';
    };
  }
}
