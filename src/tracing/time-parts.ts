/**
 * Where the time of joined requests went: before the client sent, on the way, in the server's
 * queue, in prefill; and what of a missed TTFT limit each part is to blame for.
 *
 * The way is what is left of the client's TTFT after the server's own: network, TLS, gateway,
 * tokenization where the server counts from later, and the first write. Only durations are
 * subtracted, each taken on one clock, so the clocks need not agree.
 */
import { measureRecord, type Measures, type RequestRecord } from '../record/index.ts';
import { judgeMeasured, type Objective } from '../slo/index.ts';
import { quantile, sortedCopy } from '../stats/index.ts';
import type { JoinedRequest } from './join-spans.ts';
import type { ServerSpan } from './server-span.ts';

/**
 * Parts of TTFT counted from the planned start, in order of time:
 * - `late`: the client sent later than planned;
 * - `way`: client's TTFT − server's TTFT;
 * - `queue`, `prefill`: as the server tells them;
 * - `unnamed`: of the server's TTFT, in neither.
 */
export const TTFT_PARTS = ['late', 'way', 'queue', 'prefill', 'unnamed'] as const;
export type TtftPart = (typeof TTFT_PARTS)[number];

/** One figure over the joined requests in which it is known; nanoseconds. */
export interface PartFigures {
  readonly n: number;
  readonly meanNs: number;
  readonly p50Ns: number;
  readonly p95Ns: number;
  readonly maxNs: number;
}

export interface TtftBlame {
  /** Joined requests that missed the TTFT limit and whose TTFT was observed. */
  readonly missed: number;
  /** Of these, the server's own TTFT was over the limit already. */
  readonly serverAlone: number;
  /** Of these, how many would have met the limit had this part taken no time. */
  readonly metWithout: Readonly<Record<TtftPart, number>>;
}

export interface TimeParts {
  /** Requests that were sent. */
  readonly sent: number;
  readonly joined: number;
  /** `null` = in no joined request. */
  readonly clientTtft: PartFigures | null;
  readonly serverTtft: PartFigures | null;
  readonly parts: Readonly<Record<TtftPart, PartFigures | null>>;
  /** Client's TPOT − server's decode time per token after the first. */
  readonly tpotAdded: PartFigures | null;
  /** `null` = the objective has no TTFT limit. */
  readonly blame: TtftBlame | null;
  /**
   * Answers that something on the way held back: the server streamed them over time, and they came
   * in less than half of it, late by as much.
   */
  readonly heldBack: number;
  /** Joined requests whose server TTFT is longer than the client's: the two mean different things. */
  readonly contradictory: number;
}

type Figure = TtftPart | 'clientTtft' | 'serverTtft' | 'tpotAdded';

/** Builds {@link TimeParts} from one load point's records, in any order. */
export class TimePartsBuilder {
  readonly #objective: Objective;
  readonly #values: Record<Figure, number[]> = {
    late: [],
    way: [],
    queue: [],
    prefill: [],
    unnamed: [],
    clientTtft: [],
    serverTtft: [],
    tpotAdded: [],
  };
  readonly #metWithout: Record<TtftPart, number> = {
    late: 0,
    way: 0,
    queue: 0,
    prefill: 0,
    unnamed: 0,
  };
  #sent = 0;
  #joined = 0;
  #missed = 0;
  #serverAlone = 0;
  #heldBack = 0;
  #contradictory = 0;

  constructor(objective: Objective) {
    this.#objective = objective;
  }

  /** A record that was sent, with its span where there is one. */
  add(record: RequestRecord, span: ServerSpan | null): void {
    if (record.dispatch.kind !== 'sent') return;
    this.#sent += 1;
    if (span === null) return;
    this.#joined += 1;
    this.#addJoined({ record, span });
  }

  #addJoined({ record, span }: JoinedRequest): void {
    const measures = measureRecord(record, { counts: this.#objective.request.counts });
    const parts = partsOf(measures, span);
    for (const part of TTFT_PARTS) this.#push(part, parts[part]);
    this.#push('clientTtft', measures.ttftFromPlannedNs);
    this.#push('serverTtft', span.ttftNs);
    const serverTpot = tpotOf(span);
    this.#push(
      'tpotAdded',
      measures.tpotNs === null || serverTpot === null ? null : measures.tpotNs - serverTpot,
    );
    if (parts.way !== null && parts.way < 0) this.#contradictory += 1;
    if (isHeldBack(measures, span)) this.#heldBack += 1;
    this.#blame(record, measures, span, parts);
  }

  #blame(record: RequestRecord, measures: Measures, span: ServerSpan, parts: Parts): void {
    const ttft = judgeMeasured(record, measures, this.#objective).objectives.find(
      ({ objective }) => objective === 'ttft',
    );
    if (ttft?.state !== 'missed' || ttft.observed === null || ttft.limit === null) return;
    const { observed, limit } = ttft;
    this.#missed += 1;
    if (span.ttftNs !== null && span.ttftNs > limit) this.#serverAlone += 1;
    const fromPlanned = this.#objective.request.from === 'planned';
    for (const part of TTFT_PARTS) {
      if (part === 'late' && !fromPlanned) continue;
      const ns = parts[part];
      if (ns !== null && observed - ns <= limit) this.#metWithout[part] += 1;
    }
  }

  #push(name: Figure, ns: number | null): void {
    if (ns !== null) this.#values[name].push(ns);
  }

  finish(): TimeParts {
    const { late, way, queue, prefill, unnamed, clientTtft, serverTtft, tpotAdded } = this.#values;
    return {
      sent: this.#sent,
      joined: this.#joined,
      clientTtft: figuresOf(clientTtft),
      serverTtft: figuresOf(serverTtft),
      parts: {
        late: figuresOf(late),
        way: figuresOf(way),
        queue: figuresOf(queue),
        prefill: figuresOf(prefill),
        unnamed: figuresOf(unnamed),
      },
      tpotAdded: figuresOf(tpotAdded),
      blame:
        this.#objective.request.ttft === null
          ? null
          : {
              missed: this.#missed,
              serverAlone: this.#serverAlone,
              metWithout: { ...this.#metWithout },
            },
      heldBack: this.#heldBack,
      contradictory: this.#contradictory,
    };
  }
}

type Parts = Readonly<Record<TtftPart, number | null>>;

function partsOf(measures: Measures, span: ServerSpan): Parts {
  const { ttftFromDispatchNs, scheduleLagNs } = measures;
  const { ttftNs, queueNs, prefillNs } = span;
  return {
    late: scheduleLagNs,
    way: ttftFromDispatchNs === null || ttftNs === null ? null : ttftFromDispatchNs - ttftNs,
    queue: queueNs,
    prefill: prefillNs,
    unnamed:
      ttftNs === null || queueNs === null || prefillNs === null
        ? null
        : Math.max(0, ttftNs - queueNs - prefillNs),
  };
}

/** Decode time per token after the first; `null` where the span lacks it or has one token. */
function tpotOf({ decodeNs, outputTokens }: ServerSpan): number | null {
  return decodeNs === null || outputTokens === null || outputTokens < 2
    ? null
    : decodeNs / (outputTokens - 1);
}

/** Shorter than this an answer is no evidence: writes and reads of neighbours meet by chance. */
const DECODE_LEAST_NS = 20e6;

function isHeldBack(measures: Measures, { ttftNs, decodeNs }: ServerSpan): boolean {
  const { ttftFromDispatchNs, lastContentNs } = measures;
  if (ttftNs === null || decodeNs === null || decodeNs < DECODE_LEAST_NS) return false;
  if (ttftFromDispatchNs === null || lastContentNs === null) return false;
  const outputPhaseNs = lastContentNs - ttftFromDispatchNs;
  return outputPhaseNs < decodeNs / 2 && ttftFromDispatchNs - ttftNs > decodeNs / 2;
}

function figuresOf(values: readonly number[]): PartFigures | null {
  if (values.length === 0) return null;
  const sorted = sortedCopy(values);
  return {
    n: sorted.length,
    meanNs: sorted.reduce((sum, ns) => sum + ns, 0) / sorted.length,
    p50Ns: quantile(sorted, 0.5, 'nearestRank'),
    p95Ns: quantile(sorted, 0.95, 'nearestRank'),
    maxNs: sorted.at(-1) ?? 0,
  };
}
