/** A stripe as its generator process has told of it so far. */
import { PlaceSet, type PointCounts, type PointOutcome } from '../../loadgen/index.ts';
import type { RequestRecord } from '../../record/index.ts';
import type { GeneratedLoad, GeneratorLoad } from '../generate-load.ts';
import type { StripeEvidence } from './merged-evidence.ts';
import type { StartNews } from './messages.ts';

export class Stripe {
  readonly #requestCount: number;
  /** By id of the try: started, and no record yet. */
  readonly #inFlight = new Map<string, StartNews>();
  /** Places whose try failed and is to be followed by another. */
  readonly #betweenTries = new Set<number>();
  readonly #told: PlaceSet;
  readonly #overSessions = new Set<string>();
  readonly #dropped = { ceiling: 0, late: 0, budget: 0, generatorLost: 0 };
  #tries = 0;
  #ended = 0;
  #notReached = 0;
  #hasEnded = false;
  #generated: GeneratedLoad | null = null;
  #lost: LostGenerator | null = null;

  /** Of a schedule with so many `places`. */
  constructor({ schedule }: GeneratorLoad, places: number) {
    this.#requestCount = schedule.requests.length;
    this.#told = new PlaceSet(places);
  }

  /** Whether its generator has ended the load, or died. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get outcome(): PointOutcome | null {
    return this.#generated?.outcome ?? null;
  }

  /** `null` when its generator did not die. */
  get lost(): LostGenerator | null {
    return this.#lost;
  }

  /** Whether the request of this place was started or recorded. */
  isTold(index: number): boolean {
    return this.#told.has(index);
  }

  /** Whether a turn of this session was told not to have completed. */
  isSessionOver(session: string): boolean {
    return this.#overSessions.has(session);
  }

  started(news: StartNews): void {
    this.#tries += 1;
    this.#told.add(news.index);
    this.#betweenTries.delete(news.index);
    this.#inFlight.set(news.requestId, news);
  }

  recorded({ labels, requestId, scheduleIndex, dispatch, end, nextTryNs }: RequestRecord): void {
    const { session } = labels;
    this.#told.add(scheduleIndex);
    this.#betweenTries.delete(scheduleIndex);
    this.#inFlight.delete(requestId);
    if (dispatch.kind === 'notReached') this.#notReached += 1;
    else if (dispatch.kind === 'dropped') this.#dropped[dispatch.reason] += 1;
    else if (nextTryNs === null) this.#ended += 1;
    else this.#betweenTries.add(scheduleIndex);
    // What its generator took with it says nothing of the session.
    if (session === null || nextTryNs !== null || this.#lost !== null) return;
    if (end?.kind !== 'completed') this.#overSessions.add(session);
  }

  /** `null` where the generator failed of itself. */
  end(generated: GeneratedLoad | null): void {
    this.#hasEnded = true;
    this.#generated = generated;
  }

  /** Returns what was in flight. What waited for another try has had its last. */
  lose(how: string, atNs: number): StartNews[] {
    const inFlight = [...this.#inFlight.values()];
    this.#hasEnded = true;
    this.#lost = { how, atNs, inFlightCount: inFlight.length };
    this.#ended += this.#betweenTries.size;
    this.#betweenTries.clear();
    return inFlight;
  }

  counts(): PointCounts {
    if (this.#generated !== null) return this.#generated.outcome.counts;
    const dropped = { ...this.#dropped };
    const inFlight = this.#inFlight.size;
    const betweenTries = this.#betweenTries.size;
    const droppedCount = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    const gone = this.#ended + droppedCount + this.#notReached;
    return {
      scheduled: this.#requestCount,
      waiting: this.#requestCount - inFlight - betweenTries - gone,
      inFlight,
      betweenTries,
      ended: this.#ended,
      dropped,
      notReached: this.#notReached,
      tries: this.#tries,
    };
  }

  evidence(): StripeEvidence {
    return {
      requestCount: this.#requestCount,
      evidence: this.#generated?.evidence ?? null,
      lost: this.#lost?.how ?? null,
    };
  }
}

interface LostGenerator {
  /** In words: `was ended by SIGKILL`. */
  readonly how: string;
  readonly atNs: number;
  readonly inFlightCount: number;
}

/** The counts of several stripes together. */
export function summedCounts(parts: readonly PointCounts[]): PointCounts {
  const sum = (of: (counts: PointCounts) => number): number =>
    parts.reduce((total, counts) => total + of(counts), 0);
  return {
    scheduled: sum(({ scheduled }) => scheduled),
    waiting: sum(({ waiting }) => waiting),
    inFlight: sum(({ inFlight }) => inFlight),
    betweenTries: sum(({ betweenTries }) => betweenTries),
    ended: sum(({ ended }) => ended),
    dropped: {
      ceiling: sum(({ dropped }) => dropped.ceiling),
      late: sum(({ dropped }) => dropped.late),
      budget: sum(({ dropped }) => dropped.budget),
      generatorLost: sum(({ dropped }) => dropped.generatorLost),
    },
    notReached: sum(({ notReached }) => notReached),
    tries: sum(({ tries }) => tries),
  };
}
