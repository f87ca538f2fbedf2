/** What the servers say of a load point beside what the client saw, as rows and sentences. */
import { NS_PER_SECOND } from '../base/index.ts';
import type { Objective } from '../slo/index.ts';
import { type PointSummary, type QuantileSummary, quantileOf } from '../summary/index.ts';
import {
  type Bounds,
  type HistogramCounts,
  histogramMean,
  jointBounds,
  quantileBounds,
  type ServerHistogram,
  type ServerPoint,
} from '../telemetry/index.ts';
import { countFigure, durationFigure, levelFigure, shareFigure, shareRange } from './figures.ts';
import { serverDoubts, tokensOf } from './server-doubts.ts';

export interface ServerView {
  /** Measure, servers, client, client − servers; the first row is the head. */
  readonly rows: readonly (readonly [string, string, string, string])[];
  /** How to read the rows, and what speaks against them. */
  readonly notes: readonly string[];
}

type Row = ServerView['rows'][number];

/** `null` when the run did not look at the servers during this point. */
export function serverView(
  servers: readonly ServerPoint[],
  point: PointSummary,
  objective: Objective | null,
): ServerView | null {
  const server = servers.find(({ pointIndex }) => pointIndex === point.index);
  if (server === undefined) return null;
  const rows = [
    ...countRows(server, point),
    ...latencyRows(server, point),
    ...levelRows(server, point),
    ...draftRows(server, point),
  ];
  return {
    rows: [['', 'servers', 'client', 'client − servers'], ...rows],
    notes: [
      ...jointNotes(server, objective),
      ...serverDoubts(server, point),
      ...windowNotes(server),
    ],
  };
}

function countRows({ counters }: ServerPoint, point: PointSummary): Row[] {
  const row = (name: string, theirs: number | undefined, ours: number | null): Row[] =>
    theirs === undefined
      ? []
      : [[name, countFigure(theirs), ours === null ? '' : countFigure(ours), '']];
  return [
    ...row('requests finished', counters.finishedRequests, point.ledger.completed),
    ...row('prompt tokens', counters.promptTokens, tokensOf(point.promptTokens)),
    ...row('output tokens', counters.outputTokens, tokensOf(point.outputTokens)),
    ...row('preemptions', counters.preemptions, null),
  ];
}

function latencyRows({ histograms }: ServerPoint, point: PointSummary): Row[] {
  const means: readonly (readonly [string, ServerHistogram, QuantileSummary | null])[] = [
    ['TTFT mean', 'ttft', point.ttftFromDispatchNs],
    ['queue mean', 'queue', point.queueDelayNs],
    ['prefill mean', 'prefill', null],
    ['decode mean', 'decode', null],
    ['TPOT mean', 'tpot', point.tpotNs],
    ['token gap mean', 'tokenGap', point.itlNs],
    ['done mean', 'e2e', point.completionNs],
  ];
  const [ttftMean, ...rest] = means.map(([name, measure, client]) =>
    meanRow(name, histograms[measure], client),
  );
  return [
    ...(ttftMean ?? []),
    ...[0.5, 0.95].flatMap((q) => quantileRow(q, histograms.ttft, point.ttftFromDispatchNs)),
    ...rest.flat(),
  ];
}

function meanRow(
  name: string,
  counts: HistogramCounts | undefined,
  client: QuantileSummary | null,
): Row[] {
  const seconds = counts === undefined ? null : histogramMean(counts);
  if (seconds === null) return [];
  const serverNs = seconds * NS_PER_SECOND;
  const clientNs = client?.mean ?? null;
  const difference = clientNs === null ? '' : durationFigure(clientNs - serverNs);
  return [[name, durationFigure(serverNs), durationFigure(clientNs), difference]];
}

/** A bucket has no more to say than its edges, so neither has the difference. */
function quantileRow(
  q: number,
  counts: HistogramCounts | undefined,
  client: QuantileSummary,
): Row[] {
  const bounds = counts === undefined ? null : quantileBounds(counts, q);
  if (bounds === null) return [];
  const [low, high] = [bounds.low * NS_PER_SECOND, bounds.high * NS_PER_SECOND];
  const clientNs = quantileOf(client, q)?.value ?? null;
  const difference =
    clientNs === null
      ? ''
      : high === Number.POSITIVE_INFINITY
        ? `below ${durationFigure(clientNs - low)}`
        : `${durationFigure(clientNs - high)} to ${durationFigure(clientNs - low)}`;
  return [
    [
      `TTFT p${100 * q}`,
      high === Number.POSITIVE_INFINITY
        ? `over ${durationFigure(low)}`
        : `${durationFigure(low)} to ${durationFigure(high)}`,
      durationFigure(clientNs),
      difference,
    ],
  ];
}

function levelRows({ gauges, counters }: ServerPoint, point: PointSummary): Row[] {
  const { running, waiting, kvUsedShare, cachedShare } = gauges;
  const inFlight = `${levelFigure(point.inFlightMean)}, p99 ${levelFigure(point.inFlightP99)}`;
  const { cacheQueryTokens = 0, cachedTokens } = counters;
  const cached =
    cachedTokens !== undefined && cacheQueryTokens > 0
      ? cachedTokens / cacheQueryTokens
      : cachedShare?.mean;
  const level = (name: string, gauge: typeof running, client: string): Row[] =>
    gauge === undefined
      ? []
      : [[name, `${levelFigure(gauge.mean)}, max ${levelFigure(gauge.max)}`, client, '']];
  return [
    ...level('running', running, `${inFlight} in flight`),
    ...level('waiting', waiting, ''),
    ...(kvUsedShare === undefined
      ? []
      : [
          [
            'KV memory used',
            `${shareFigure(kvUsedShare.mean)}, max ${shareFigure(kvUsedShare.max)}`,
            '',
            '',
          ] as const,
        ]),
    ...(cached === undefined
      ? []
      : [
          [
            'prompt tokens cached',
            shareFigure(cached),
            shareFigure(point.cachedTokenShare),
            '',
          ] as const,
        ]),
  ];
}

/** Speculative decoding: counted over the load where counters are, else the engine's own means. */
function draftRows({ counters, gauges }: ServerPoint, point: PointSummary): Row[] {
  const { drafts = 0, draftTokens = 0, acceptedDraftTokens } = counters;
  const { draftAcceptedShare, tokensPerDraft } = gauges;
  const isCounted = acceptedDraftTokens !== undefined && draftTokens > 0;
  const accepted = isCounted ? acceptedDraftTokens / draftTokens : draftAcceptedShare?.mean;
  // The model adds a token of its own to those it took.
  const each =
    isCounted && drafts > 0 ? 1 + acceptedDraftTokens / drafts : (tokensPerDraft?.mean ?? null);
  return [
    ...(accepted === undefined
      ? []
      : [
          [
            'draft tokens accepted',
            shareFigure(accepted),
            shareFigure(point.draft?.acceptedShare ?? null),
            '',
          ] as const,
        ]),
    ...(each === null ? [] : [['tokens a draft step', levelFigure(each), '', ''] as const]),
  ];
}

/** What the servers' two separate histograms leave of the joint attainment. */
function jointNotes({ histograms }: ServerPoint, objective: Objective | null): string[] {
  const { ttft: limits = null, tpot: tpotLimit = null } = objective?.request ?? {};
  if (limits === null || tpotLimit === null) return [];
  const { ttft, tpot } = histograms;
  if (ttft === undefined) return [];
  if (tpot === undefined) {
    return ['joint attainment: not even bounds, because these servers give no TPOT per request'];
  }
  const seconds = limits.map(({ limitNs }) => limitNs / NS_PER_SECOND);
  const bounds: Bounds | null = jointBounds(ttft, tpot, {
    ttftSeconds: { low: Math.min(...seconds), high: Math.max(...seconds) },
    tpotSeconds: tpotLimit.limitNs / NS_PER_SECOND,
  });
  if (bounds === null) return [];
  return [
    `TTFT and TPOT both within their limits: ${shareRange(bounds.low, bounds.high)} of the ` +
      `${countFigure(ttft.count)} requests with a first token, all that the servers’ separate ` +
      'histograms can say, on their clock; the attainment above is counted request by request',
  ];
}

function windowNotes({ endpoints, gauges, caveats }: ServerPoint): string[] {
  const windows = endpoints.flatMap(({ window }) => window ?? []);
  const looks = Math.max(0, ...Object.values(gauges).map((gauge) => gauge.looks));
  const notes = [...caveats];
  if (windows.length > 0) {
    const fromNs = Math.min(...windows.map((window) => window.fromNs));
    const toNs = Math.max(...windows.map((window) => window.toNs));
    notes.push(
      `servers: counters from ${durationFigure(fromNs)} to ${durationFigure(toNs)} of the run, ` +
        'around the whole load and its drain; levels are of ' +
        `${countFigure(looks)} looks during it; ` +
        endpoints.map(({ url, engine }) => `${engine ?? 'unknown engine'} at ${url}`).join(', '),
      'client − servers: network, gateway and client for TTFT means over the same requests; of ' +
        'quantiles the difference of two quantiles, not of one request',
    );
  }
  return notes;
}
