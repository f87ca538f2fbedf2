/** Places of a schedule, one bit each: a set of numbers would take forty bytes a request. */
export class PlaceSet {
  readonly #bits: Uint8Array;
  #size = 0;

  /** Of the places 0 to `places` − 1. */
  constructor(places: number) {
    this.#bits = new Uint8Array(Math.ceil(places / 8));
  }

  get size(): number {
    return this.#size;
  }

  has(place: number): boolean {
    return ((this.#bits[place >> 3] as number) & (1 << (place & 7))) !== 0;
  }

  add(place: number): void {
    if (this.has(place)) return;
    this.#bits[place >> 3] = (this.#bits[place >> 3] as number) | (1 << (place & 7));
    this.#size += 1;
  }
}
