/** A few lines of a terminal that are drawn again in place, under whatever else is written. */

export interface StatusPort {
  readonly write: (text: string) => void;
  /** Columns at this moment: a window may be resized between two drawings. */
  readonly columns: () => number;
}

/**
 * Draws lines at the bottom of the output and takes them away before anything else is written.
 *
 * It changes no mode of the terminal (no alternate screen, no hidden cursor), so that there is
 * nothing to restore however the process ends. Each drawing is one write, and every line is
 * overwritten before its old rest is cleared: nothing flickers.
 */
export class StatusBlock {
  readonly #port: StatusPort;
  /** Shown length of each line drawn last; empty = nothing is drawn. */
  #drawn: readonly number[] = [];

  constructor(port: StatusPort) {
    this.#port = port;
  }

  /** Replaces the block. Lines must be shorter than the terminal is wide. */
  draw(lines: readonly string[]): void {
    const rows = lines.map((line) => `\r${line}\u001b[K`).join('\n');
    // Fewer lines than before would leave old ones below.
    this.#port.write(`${this.#toTop()}${rows}\u001b[J`);
    this.#drawn = lines.map(shownLength);
  }

  /** Takes the block away; the next text starts where it began. */
  clear(): void {
    if (this.#drawn.length === 0) return;
    this.#port.write(`${this.#toTop()}\r\u001b[J`);
    this.#drawn = [];
  }

  /** Writes ordinary text, with the block out of its way. */
  write(text: string): void {
    this.clear();
    this.#port.write(text);
  }

  /** To the block's first row. A narrower window has broken its lines into more rows by now. */
  #toTop(): string {
    const columns = Math.max(1, this.#port.columns());
    const rows = this.#drawn.reduce(
      (sum, length) => sum + Math.max(1, Math.ceil(length / columns)),
      0,
    );
    return rows > 1 ? `\u001b[${rows - 1}A` : '';
  }
}

/** Columns a line takes, colours left out. */
function shownLength(line: string): number {
  // eslint-disable-next-line no-control-regex -- colours are control sequences
  return line.replaceAll(/\u001b\[[\d;]*m/g, '').length;
}
