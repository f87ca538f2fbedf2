/**
 * The scheduler of vLLM v1 once more, naively: blocks are numbers in plain lists, a block's content
 * is a text, everything is searched for. It shares no code with the engine.
 */
import type { EngineRequest } from '../../src/engine/index.ts';
import type { EngineSetup } from './engine-setup-arbitrary.ts';

/** What a step computes: tokens of each request from where on, in the order of the batch. */
export interface NaiveStep {
  readonly shares: readonly {
    readonly id: string;
    readonly from: number;
    readonly tokens: number;
  }[];
  readonly preempted: readonly string[];
  readonly usedBlocks: number | null;
}

interface Req {
  readonly request: EngineRequest;
  readonly arrival: number;
  computed: number;
  generated: number;
  blocks: number[];
}

export class NaiveScheduler {
  readonly #setup: EngineSetup;
  #waiting: Req[] = [];
  #running: Req[] = [];
  #share = new Map<Req, number>();
  #arrivals = 0;
  /** Of each block. */
  readonly #holders: number[];
  /** Blocks that may be found, and the text they hold, in the order they were filed. */
  readonly #text = new Map<number, string>();
  /** Blocks nobody holds, the next to be used first. */
  #free: number[];

  constructor(setup: EngineSetup) {
    this.#setup = setup;
    const blocks = setup.memory?.blocks ?? 0;
    this.#holders = Array.from({ length: blocks }, () => 0);
    this.#free = Array.from({ length: blocks }, (_, block) => block);
  }

  get isEmpty(): boolean {
    return this.#waiting.length + this.#running.length === 0;
  }

  /** The caller asks only for what was admitted. */
  add(request: EngineRequest): void {
    this.#waiting.push({ request, arrival: this.#arrivals, computed: 0, generated: 0, blocks: [] });
    this.#arrivals += 1;
    this.#sortWaiting();
  }

  schedule(): NaiveStep {
    const preempted: string[] = [];
    // vLLM would run a step without tokens and schedule again at once.
    do this.#scheduleOnce(preempted);
    while (this.#share.size === 0);
    const shares = [...this.#share].map(([req, tokens]) => {
      return { id: req.request.id, from: req.computed, tokens };
    });
    const { memory } = this.#setup;
    return {
      shares,
      preempted,
      usedBlocks: memory === null ? null : memory.blocks - this.#free.length,
    };
  }

  /** Ends the step and tells who got a token. */
  update(): string[] {
    const got: string[] = [];
    for (const [req, tokens] of this.#share) {
      req.computed += tokens;
      if (req.computed !== req.request.promptTokens + req.generated) continue;
      req.generated += 1;
      got.push(req.request.id);
      if (req.generated < req.request.outputTokens) continue;
      this.#running = this.#running.filter((other) => other !== req);
      this.#giveBack(req);
    }
    return got;
  }

  #scheduleOnce(preempted: string[]): void {
    const { limits, policy } = this.#setup;
    this.#share = new Map();
    let budget = limits.tokenBudget;
    let someoneLeft = false;
    let index = 0;
    while (index < this.#running.length && budget > 0) {
      const req = this.#running[index] as Req;
      const tokens = Math.min(this.#want(req), budget);
      let fits = this.#allocate(req, [], req.computed + tokens, 0);
      while (!fits) {
        let victim = this.#running.at(-1) as Req;
        if (policy === 'priority') {
          for (const other of this.#running) if (this.#isAfter(other, victim)) victim = other;
        }
        const at = this.#running.indexOf(victim);
        this.#running.splice(at, 1);
        if (this.#share.has(victim)) {
          budget += this.#share.get(victim) as number;
          this.#share.delete(victim);
          index -= 1;
        }
        this.#giveBack(victim);
        victim.computed = 0;
        if (policy === 'priority') this.#waiting.push(victim);
        else this.#waiting.unshift(victim);
        this.#sortWaiting();
        preempted.push(victim.request.id);
        someoneLeft = true;
        if (victim === req) break;
        fits = this.#allocate(req, [], req.computed + tokens, 0);
      }
      if (!fits) break;
      this.#share.set(req, tokens);
      budget -= tokens;
      index += 1;
    }
    if (someoneLeft) return;
    while (this.#waiting.length > 0 && budget > 0 && this.#running.length < limits.maxSequences) {
      const req = this.#waiting[0] as Req;
      const found = this.#find(req);
      req.computed = found.length * (this.#setup.memory?.blockTokens ?? 0);
      const tokens = Math.min(this.#want(req), budget);
      const known = req.request.promptTokens + req.generated;
      const full = this.#setup.memory?.reserveFullPrompt === true ? known : 0;
      if (!this.#allocate(req, found, req.computed + tokens, full)) {
        req.computed = 0;
        return;
      }
      this.#waiting.shift();
      this.#running.push(req);
      this.#share.set(req, tokens);
      budget -= tokens;
    }
  }

  #isAfter(one: Req, other: Req): boolean {
    const [a, b] = [one.request.priority ?? 0, other.request.priority ?? 0];
    return a > b || (a === b && one.arrival > other.arrival);
  }

  /** Only priorities need sorting: otherwise arrivals go to the end and the preempted to the front. */
  #sortWaiting(): void {
    if (this.#setup.policy !== 'priority') return;
    this.#waiting.sort((a, b) => (this.#isAfter(a, b) ? 1 : -1));
  }

  #want(req: Req): number {
    const missing = req.request.promptTokens + req.generated - req.computed;
    return Math.min(missing, this.#setup.limits.longPrefillTokenThreshold ?? missing);
  }

  #textOf(req: Req, at: number): string {
    const { content, id } = req.request;
    const known = content?.blockIds[at];
    return known === undefined ? `block ${at} of ${id}` : `${content?.salt}: ${known}`;
  }

  #find(req: Req): number[] {
    const { memory } = this.#setup;
    if (memory?.prefixCaching !== true) return [];
    const found: number[] = [];
    const known = req.request.promptTokens + req.generated;
    for (let at = 0; (at + 1) * memory.blockTokens <= known - 1; at += 1) {
      const text = this.#textOf(req, at);
      const filed = [...this.#text].find(([, held]) => held === text);
      if (filed === undefined) break;
      found.push(filed[0]);
    }
    return found;
  }

  #allocate(req: Req, found: readonly number[], tokens: number, full: number): boolean {
    const { memory } = this.#setup;
    if (memory === null) return true;
    const asleep = found.filter((block) => this.#holders[block] === 0).length;
    const have = req.blocks.length + found.length;
    const blocksFor = (count: number): number => Math.ceil(count / memory.blockTokens);
    const missing = Math.max(0, blocksFor(tokens) - have);
    const missingInFull = Math.max(missing, blocksFor(full) - have);
    if (missingInFull + asleep > this.#free.length) return false;
    for (const block of found) this.#hold(req, block);
    this.#free = this.#free.filter((block) => !found.includes(block));
    for (let taken = 0; taken < missing; taken += 1) {
      const block = this.#free.shift() as number;
      this.#text.delete(block);
      this.#hold(req, block);
    }
    if (!memory.prefixCaching) return true;
    for (const [at, block] of req.blocks.entries()) {
      if ((at + 1) * memory.blockTokens <= tokens) this.#text.set(block, this.#textOf(req, at));
    }
    return true;
  }

  #hold(req: Req, block: number): void {
    this.#holders[block] = (this.#holders[block] as number) + 1;
    req.blocks.push(block);
  }

  #giveBack(req: Req): void {
    const { memory } = this.#setup;
    for (const [at, block] of [...req.blocks.entries()].toReversed()) {
      const isComputed = (at + 1) * (memory?.blockTokens ?? 0) <= req.computed;
      if (!isComputed) this.#text.delete(block);
      this.#holders[block] = (this.#holders[block] as number) - 1;
      if (this.#holders[block] === 0) this.#free.push(block);
    }
    req.blocks = [];
  }
}
