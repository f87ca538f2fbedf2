/**
 * The document's server between two steps: who decodes, whose prompt is under way, how much
 * context is held. It says what the next steps are and for how long they stay the same; a driver
 * says when they end.
 */
import { assert } from '../base/index.ts';
import { FinishQueue } from './finish-queue.ts';
import type { FinishSink, RequestBlock, RequestSource } from './request-block.ts';
import type { StepRun } from './step-run.ts';

export interface BatchOptions {
  /** Tokens computed per step, decoded and prefilled together. ≥ 1. */
  readonly tokenBudget: number;
  /** Requests that decode, at most. ≥ 1. */
  readonly maxSequences: number;
  /**
   * Context tokens that an ending request takes away beyond what it brought. The document's
   * program takes one; 0 is correct.
   */
  readonly leakTokens: 0 | 1;
}

/** What the prompts do in a run: nothing, one long prompt in whole chunks, or some complete. */
export type RunKind = 'decode' | 'chunk' | 'complete';

export class Batch {
  /** The run planned last. Its fields change with the next plan. */
  readonly run: StepRun;
  kind: RunKind = 'decode';
  /** Steps for which the run goes on unless {@link watchSeconds} comes first. ≥ 1. */
  mostSteps = 1;
  /** An arrival that ends the run at the next boundary; infinite when none would change it. */
  watchSeconds = Number.POSITIVE_INFINITY;

  readonly #tokenBudget: number;
  readonly #maxSequences: number;
  readonly #leakTokens: number;
  readonly #source: RequestSource;
  readonly #sink: FinishSink;
  readonly #run = {
    startSeconds: 0,
    decodingRequests: 0,
    computedTokens: 0,
    contextTokens: 0,
    growthTokens: 0,
  };

  // The queue is what the source has not given yet: only its head is ever looked at.
  #block: RequestBlock | null;
  #head = 0;
  #headArrivalSeconds = 0;
  #headPrefilledTokens = 0;

  readonly #finishing: FinishQueue;
  #step = 0;
  #contextTokens = 0;
  // Requests that decode, or whose prompt completes in the planned step: one slot each.
  readonly #arrivalSeconds: Float64Array;
  readonly #firstSeconds: Float64Array;
  readonly #promptTokens: Int32Array;
  readonly #outputTokens: Int32Array;
  readonly #freeSlots: Int32Array;
  #freeCount: number;
  readonly #completing: Int32Array;
  #completingCount = 0;

  constructor(options: BatchOptions, source: RequestSource, sink: FinishSink) {
    const { tokenBudget, maxSequences } = options;
    assert(Number.isSafeInteger(tokenBudget) && tokenBudget >= 1, 'token budget of at least 1');
    assert(Number.isSafeInteger(maxSequences) && maxSequences >= 1, 'at least 1 sequence');
    this.#tokenBudget = tokenBudget;
    this.#maxSequences = maxSequences;
    this.#leakTokens = options.leakTokens;
    this.#source = source;
    this.#sink = sink;
    this.run = this.#run;
    this.#block = source();
    this.#findHead();
    this.#finishing = new FinishQueue(maxSequences);
    this.#arrivalSeconds = new Float64Array(maxSequences);
    this.#firstSeconds = new Float64Array(maxSequences);
    this.#promptTokens = new Int32Array(maxSequences);
    this.#outputTokens = new Int32Array(maxSequences);
    this.#freeSlots = Int32Array.from({ length: maxSequences }, (_, slot) => slot);
    this.#freeCount = maxSequences;
    this.#completing = new Int32Array(maxSequences);
  }

  /**
   * When the next step starts: now, or, with nothing to do, when the next request arrives.
   * Infinite when all is done.
   */
  nextStartSeconds(nowSeconds: number): number {
    return this.#finishing.size > 0 ? nowSeconds : Math.max(nowSeconds, this.#headArrivalSeconds);
  }

  /** Decides the next run. There must be something to do at `nowSeconds`. */
  plan(nowSeconds: number): void {
    const run = this.#run;
    const running = this.#finishing.size;
    const leftTokens = this.#tokenBudget - running;
    const hasRoom = leftTokens > 0 && running < this.#maxSequences;
    run.startSeconds = nowSeconds;
    run.decodingRequests = running;
    if (!hasRoom || this.#headArrivalSeconds > nowSeconds) {
      this.#planDecodes(running);
      // Without room an arrival only waits.
      this.watchSeconds = hasRoom ? this.#headArrivalSeconds : Number.POSITIVE_INFINITY;
      return;
    }
    this.watchSeconds = Number.POSITIVE_INFINITY;
    const missingTokens = this.#headPromptTokens() - this.#headPrefilledTokens;
    if (missingTokens > leftTokens) this.#planChunks(running, leftTokens, missingTokens);
    else this.#planCompletion(nowSeconds, leftTokens);
  }

  /** Does the first `steps` of the planned run, the last of which ends at `nowSeconds`. */
  advance(steps: number, nowSeconds: number): boolean {
    const run = this.#run;
    this.#step += steps;
    this.#contextTokens += run.decodingRequests * steps;
    if (this.kind === 'chunk') {
      this.#headPrefilledTokens += (run.computedTokens - run.decodingRequests) * steps;
    }
    let hasChanged = this.#completingCount > 0;
    while (this.#finishing.firstStep <= this.#step) {
      this.#finish(this.#finishing.pop(), nowSeconds);
      hasChanged = true;
    }
    for (let at = 0; at < this.#completingCount; at += 1) {
      const slot = this.#completing[at] as number;
      this.#firstSeconds[slot] = nowSeconds;
      this.#contextTokens += this.#promptTokens[slot] as number;
      this.#finishing.push(this.#step + (this.#outputTokens[slot] as number) - 1, slot);
    }
    this.#completingCount = 0;
    return hasChanged;
  }

  #planDecodes(running: number): void {
    const run = this.#run;
    this.kind = 'decode';
    run.computedTokens = running;
    run.contextTokens = this.#contextTokens + this.#headPrefilledTokens;
    run.growthTokens = running;
    this.mostSteps = this.#finishing.firstStep - this.#step;
  }

  /** Steps that spend all the budget left on the head's prompt and do not complete it. */
  #planChunks(running: number, leftTokens: number, missingTokens: number): void {
    const run = this.#run;
    this.kind = 'chunk';
    run.computedTokens = running + leftTokens;
    // The document counts this step's chunk as context of the prompt it belongs to.
    run.contextTokens = this.#contextTokens + this.#headPrefilledTokens + leftTokens;
    run.growthTokens = running + leftTokens;
    const wholeChunks = Math.ceil(missingTokens / leftTokens) - 1;
    this.mostSteps = Math.min(wholeChunks, this.#finishing.firstStep - this.#step);
  }

  /** One step that completes the head's prompt, and as many after it as budget and places allow. */
  #planCompletion(nowSeconds: number, budgetTokens: number): void {
    const run = this.#run;
    const places = this.#maxSequences - run.decodingRequests;
    let leftTokens = budgetTokens;
    while (
      leftTokens > 0 &&
      this.#completingCount < places &&
      this.#headArrivalSeconds <= nowSeconds
    ) {
      const missingTokens = this.#headPromptTokens() - this.#headPrefilledTokens;
      if (missingTokens > leftTokens) {
        this.#headPrefilledTokens += leftTokens;
        leftTokens = 0;
      } else {
        leftTokens -= missingTokens;
        this.#complete();
      }
    }
    this.kind = 'complete';
    this.mostSteps = 1;
    run.computedTokens = run.decodingRequests + budgetTokens - leftTokens;
    run.contextTokens = this.#contextTokens + this.#headPrefilledTokens;
    run.growthTokens = 0;
  }

  /** Moves the head, whose prompt is complete, into a slot. */
  #complete(): void {
    const block = this.#block as RequestBlock;
    const head = this.#head;
    const outputTokens = block.outputTokens[head] as number;
    assert(outputTokens >= 2, 'an answer of fewer than two tokens has no pace');
    this.#freeCount -= 1;
    const slot = this.#freeSlots[this.#freeCount] as number;
    this.#arrivalSeconds[slot] = block.arrivalSeconds[head] as number;
    this.#promptTokens[slot] = block.promptTokens[head] as number;
    this.#outputTokens[slot] = outputTokens;
    this.#completing[this.#completingCount] = slot;
    this.#completingCount += 1;
    this.#headPrefilledTokens = 0;
    this.#head += 1;
    this.#findHead();
  }

  #finish(slot: number, nowSeconds: number): void {
    const promptTokens = this.#promptTokens[slot] as number;
    const outputTokens = this.#outputTokens[slot] as number;
    this.#contextTokens -= promptTokens + outputTokens - 1 + this.#leakTokens;
    this.#freeSlots[this.#freeCount] = slot;
    this.#freeCount += 1;
    this.#sink.finished(
      this.#arrivalSeconds[slot] as number,
      promptTokens,
      outputTokens,
      this.#firstSeconds[slot] as number,
      nowSeconds,
    );
  }

  #headPromptTokens(): number {
    return (this.#block as RequestBlock).promptTokens[this.#head] as number;
  }

  #findHead(): void {
    if (this.#block !== null && this.#head === this.#block.count) {
      this.#block = this.#source();
      this.#head = 0;
    }
    this.#headArrivalSeconds =
      this.#block === null
        ? Number.POSITIVE_INFINITY
        : (this.#block.arrivalSeconds[this.#head] as number);
  }
}
