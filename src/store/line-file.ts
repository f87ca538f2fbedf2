/** A file that grows line by line while a run goes on, and is readable at any moment of it. */
import { type FileHandle, open } from 'node:fs/promises';
import { writeFailure } from './file-errors.ts';

/** Lines reach the file at the latest this long after they came: under the promised second. */
const FLUSH_AFTER_MS = 500;
const FLUSH_CHARS = 256 * 1_024;
/** With this much unwritten the caller is asked to wait. */
const PRESSURE_CHARS = 8 * 1_024 * 1_024;

/**
 * Appends lines in order. What was flushed outlives a crash of this process; `close` also asks
 * the disk to keep it. The first failure sticks: nothing is written after a hole.
 */
export class LineFile {
  readonly #path: string;
  readonly #flags: 'ax' | 'a';
  #handle: FileHandle | null = null;
  #lines: string[] = [];
  /** Characters not yet in the file, those being written included. */
  #pendingChars = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  #failure: Error | null = null;

  /** `mayExist`: lines go behind those that are there; else an existing file is an error. */
  constructor(path: string, options: { readonly mayExist: boolean } = { mayExist: false }) {
    this.#path = path;
    this.#flags = options.mayExist ? 'a' : 'ax';
  }

  /**
   * Takes one line, without its line feed. Returns a promise when so much waits to be written that
   * the caller should wait too; the line is kept in either case.
   *
   * Errors: throws `EnvironmentError` once writing has failed.
   */
  append(line: string): void | Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    this.#lines.push(line);
    this.#pendingChars += line.length + 1;
    if (this.#pendingChars > PRESSURE_CHARS) return this.flush();
    if (this.#writing !== null) return;
    this.#timer ??= setTimeout(() => this.#flushAside(), FLUSH_AFTER_MS);
    if (this.#pendingChars > FLUSH_CHARS) this.#flushAside();
  }

  /** Resolves when all lines taken so far are in the file. */
  async flush(): Promise<void> {
    do {
      this.#writing ??= this.#writeAll().finally(() => {
        this.#writing = null;
      });
      await this.#writing;
      // A line may come in the turn between the last write and this one.
    } while (this.#lines.length > 0);
  }

  async close(): Promise<void> {
    try {
      await this.flush();
      await this.#handle?.sync();
    } catch (error) {
      throw this.#failure ?? writeFailure(this.#path, error);
    } finally {
      await this.#handle?.close();
      this.#handle = null;
    }
  }

  #flushAside(): void {
    // A failure is kept and thrown at the next line.
    this.flush().catch(() => {});
  }

  async #writeAll(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#failure !== null) throw this.#failure;
    try {
      while (this.#lines.length > 0) {
        this.#handle ??= await open(this.#path, this.#flags);
        const text = `${this.#lines.join('\n')}\n`;
        this.#lines = [];
        await this.#handle.appendFile(text);
        this.#pendingChars -= text.length;
      }
    } catch (error) {
      this.#failure = writeFailure(this.#path, error);
      throw this.#failure;
    }
  }
}
