/** Where in a JSON text its values are, and where in the parsed object the same values are. */

/** A text or number inside a JSON object. */
export interface JsonScalar {
  readonly kind: 'string' | 'number';
  /** First byte of the value; of a text, the one behind its quote. */
  readonly from: number;
  /** The byte after the value; of a text, its closing quote. */
  readonly to: number;
  /** What holds the value in the parsed object, and under which key. */
  readonly holder: Record<string | number, unknown>;
  readonly key: string | number;
}

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const SPACE = 32;

/** Deeper than any answer of a model. */
const MOST_NESTED = 32;

/**
 * The texts and numbers of `root`, in the order of the bytes from `from` on, of which `root` was
 * parsed. `null` where bytes and object do not match one to one (a key given twice, `__proto__`),
 * or where it is nested too deep.
 */
export function jsonScalars(bytes: Uint8Array, from: number, root: object): JsonScalar[] | null {
  const walk = new ScalarWalk(bytes, from);
  return walk.root(root) ? walk.found : null;
}

/** The bytes are known to be JSON, so only what tells values apart is looked at. */
class ScalarWalk {
  readonly found: JsonScalar[] = [];
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes;
    this.#at = from;
  }

  /** A server may put blanks before its object. */
  root(value: object): boolean {
    this.#skipBlanks();
    return this.holder(value, 0);
  }

  /** An object or array, from its bracket to behind its other one. */
  holder(value: unknown, depth: number): boolean {
    if (typeof value !== 'object' || value === null || depth > MOST_NESTED) return false;
    const holder = value as Record<string | number, unknown>;
    const isArray = Array.isArray(value);
    const seen = new Set<string>();
    this.#at += 1;
    for (let index = 0; this.#toNext(); index += 1) {
      const key = isArray ? index : this.#key();
      if (typeof key === 'string') {
        if (key === '__proto__' || seen.has(key)) return false;
        seen.add(key);
      }
      if (!this.#value(holder, key, depth)) return false;
    }
    this.#at += 1;
    return true;
  }

  /** To the next item; `false` at the closing bracket. */
  #toNext(): boolean {
    while (this.#byte <= SPACE || this.#byte === COMMA) this.#at += 1;
    return this.#byte !== CLOSE_BRACKET && this.#byte !== CLOSE_BRACE;
  }

  #key(): string {
    const from = this.#at;
    this.#at += 1;
    this.#toQuote();
    this.#at += 1;
    const text = new TextDecoder().decode(this.#bytes.subarray(from, this.#at));
    this.#skipBlanks();
    // The colon.
    this.#at += 1;
    return JSON.parse(text) as string;
  }

  #value(holder: JsonScalar['holder'], key: string | number, depth: number): boolean {
    this.#skipBlanks();
    const first = this.#byte;
    if (first === OPEN_BRACE || first === OPEN_BRACKET) return this.holder(holder[key], depth + 1);
    const isText = first === QUOTE;
    if (isText) this.#at += 1;
    const from = this.#at;
    if (isText) this.#toQuote();
    else this.#toValueEnd();
    const to = this.#at;
    if (isText) this.#at += 1;
    const value = holder[key];
    if (isText) this.found.push({ kind: 'string', from, to, holder, key });
    else if (typeof value === 'number') this.found.push({ kind: 'number', from, to, holder, key });
    return true;
  }

  #skipBlanks(): void {
    while (this.#byte <= SPACE) this.#at += 1;
  }

  #toQuote(): void {
    while (this.#byte !== QUOTE) this.#at += this.#byte === BACKSLASH ? 2 : 1;
  }

  #toValueEnd(): void {
    for (;;) {
      const byte = this.#byte;
      if (byte <= SPACE || byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return;
      this.#at += 1;
    }
  }

  get #byte(): number {
    return this.#bytes[this.#at] as number;
  }
}
