/** The side of a generator process: it obeys its parent and tells what happens. */
import { assert, type Clock, msFromNs, realClockFrom } from '../../base/index.ts';
import { Budget, type StartedRequest } from '../../loadgen/index.ts';
import type { RequestRecord } from '../../record/index.ts';
import { DIALECTS } from '../../wire/index.ts';
import { sentError } from '../../workers/index.ts';
import type { ScheduledRequest } from '../../workload/index.ts';
import { type GeneratorTools, type LoadHooks, readyLoad } from '../generate-load.ts';
import { openLocalTokenizer } from '../local-tokenizer.ts';
import { openClient } from '../open-client.ts';
import { preparer } from '../prepare-request.ts';
import type {
  FromGenerator,
  GeneratorSetup,
  StartNews,
  StripeLoad,
  ToGenerator,
} from './messages.ts';

type Tell = (message: FromGenerator) => void;
type ReadyLoad = Awaited<ReturnType<typeof readyLoad>>;

/** Takes one load after another. */
export class Generator {
  readonly #tell: Tell;
  #tools: Promise<GeneratorTools> | null = null;
  #requests: ScheduledRequest[] = [];
  #ready: { readonly load: StripeLoad; readonly run: ReadyLoad } | null = null;
  #stop = new AbortController();
  #cancel = new AbortController();

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  hear(message: ToGenerator): void {
    switch (message.kind) {
      case 'setUp':
        this.#tools = toolsFor(message.setup);
        return this.#guard(this.#tools);
      case 'requests':
        for (const request of message.requests) this.#requests.push(request);
        return;
      case 'load':
        return this.#guard(this.#take(message.load));
      case 'start':
        return this.#guard(this.#run(message.startNs));
      case 'stopStarts':
        return this.#stop.abort();
      case 'cancelAll':
        return this.#cancel.abort();
      default:
    }
  }

  #guard(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#tell({ kind: 'failed', error: sentError(error) }));
  }

  async #take({ schedule, ...load }: StripeLoad): Promise<void> {
    assert(this.#tools !== null, 'a generator is set up before it loads');
    const requests = this.#requests;
    this.#requests = [];
    this.#stop = new AbortController();
    this.#cancel = new AbortController();
    const run = await readyLoad(
      { ...load, schedule: { ...schedule, requests } },
      await this.#tools,
    );
    this.#ready = { load: { schedule, ...load }, run };
    this.#tell({ kind: 'ready' });
  }

  async #run(startNs: number): Promise<void> {
    assert(this.#ready !== null && this.#tools !== null, 'a generator is ready before it starts');
    const { load, run } = this.#ready;
    this.#ready = null;
    const { clock } = await this.#tools;
    const news = new News(clock, this.#tell);
    try {
      const generated = await run(startNs, {
        budget: new Budget(load.budget),
        stopStarts: this.#stop.signal,
        cancelAll: this.#cancel.signal,
        ...news.hooks,
      });
      news.tell();
      this.#tell({ kind: 'ended', generated });
    } catch (error) {
      // What became of the requests, before what went wrong: nobody listens after that.
      news.tell();
      throw error;
    }
  }
}

/**
 * What happened and was not told yet. Starts are told before this turn of the event loop ends, so
 * that a process that dies leaves no request unknown; records within a millisecond or two, many at
 * once.
 */
class News {
  readonly #clock: Clock;
  readonly #tell: Tell;
  #starts: StartNews[] = [];
  #records: RequestRecord[] = [];
  #due = false;

  constructor(clock: Clock, tell: Tell) {
    this.#clock = clock;
    this.#tell = tell;
  }

  readonly hooks: Pick<LoadHooks, 'onStart' | 'onRecord' | 'onProgress'> = {
    onStart: (started) => this.#started(started),
    onRecord: (record) => this.#recorded(record),
    // A generator that has nothing to tell says so, or the others' counts would wait for it.
    onProgress: () => this.tell(),
  };

  tell(): void {
    const [starts, records] = [this.#starts, this.#records];
    this.#starts = [];
    this.#records = [];
    this.#tell({ kind: 'news', toldNs: this.#clock.nowNs(), starts, records });
  }

  #started(started: StartedRequest): void {
    const { requestId, logicalRequestId, attempt, plannedNs, handedNs, traceId } = started;
    const { index } = started.request;
    this.#starts.push({
      index,
      requestId,
      logicalRequestId,
      attempt,
      plannedNs,
      handedNs,
      traceId,
    });
    if (this.#starts.length > 1) return;
    queueMicrotask(() => {
      if (this.#starts.length > 0) this.tell();
    });
  }

  #recorded(record: RequestRecord): void {
    this.#records.push(record);
    if (this.#due) return;
    this.#due = true;
    this.#clock.at(this.#clock.nowNs(), () => {
      this.#due = false;
      if (this.#records.length > 0) this.tell();
    });
  }
}

async function toolsFor(setup: GeneratorSetup): Promise<GeneratorTools> {
  const { target, files, source, preflight, tracing, apiKey } = setup;
  const clock = realClockFrom(setup.clockOriginMs);
  const readText = (path: string): string => {
    const text = files[path];
    assert(text !== undefined, 'a generator reads no file that it was not given');
    return text;
  };
  const wallNowMs = (): number => setup.wallOriginMs + msFromNs(clock.nowNs());
  const ports = { clock, wallNowMs, readText, apiKey };
  const client = await openClient(setup, ports, await openLocalTokenizer(target, readText));
  const dialect = DIALECTS[target.api];
  return { clock, client, prepare: preparer({ target, source, dialect, preflight, tracing }) };
}
