/** A terminal as small as `StatusBlock` needs: what a user would see after what was written. */

export class FakeTerminal {
  readonly writes: string[] = [];
  readonly #rows: string[] = [''];
  #row = 0;
  #column = 0;
  width: number;

  constructor(width: number) {
    this.width = width;
  }

  readonly write = (text: string): void => {
    this.writes.push(text);
    // eslint-disable-next-line no-control-regex -- control sequences are what a terminal reads
    for (const [token] of text.matchAll(/\u001b\[[\d;?]*[A-Za-z]|[^]/g)) this.#take(token);
  };

  /** The rows, without blank ends. */
  get screen(): string[] {
    const rows = this.#rows.map((row) => row.trimEnd());
    while (rows.length > 1 && rows.at(-1) === '') rows.pop();
    return rows;
  }

  /** Breaks rows that are now too long, as terminals do; the cursor stays behind its text. */
  resize(width: number): void {
    this.width = width;
    const before = this.#rows.splice(0);
    for (const [index, row] of before.entries()) {
      const text = row.trimEnd();
      for (let at = 0; at === 0 || at < text.length; at += width) {
        this.#rows.push(text.slice(at, at + width));
      }
      if (index === this.#row) this.#row = this.#rows.length - 1;
    }
    this.#column = Math.min(this.#column, width);
  }

  #take(token: string): void {
    if (token === '\n') {
      this.#row += 1;
      this.#column = 0;
      while (this.#rows.length <= this.#row) this.#rows.push('');
    } else if (token === '\r') this.#column = 0;
    else if (token.startsWith('\u001b[')) this.#control(token);
    else this.#print(token);
  }

  #control(token: string): void {
    const count = Number(token.slice(2, -1) || '1');
    const row = this.#rows[this.#row] as string;
    if (token.endsWith('A')) this.#row = Math.max(0, this.#row - count);
    else if (token.endsWith('K')) this.#rows[this.#row] = row.slice(0, this.#column);
    else if (token.endsWith('J')) {
      this.#rows[this.#row] = row.slice(0, this.#column);
      this.#rows.splice(this.#row + 1);
    } else if (!token.endsWith('m')) throw new Error(`no such control: ${JSON.stringify(token)}`);
  }

  #print(character: string): void {
    if (this.#column >= this.width) this.#take('\n');
    const row = (this.#rows[this.#row] as string).padEnd(this.#column);
    this.#rows[this.#row] = row.slice(0, this.#column) + character + row.slice(this.#column + 1);
    this.#column += 1;
  }
}
