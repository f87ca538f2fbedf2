/** What speaks against the servers' figures: failed looks, restarts, other servers, other traffic. */
import type { PointSummary, QuantileSummary } from '../summary/index.ts';
import type { ServerEndpoint, ServerPoint } from '../telemetry/index.ts';
import { countFigure } from './figures.ts';

/** The servers' count and the client's may differ by this share before it is said. */
const COUNT_TOLERANCE_SHARE = 0.1;

export function serverDoubts(server: ServerPoint, point: PointSummary): string[] {
  const engines = new Set(server.endpoints.flatMap(({ engine }) => engine ?? []));
  return [
    ...server.endpoints.flatMap(endpointDoubts),
    ...countDoubts(server, point),
    ...endDoubts(point),
    ...(engines.size > 1
      ? [
          `${[...engines].join(' and ')} are added up: if one stands before the other, requests are counted twice`,
        ]
      : []),
    ...(point.warmUp.basis === 'declared'
      ? ['the servers’ figures have the warm-up in them, the client’s latencies and tokens do not']
      : []),
  ];
}

/** Servers time what they finish; how the rest would have done, no histogram says. */
function endDoubts({ ledger }: PointSummary): string[] {
  const { refused, failed, cancelled, timedOut } = ledger;
  const unfinished = refused + failed + cancelled + timedOut;
  return unfinished === 0
    ? []
    : [
        `${countFigure(unfinished)} requests of this client did not complete: the servers’ figures ` +
          'hold their first tokens at most, and a bound counts those as within the TPOT limit',
      ];
}

function endpointDoubts(endpoint: ServerEndpoint): string[] {
  const { url, scrapes, failures, lastFailure, window, fallCount } = endpoint;
  const doubts: string[] = [];
  if (failures > 0) {
    doubts.push(
      `${countFigure(failures)} of ${countFigure(scrapes)} looks at ${url} failed (${lastFailure})` +
        (window === null ? ': it is in no figure' : ''),
    );
  }
  if (fallCount === 1) {
    doubts.push(
      `${url}: its counters went back once, taken for a restart; what came just before it is lost`,
    );
  } else if (fallCount > 1) {
    doubts.push(
      `${url}: its counters went back ${countFigure(fallCount)} times, as when one address shows ` +
        'a different server at each look; left out of every count: name each server’s own /metrics',
    );
  }
  return doubts;
}

function countDoubts(
  { counters }: ServerPoint,
  { ledger, outputTokens: outputs }: PointSummary,
): string[] {
  const { finishedRequests, outputTokens } = counters;
  // Engines without a count of requests have one of tokens.
  const [what, theirs, ours] =
    finishedRequests === undefined
      ? ['output tokens', outputTokens, tokensOf(outputs)]
      : ['completed requests', finishedRequests, ledger.completed];
  if (theirs === undefined || ours === 0) return [];
  const counts = `the servers count ${countFigure(theirs)} ${what} and this client ${countFigure(ours)}`;
  const share = theirs / ours;
  if (share < 1 - COUNT_TOLERANCE_SHARE) {
    return [
      `${counts}: some servers were not looked at; one address in front of several shows one of ` +
        'them, so name each server’s own /metrics',
    ];
  }
  return share > 1 + COUNT_TOLERANCE_SHARE
    ? [`${counts}: the servers had other traffic, which is in their figures`]
    : [];
}

/** Of the requests that told; 0 when none did. */
export function tokensOf({ mean, n }: QuantileSummary): number {
  return mean === null ? 0 : Math.round(mean * n);
}
