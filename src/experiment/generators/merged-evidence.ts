/** What several generators tell of themselves, as one: the worst of each, and all apart. */
import type { ConnectionsInLoad, GeneratorEvidence, OpeningReason } from '../../record/index.ts';

export interface StripeEvidence {
  readonly requestCount: number;
  /** `null` where the process did not live to tell. */
  readonly evidence: GeneratorEvidence | null;
  /** How it died; `null` when it did not. */
  readonly lost: string | null;
}

/**
 * A stall of any process counts for all records, which do not say who stamped them: the strict view.
 */
export function mergedEvidence(stripes: readonly StripeEvidence[]): GeneratorEvidence {
  const told = stripes.flatMap(({ evidence }) => (evidence === null ? [] : [evidence]));
  const worst = (of: (evidence: GeneratorEvidence) => number): number =>
    told.reduce((most, evidence) => Math.max(most, of(evidence)), 0);
  return {
    loopUtilisationShare: worst(({ loopUtilisationShare }) => loopUtilisationShare),
    loopStallMaxNs: worst(({ loopStallMaxNs }) => loopStallMaxNs),
    // The machine stands still for all of them at once.
    hostStallCount: worst(({ hostStallCount }) => hostStallCount),
    hostStallMaxNs: worst(({ hostStallMaxNs }) => hostStallMaxNs),
    stalls: told.flatMap(({ stalls }) => stalls).toSorted((a, b) => a.toNs - b.toNs),
    unlistedStallMaxNs: worst(({ unlistedStallMaxNs }) => unlistedStallMaxNs),
    connectionCount: told.reduce((sum, { connectionCount }) => sum + connectionCount, 0),
    connectionsInLoad: mergedConnections(told),
    processes: stripes.map(({ requestCount, evidence, lost }) => ({
      requestCount,
      loopUtilisationShare: evidence?.loopUtilisationShare ?? null,
      loopStallMaxNs: evidence?.loopStallMaxNs ?? null,
      hostStallMaxNs: evidence?.hostStallMaxNs ?? null,
      connectionCount: evidence?.connectionCount ?? null,
      lost,
    })),
  };
}

function mergedConnections(told: readonly GeneratorEvidence[]): ConnectionsInLoad {
  const sum = (reason: OpeningReason): number =>
    told.reduce((all, { connectionsInLoad }) => all + (connectionsInLoad?.[reason] ?? 0), 0);
  return {
    allBusy: sum('allBusy'),
    serverClosed: sum('serverClosed'),
    idleEnded: sum('idleEnded'),
    givenUp: sum('givenUp'),
  };
}
