import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { assert, EnvironmentError } from '../base/index.ts';
import type { EmulatorOptions } from './emulator-options.ts';

/**
 * One streamed output event as it left the server. Instants are whole nanoseconds on the machine's
 * monotonic clock (`process.hrtime`), which every process of the machine shares, so a client's
 * stamps can be laid beside them.
 */
export interface Emission {
  /** The client's `x-request-id`, else the server's own. */
  readonly requestId: string;
  /** Place of the event among the output events of its answer, from 0. */
  readonly index: number;
  readonly tokens: number;
  /** End of the engine step that made the event's last token. */
  readonly plannedNs: number;
  /** Just before the event was handed to the socket. */
  readonly emittedNs: number;
}

export interface EmissionLog {
  add(emission: Emission): void;
  /** Everything logged, in order. Only of a log kept in memory. */
  emissions(): readonly Emission[];
  close(): Promise<void>;
}

export async function openEmissionLog(kind: EmulatorOptions['emissionLog']): Promise<EmissionLog> {
  if (kind === 'memory') return new MemoryLog();
  if (kind === 'none') return NO_LOG;
  const file = createWriteStream(kind.path);
  try {
    await once(file, 'open');
  } catch (cause) {
    throw new EnvironmentError({
      code: 'E_FILE_WRITE',
      message: `cannot write the emission log ${kind.path}`,
      cause,
    });
  }
  return new FileLog(file);
}

const notInMemory = (): never => {
  assert(false, 'the emission log is not kept in memory');
};

const NO_LOG: EmissionLog = {
  add: () => {},
  emissions: notInMemory,
  close: () => Promise.resolve(),
};

/** Columns, because rows of a hundred thousand events per second would keep the collector busy. */
class MemoryLog implements EmissionLog {
  readonly #requestId: string[] = [];
  readonly #index: number[] = [];
  readonly #tokens: number[] = [];
  readonly #plannedNs: number[] = [];
  readonly #emittedNs: number[] = [];

  add({ requestId, index, tokens, plannedNs, emittedNs }: Emission): void {
    this.#requestId.push(requestId);
    this.#index.push(index);
    this.#tokens.push(tokens);
    this.#plannedNs.push(plannedNs);
    this.#emittedNs.push(emittedNs);
  }

  emissions(): readonly Emission[] {
    return this.#requestId.map((requestId, at) => ({
      requestId,
      index: this.#index[at] as number,
      tokens: this.#tokens[at] as number,
      plannedNs: this.#plannedNs[at] as number,
      emittedNs: this.#emittedNs[at] as number,
    }));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const FLUSH_CHARACTERS = 65_536;

/** NDJSON, one emission per line. */
class FileLog implements EmissionLog {
  readonly #file: WriteStream;
  #lines = '';

  constructor(file: WriteStream) {
    this.#file = file;
  }

  add(emission: Emission): void {
    this.#lines += `${JSON.stringify(emission)}\n`;
    if (this.#lines.length >= FLUSH_CHARACTERS) this.#flush();
  }

  emissions = notInMemory;

  async close(): Promise<void> {
    this.#flush();
    this.#file.end();
    await once(this.#file, 'finish');
  }

  #flush(): void {
    this.#file.write(this.#lines);
    this.#lines = '';
  }
}
