/** The start of a body as text, for searching; what lies beyond the bound is only counted. */
export class BoundedText {
  readonly #limitBytes: number;
  readonly #pieces: Uint8Array[] = [];
  #keptBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get full(): boolean {
    return this.#keptBytes >= this.#limitBytes;
  }

  add(bytes: Uint8Array): void {
    // A copy, which `slice` of a Buffer is not: the transport may read into the same memory again.
    const piece = new Uint8Array(bytes.subarray(0, this.#limitBytes - this.#keptBytes));
    this.#pieces.push(piece);
    this.#keptBytes += piece.length;
  }

  /** Not fatal: an error page in an old encoding can still be searched. */
  text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#pieces));
  }
}
