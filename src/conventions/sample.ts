/** The requests of one load point, as a bridge is made of them. */
import { createPointAccumulator, type PointSummary, type Window } from '../summary/index.ts';
import type { ManifestPoint, RequestRecord } from '../record/index.ts';
import type { Objective } from '../slo/index.ts';
import { seenRequest, type SeenRequest } from './seen-request.ts';

/** Memory: every output gap of every request is kept, because percentiles of gaps need them all. */
export interface Sample {
  /** Every request that was sent, in the order of planned instants. */
  readonly sent: readonly SeenRequest[];
  /** goodput's own summary of the same records. */
  readonly summary: PointSummary;
  /** `null`: no limits are asked. */
  readonly objective: Objective | null;
  /** Whether the records tell when requests were sent; some logs do not. */
  readonly hasInstants: boolean;
}

export interface SampleOptions {
  readonly point: ManifestPoint;
  /** What is asked of a request; `null` = nothing but a correct answer, as `correctness` says. */
  readonly objective: Objective | null;
  readonly correctness: Objective;
  readonly exactOutput: boolean;
  readonly prefixCache: string;
  readonly hasInstants: boolean;
}

/** Takes the records of one point in any order. */
export class SampleBuilder {
  readonly #options: SampleOptions;
  readonly #judgedBy: Objective;
  readonly #accumulator: ReturnType<typeof createPointAccumulator>;
  readonly #sent: SeenRequest[] = [];

  constructor(options: SampleOptions) {
    this.#options = options;
    this.#judgedBy = options.objective ?? options.correctness;
    this.#accumulator = createPointAccumulator({ ...options, objective: this.#judgedBy });
  }

  add(record: RequestRecord): void {
    this.#accumulator.add(record);
    const seen = seenRequest(record, this.#judgedBy);
    if (seen !== null) this.#sent.push(seen);
  }

  finish(): Sample {
    const { objective, hasInstants } = this.#options;
    return {
      sent: this.#sent.toSorted((a, b) => a.plannedNs - b.plannedNs || a.sentNs - b.sentNs),
      summary: this.#accumulator.finish(),
      objective,
      hasInstants,
    };
  }
}

/** Whether the request belongs to goodput's judged window: not to a warm-up. */
export function isInJudgedWindow(request: SeenRequest, { summary }: Sample): boolean {
  return summary.warmUp.untilNs === null || request.plannedNs >= summary.warmUp.untilNs;
}

/** The window of goodput's own rates. */
export function ownWindow({ summary }: Sample): Window {
  return summary.rates.window;
}
