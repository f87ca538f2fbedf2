/** The generator processes of a run: started when a load point first needs them, then kept. */
import { EnvironmentError } from '../../base/index.ts';
import { receivedError, startProcess, type WorkerProcess } from '../../workers/index.ts';
import type { GeneratorLoad } from '../generate-load.ts';
import type { BudgetLimits } from '../../loadgen/index.ts';
import type { FromGenerator, GeneratorSetup, ToGenerator } from './messages.ts';

/** Compiled, the module beside this one ends in `.js`; from sources, in `.ts`. */
const ENTRY = new URL(
  `./generator-process.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`,
  import.meta.url,
);

/** Requests in one message: a few hundred kB. */
const REQUESTS_A_MESSAGE = 2_000;

/** What a generator says, for whoever is in charge of its load. */
export interface GeneratorListener {
  readonly onMessage: (message: FromGenerator) => void;
  /** The process died; how, in words. */
  readonly onLost: (how: string) => void;
}

/** One generator process, as its parent knows it. */
export class GeneratorProcess {
  readonly #process: WorkerProcess<ToGenerator>;
  #listener: GeneratorListener | null = null;
  #lost: string | null = null;

  constructor(setup: GeneratorSetup) {
    this.#process = startProcess<ToGenerator, FromGenerator>(ENTRY, {
      onMessage: (message) => this.#listener?.onMessage(message),
      onEnd: (how) => {
        this.#lost = how;
        this.#listener?.onLost(how);
      },
    });
    this.tell({ kind: 'setUp', setup });
  }

  get pid(): number | null {
    return this.#process.pid;
  }

  /** How the process died; `null` while it lives. */
  get lost(): string | null {
    return this.#lost;
  }

  /** From now on `listener` hears, and nobody before it. A process that is dead already says so. */
  listen(listener: GeneratorListener | null): void {
    this.#listener = listener;
    if (this.#lost !== null) listener?.onLost(this.#lost);
  }

  tell(message: ToGenerator): void {
    this.#process.send(message);
  }

  /**
   * Hands over a stripe and resolves when its connections are open, or when the process died after
   * `stopStarts`: a Ctrl-C also reaches those that are too young to leave it to their parent.
   * Errors: EnvironmentError `E_GENERATOR_LOST` when the process dies on the way; its own errors.
   */
  async ready(
    { schedule, ...load }: GeneratorLoad,
    budget: BudgetLimits,
    stopStarts: AbortSignal,
  ): Promise<void> {
    const { requests, ...rest } = schedule;
    const ready = new Promise<void>((resolve, reject) => {
      this.listen({
        onLost: (how) => (stopStarts.aborted ? resolve() : reject(lostBefore(how))),
        onMessage: (message) => {
          if (message.kind === 'ready') resolve();
          if (message.kind === 'failed') reject(receivedError(message.error, 'a generator'));
        },
      });
    });
    for (let from = 0; from < requests.length; from += REQUESTS_A_MESSAGE) {
      const part = requests.slice(from, from + REQUESTS_A_MESSAGE);
      this.tell({ kind: 'requests', requests: part });
    }
    this.tell({ kind: 'load', load: { ...load, schedule: rest, budget } });
    await ready;
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}

export class GeneratorPool {
  readonly #setup: GeneratorSetup;
  #generators: GeneratorProcess[] = [];

  constructor(setup: GeneratorSetup) {
    this.#setup = setup;
  }

  /** So many living generators; those that died are replaced. */
  take(count: number): GeneratorProcess[] {
    this.#generators = this.#generators.filter(({ lost }) => lost === null);
    while (this.#generators.length < count) {
      this.#generators.push(new GeneratorProcess(this.#setup));
    }
    return this.#generators.slice(0, count);
  }

  async close(): Promise<void> {
    await Promise.all(this.#generators.map((generator) => generator.close()));
  }
}

function lostBefore(how: string): EnvironmentError {
  return new EnvironmentError({
    code: 'E_GENERATOR_LOST',
    message: `a generator process ${how} before the load`,
    hint: 'look for what ended it (memory, a limit of processes), or use --processes 1',
  });
}
