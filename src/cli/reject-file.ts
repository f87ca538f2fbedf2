/** Broken rows of logs, written aside while the logs are read: as many as there are, in flat memory. */
import { writeTextFile } from './files.ts';

/** Characters kept back before they are written. */
const PIECE = 1_000_000;

/** A file for its owner's eyes alone: rows may quote prompts. */
export class RejectFile {
  readonly #path: string;
  #lines: string[] = [];
  #length = 0;

  /** Empties the file. Errors: EnvironmentError `E_FILE_WRITE`, here and when rows are written. */
  constructor(path: string) {
    this.#path = path;
    writeTextFile(path, '', { mode: 0o600 });
  }

  push(line: string): void {
    this.#lines.push(`${line}\n`);
    this.#length += line.length;
    if (this.#length >= PIECE) this.flush();
  }

  /** Writes what is kept back. */
  flush(): void {
    writeTextFile(this.#path, this.#lines, { flag: 'a', mode: 0o600 });
    this.#lines = [];
    this.#length = 0;
  }
}
