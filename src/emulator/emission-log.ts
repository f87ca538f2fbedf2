import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { assert, EnvironmentError } from '../base/index.ts';
import type { Fault } from '../faults/index.ts';
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

/** A request that met a fault. Without one it is not logged. */
export interface FaultMet {
  /** As in its emissions, which follow. */
  readonly requestId: string;
  /** Name of the rule. */
  readonly fault: string;
  readonly kind: Fault['kind'];
}

export interface EmissionLog {
  add(emission: Emission): void;
  addFault(met: FaultMet): void;
  /** Everything logged, in order. Only of a log kept in memory. */
  emissions(): readonly Emission[];
  /** The same of requests that met a fault. */
  faultsMet(): readonly FaultMet[];
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
  addFault: () => {},
  emissions: notInMemory,
  faultsMet: notInMemory,
  close: () => Promise.resolve(),
};

/** Rows per block of columns, and columns of numbers per row. */
const BLOCK_ROWS = 16_384;
const ROW_NUMBERS = 4;

/**
 * Rows of numbers in blocks that are never copied, with the ids beside them: objects of a hundred
 * thousand events per second would keep the collector busy, and a growing array is late whenever it
 * moves.
 */
class MemoryLog implements EmissionLog {
  readonly #requestIds: string[][] = [];
  readonly #numbers: Float64Array[] = [];
  readonly #faultsMet: FaultMet[] = [];
  #rows = 0;

  addFault(met: FaultMet): void {
    this.#faultsMet.push(met);
  }

  faultsMet(): readonly FaultMet[] {
    return this.#faultsMet;
  }

  add({ requestId, index, tokens, plannedNs, emittedNs }: Emission): void {
    const row = this.#rows % BLOCK_ROWS;
    if (row === 0) {
      this.#requestIds.push([]);
      this.#numbers.push(new Float64Array(BLOCK_ROWS * ROW_NUMBERS));
    }
    this.#rows += 1;
    this.#requestIds.at(-1)?.push(requestId);
    const numbers = this.#numbers.at(-1) as Float64Array;
    const at = row * ROW_NUMBERS;
    numbers[at] = index;
    numbers[at + 1] = tokens;
    numbers[at + 2] = plannedNs;
    numbers[at + 3] = emittedNs;
  }

  emissions(): readonly Emission[] {
    return this.#requestIds.flatMap((ids, block) => {
      const numbers = this.#numbers[block] as Float64Array;
      return ids.map((requestId, row) => {
        const at = row * ROW_NUMBERS;
        return {
          requestId,
          index: numbers[at] as number,
          tokens: numbers[at + 1] as number,
          plannedNs: numbers[at + 2] as number,
          emittedNs: numbers[at + 3] as number,
        };
      });
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const FLUSH_CHARACTERS = 65_536;

/** NDJSON, one emission, or one request that met a fault, per line. */
class FileLog implements EmissionLog {
  readonly #file: WriteStream;
  #lines = '';

  constructor(file: WriteStream) {
    this.#file = file;
  }

  add({ requestId, index, tokens, plannedNs, emittedNs }: Emission): void {
    this.#lines +=
      `{"requestId":${JSON.stringify(requestId)},"index":${index},"tokens":${tokens},` +
      `"plannedNs":${plannedNs},"emittedNs":${emittedNs}}\n`;
    if (this.#lines.length >= FLUSH_CHARACTERS) this.#flush();
  }

  addFault(met: FaultMet): void {
    this.#lines += `${JSON.stringify(met)}\n`;
  }

  emissions = notInMemory;
  faultsMet = notInMemory;

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
