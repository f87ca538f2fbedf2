import { assert, nsFromSeconds } from '../base/index.ts';
import type {
  Admission,
  Engine,
  EngineRequest,
  EngineState,
  EngineTotals,
  StepPlan,
  TokenEvent,
} from './engine.ts';
import { assertCount, assertOptions, type EngineOptions } from './engine-options.ts';
import { createKvMemory, type KvMemory } from './kv-memory.ts';
import { knownTokens, serviceOrder, type Sequence } from './sequence.ts';
import { describeStep } from './step-plan.ts';
import { WaitingLine } from './waiting-line.ts';

/**
 * A continuous-batching engine with chunked prefill, after the scheduler of vLLM v1. Every step has
 * a token budget. The requests in the batch take from it first, in the order they entered: one token
 * each while decoding, as much of their prompt as is left otherwise. Then waiting requests enter as
 * long as there are budget, places and memory. When a request in the batch finds no memory, the last
 * in the order of service is preempted: it loses what it computed and waits again.
 */
export function createEngine(options: EngineOptions): Engine {
  return new BatchingEngine(options);
}

/** One for all: most requests never lose a block. */
const NO_LOST_BLOCKS: Sequence['lostBlocks'] = [];

class BatchingEngine implements Engine {
  readonly #options: EngineOptions;
  readonly #memory: KvMemory | null;
  readonly #held = new Map<string, Sequence>();
  readonly #waiting = new WaitingLine();
  /** The batch, in the order of entry. */
  readonly #running: Sequence[] = [];
  /** Requests with a place and blocks, and whether the driver knows. */
  readonly #receiving = new Set<Sequence>();
  #newReceivers: string[] = [];
  /** Requests with all their tokens whose blocks are kept. */
  readonly #handing = new Set<Sequence>();
  /** So many of the batch, the first ones, have a share in the step being planned or under way. */
  #sharing = 0;
  #underWay: StepPlan | null = null;
  /** Whether the next plan knows of more requests than the one under way did. */
  #hasNewcomers = false;
  #step = 0;
  #admitted = 0;
  #totals = {
    preemptions: 0,
    recomputedTokens: 0,
    restoredTokens: 0,
    prefixQueryTokens: 0,
    prefixHitTokens: 0,
  };

  constructor(options: EngineOptions) {
    assertOptions(options);
    this.#options = options;
    this.#memory = options.memory === null ? null : createKvMemory(options.memory);
  }

  admit(request: EngineRequest): Admission {
    const { id, promptTokens, outputTokens, priority = 0 } = request;
    assertCount(promptTokens, 'promptTokens');
    assertCount(outputTokens, 'outputTokens');
    assert(Number.isSafeInteger(priority), `priority ${priority} is not a whole number`);
    const { limits, memory, policy } = this.#options;
    assert(priority === 0 || policy === 'priority', 'priorities need the policy `priority`');
    assert(!this.#held.has(id), `request ${id} is already here`);
    this.#assertReceivable(request);
    const { maxModelTokens, maxWaiting } = limits;
    const tooLong = maxModelTokens !== null && promptTokens + outputTokens > maxModelTokens;
    // The last token of an answer is never computed.
    const mostHeldTokens = promptTokens + outputTokens - 1;
    if (tooLong || (memory !== null && mostHeldTokens > memory.blocks * memory.blockTokens)) {
      return { kind: 'rejected', reason: 'contextLength' };
    }
    if (maxWaiting !== null && this.#waiting.size >= maxWaiting) {
      return { kind: 'rejected', reason: 'queueFull' };
    }
    const sequence: Sequence = {
      request,
      priority,
      arrival: this.#admitted,
      place: 'waiting',
      shareTokens: 0,
      computedTokens: 0,
      generatedTokens: 0,
      lostTokens: 0,
      roomTokens: memory === null ? Number.POSITIVE_INFINITY : 0,
      blocks: [],
      filedBlocks: 0,
      lostBlocks: NO_LOST_BLOCKS,
    };
    this.#admitted += 1;
    this.#held.set(id, sequence);
    if (this.#options.plansAhead === true) this.#waiting.announce(sequence);
    else this.#waiting.join(sequence);
    return { kind: 'admitted' };
  }

  cancel(id: string): boolean {
    const sequence = this.#held.get(id);
    if (sequence === undefined) return false;
    this.#held.delete(id);
    if (sequence.place === 'waiting') this.#waiting.leave(sequence);
    else this.#memory?.release(sequence);
    if (sequence.place === 'batch') this.#leaveBatch(this.#running.indexOf(sequence));
    this.#receiving.delete(sequence);
    this.#handing.delete(sequence);
    return true;
  }

  plan(): StepPlan | null {
    if (this.#underWay !== null) return this.#underWay;
    if (this.#running.length + this.#waiting.size === 0) return null;
    // An engine with an empty batch has no step during which it could have planned.
    if (this.#running.length === 0) this.#waiting.letNewcomersIn();
    const preempted: string[] = [];
    let entered: number;
    do {
      const preemptedBefore = preempted.length;
      const leftTokens = this.#shareBudget(preempted);
      entered = this.#running.length;
      if (preempted.length === preemptedBefore) {
        this.#letIn(leftTokens);
        if (this.#sharing === 0) {
          const waitsForOthers = this.#receiving.size + this.#handing.size > 0;
          assert(waitsForOthers, 'the engine holds requests and computes nothing');
          return null;
        }
      }
      // When those who gave way left nothing to compute, the next step begins at once.
    } while (this.#sharing === 0);
    this.#hasNewcomers = this.#waiting.letNewcomersIn();
    const [step, batch, sharing] = [this.#step, this.#running, this.#sharing];
    this.#underWay = describeStep({ step, batch, sharing, entered, preempted });
    return this.#underWay;
  }

  takeReceivers(): readonly string[] {
    const ids = this.#newReceivers;
    this.#newReceivers = [];
    return ids;
  }

  received(id: string): void {
    const sequence = this.#held.get(id);
    assert(sequence?.place === 'receiving', `request ${id} receives nothing`);
    this.#receiving.delete(sequence);
    sequence.place = 'batch';
    this.#running.push(sequence);
  }

  stepDurationNs({ load }: Pick<StepPlan, 'load'>): number {
    const seconds = this.#options.costModel.stepSeconds(load) * this.#options.speedScale;
    return Math.max(1, nsFromSeconds(seconds));
  }

  repeats({ prefills, preempted }: StepPlan): number {
    if (this.#hasNewcomers || this.#sharing < this.#running.length) return 1;
    if (prefills.length + preempted.length > 0) return 1;
    let steps = Number.POSITIVE_INFINITY;
    for (const { request, generatedTokens, roomTokens, computedTokens } of this.#running) {
      steps = Math.min(
        steps,
        request.outputTokens - generatedTokens,
        // The newest token of a memory with a cache may still have to be filed.
        roomTokens - computedTokens,
      );
    }
    return Math.max(1, steps);
  }

  commitRepeats(plan: StepPlan, steps: number): readonly TokenEvent[] {
    assert(steps >= 1 && steps <= this.repeats(plan), `the step does not repeat ${steps} times`);
    for (let at = 0; at < this.#sharing; at += 1) {
      const sequence = this.#running[at] as Sequence;
      sequence.computedTokens += steps - 1;
      sequence.generatedTokens += steps - 1;
    }
    const events = this.commit(plan);
    this.#step += steps - 1;
    return events;
  }

  commit(plan: StepPlan): readonly TokenEvent[] {
    const isNext = this.#underWay !== null && plan.step === this.#step;
    assert(isNext, `step ${plan.step} is not the next one, ${this.#step}`);
    this.#step += 1;
    this.#underWay = null;
    const events: TokenEvent[] = [];
    let finished = 0;
    for (let at = 0; at < this.#sharing; at += 1) {
      const sequence = this.#running[at] as Sequence;
      if (sequence.computedTokens < sequence.lostTokens) this.#countAgain(sequence);
      sequence.computedTokens += sequence.shareTokens;
      if (sequence.computedTokens < knownTokens(sequence)) continue;
      const { id, outputTokens } = sequence.request;
      const index = sequence.generatedTokens;
      sequence.generatedTokens += 1;
      const last = sequence.generatedTokens === outputTokens;
      if (last) finished += 1;
      events.push({ id, index, last });
    }
    this.#sharing = 0;
    if (finished > 0) this.#dropFinished();
    return events;
  }

  state(): EngineState {
    let heldTokens = 0;
    for (const group of [this.#running, this.#receiving, this.#handing]) {
      for (const { computedTokens } of group) heldTokens += computedTokens;
    }
    const { memory } = this.#options;
    return {
      waiting: this.#waiting.size,
      running: this.#running.length,
      receiving: this.#receiving.size,
      handing: this.#handing.size,
      heldTokens,
      usedBlocks: memory === null ? null : memory.blocks - (this.#memory as KvMemory).freeBlocks,
    };
  }

  totals(): EngineTotals {
    return { ...this.#totals };
  }

  waitingIds(): readonly string[] {
    return this.#waiting.inOrder().map(({ request }) => request.id);
  }

  /**
   * Shares the budget among the batch and tells what is left of it. Who has to give way for want of
   * memory is added to `preempted`.
   */
  #shareBudget(preempted: string[]): number {
    this.#sharing = 0;
    let leftTokens = this.#options.limits.tokenBudget;
    while (leftTokens > 0 && this.#sharing < this.#running.length) {
      const sequence = this.#running[this.#sharing] as Sequence;
      const tokens = Math.min(this.#wantedTokens(sequence), leftTokens);
      if (sequence.computedTokens + tokens > sequence.roomTokens) {
        // Those behind who gave way are out; vLLM too goes no further once a request itself did.
        if (!this.#makeRoom(sequence, tokens, preempted)) break;
        leftTokens = this.#unsharedTokens();
      }
      sequence.shareTokens = tokens;
      this.#sharing += 1;
      leftTokens -= tokens;
    }
    return leftTokens;
  }

  /** Lets waiting requests into the batch, in order, until one does not fit. */
  #letIn(budgetTokens: number): void {
    const { maxSequences } = this.#options.limits;
    let leftTokens = budgetTokens;
    while (leftTokens > 0 && this.#running.length + this.#receiving.size < maxSequences) {
      const sequence = this.#waiting.first();
      if (sequence === undefined || !this.#takeBlocks(sequence, leftTokens)) return;
      this.#waiting.leave(sequence);
      if (this.#mustReceive(sequence)) {
        sequence.place = 'receiving';
        this.#receiving.add(sequence);
        this.#newReceivers.push(sequence.request.id);
        continue;
      }
      const tokens = Math.min(this.#wantedTokens(sequence), leftTokens);
      sequence.place = 'batch';
      this.#running.push(sequence);
      sequence.shareTokens = tokens;
      this.#sharing += 1;
      leftTokens -= tokens;
    }
  }

  /** Gives a waiting request what the cache has of it and memory for its first share, if it can. */
  #takeBlocks(sequence: Sequence, leftTokens: number): boolean {
    const { memory } = this.#options;
    if (this.#mustReceive(sequence)) return this.#takeBlocksToReceive(sequence);
    if (this.#memory === null || memory === null) return true;
    // There is always at least one token to compute, and it needs a block of its own.
    if (this.#memory.freeBlocks === 0) return false;
    const found = this.#memory.find(sequence);
    sequence.computedTokens = found.length * memory.blockTokens;
    const share = Math.min(this.#wantedTokens(sequence), leftTokens);
    const endTokens = sequence.computedTokens + share;
    const fullTokens = memory.reserveFullPrompt ? knownTokens(sequence) : endTokens;
    if (!this.#memory.enter(sequence, found, endTokens, fullTokens)) {
      sequence.computedTokens = 0;
      return false;
    }
    if (memory.prefixCaching) this.#countFound(sequence);
    return true;
  }

  /** A preempted request computes again what it had received. */
  #mustReceive({ request, lostTokens }: Sequence): boolean {
    return request.receivedTokens !== undefined && lostTokens === 0;
  }

  /** Memory for the whole prompt: what is not received is computed in the first step. */
  #takeBlocksToReceive(sequence: Sequence): boolean {
    const { promptTokens, receivedTokens = 0 } = sequence.request;
    if (this.#memory?.enter(sequence, [], promptTokens, promptTokens) === false) return false;
    sequence.computedTokens = receivedTokens;
    return true;
  }

  #assertReceivable({ promptTokens, receivedTokens }: EngineRequest): void {
    if (receivedTokens === undefined) return;
    const isShare = Number.isSafeInteger(receivedTokens) && receivedTokens >= 0;
    assert(isShare && receivedTokens < promptTokens, 'a token is left to compute');
    const caches = this.#options.memory?.prefixCaching === true;
    assert(!caches, 'what is received is not filed in a prefix cache');
  }

  #unsharedTokens(): number {
    let tokens = this.#options.limits.tokenBudget;
    for (let at = 0; at < this.#sharing; at += 1)
      tokens -= (this.#running[at] as Sequence).shareTokens;
    return tokens;
  }

  #wantedTokens(sequence: Sequence): number {
    const missingTokens = knownTokens(sequence) - sequence.computedTokens;
    const { longPrefillTokenThreshold } = this.#options.limits;
    return longPrefillTokenThreshold === null
      ? missingTokens
      : Math.min(missingTokens, longPrefillTokenThreshold);
  }

  /** Preempts until the sequence has room for more tokens. False when it had to give way itself. */
  #makeRoom(sequence: Sequence, tokens: number, preempted: string[]): boolean {
    const memory = this.#memory as KvMemory;
    while (!memory.grow(sequence, sequence.computedTokens + tokens)) {
      const last = this.#running.reduce((a, b) => (serviceOrder(a, b) < 0 ? b : a));
      preempted.push(last.request.id);
      this.#preempt(last);
      if (last === sequence) return false;
    }
    return true;
  }

  #preempt(sequence: Sequence): void {
    this.#totals.preemptions += 1;
    this.#memory?.preempt(sequence);
    this.#leaveBatch(this.#running.indexOf(sequence));
    sequence.place = 'waiting';
    sequence.lostTokens = Math.max(sequence.lostTokens, sequence.computedTokens);
    sequence.computedTokens = 0;
    this.#waiting.join(sequence);
  }

  #countAgain({ lostTokens, computedTokens, shareTokens }: Sequence): void {
    this.#totals.recomputedTokens += Math.min(lostTokens - computedTokens, shareTokens);
  }

  #countFound(sequence: Sequence): void {
    const { computedTokens, lostTokens, request } = sequence;
    if (lostTokens > 0) {
      this.#totals.restoredTokens += Math.min(computedTokens, lostTokens);
    } else {
      this.#totals.prefixQueryTokens += request.promptTokens;
      this.#totals.prefixHitTokens += computedTokens;
    }
  }

  /** Takes a place out of the batch, with its share of the step. */
  #leaveBatch(at: number): void {
    this.#running.splice(at, 1);
    if (at < this.#sharing) this.#sharing -= 1;
  }

  #dropFinished(): void {
    let kept = 0;
    for (const sequence of this.#running) {
      const { id, outputTokens, handsOver } = sequence.request;
      if (sequence.generatedTokens < outputTokens) {
        this.#running[kept] = sequence;
        kept += 1;
      } else if (handsOver === true) {
        sequence.place = 'handing';
        this.#handing.add(sequence);
      } else {
        this.#memory?.release(sequence);
        this.#held.delete(id);
      }
    }
    this.#running.length = kept;
  }
}
