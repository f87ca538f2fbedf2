/**
 * CPython's `random.Random`, so that a program written for it can be repeated draw for draw: the
 * Mersenne Twister seeded as CPython seeds it with an integer, and the variates derived as
 * `Lib/random.py` derives them.
 *
 * Uniform doubles are CPython's bit for bit. Variates go through the machine's logarithm and
 * exponential, which may differ from the C library's in the last bit.
 */
import { assert } from '../base/index.ts';

const STATE_WORDS = 624;
const SHIFT_WORDS = 397;
/** 4·exp(−½)/√2, as CPython computes it. */
const NORMAL_CONSTANT = 1.7155277699214135;

export class CpythonRandom {
  // Signed words: V8 keeps them as 32-bit integers, where unsigned ones may become doubles.
  readonly #state = new Int32Array(STATE_WORDS);
  #at = STATE_WORDS;

  /** `seed`: a whole number; like CPython, its sign is ignored. */
  constructor(seed: number) {
    assert(Number.isSafeInteger(seed), `seed ${seed} is not a whole number`);
    const size = Math.abs(seed);
    const low = size % 2 ** 32;
    const high = Math.floor(size / 2 ** 32);
    this.#seedByWords(high === 0 ? [low] : [low, high]);
  }

  /** Uniform on [0, 1) with 53 random bits. */
  random(): number {
    const high = this.#nextWord() >>> 5;
    const low = this.#nextWord() >>> 6;
    return (high * 67_108_864 + low) * (1 / 9_007_199_254_740_992);
  }

  /** Exponential with mean 1/`rate`. */
  expovariate(rate: number): number {
    return -Math.log(1 - this.random()) / rate;
  }

  /** Normal, by the ratio of uniforms of Kinderman and Monahan (1977). */
  normalvariate(mean: number, deviation: number): number {
    for (;;) {
      const u1 = this.random();
      const u2 = 1 - this.random();
      const z = (NORMAL_CONSTANT * (u1 - 0.5)) / u2;
      if ((z * z) / 4 <= -Math.log(u2)) return mean + z * deviation;
    }
  }

  /** e to the power of a normal variate. */
  lognormvariate(mean: number, deviation: number): number {
    return Math.exp(this.normalvariate(mean, deviation));
  }

  #nextWord(): number {
    if (this.#at === STATE_WORDS) this.#twist();
    let word = this.#state[this.#at] as number;
    this.#at += 1;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return word ^ (word >>> 18);
  }

  #twist(): void {
    const state = this.#state;
    for (let at = 0; at < STATE_WORDS; at += 1) {
      const next = at + 1 === STATE_WORDS ? 0 : at + 1;
      const far =
        at + SHIFT_WORDS < STATE_WORDS ? at + SHIFT_WORDS : at + SHIFT_WORDS - STATE_WORDS;
      const bits = ((state[at] as number) & 0x80000000) | ((state[next] as number) & 0x7fffffff);
      state[at] = (state[far] as number) ^ (bits >>> 1) ^ (-(bits & 1) & 0x9908b0df);
    }
    this.#at = 0;
  }

  /** `init_by_array` of the reference implementation. */
  #seedByWords(words: readonly number[]): void {
    const state = this.#state;
    state[0] = 19_650_218;
    for (let at = 1; at < STATE_WORDS; at += 1) {
      state[at] = Math.imul(1_812_433_253, scrambled(state, at)) + at;
    }
    let at = 1;
    const advance = (): void => {
      at += 1;
      if (at < STATE_WORDS) return;
      state[0] = state[STATE_WORDS - 1] as number;
      at = 1;
    };
    for (let round = 0; round < STATE_WORDS; round += 1) {
      const word = round % words.length;
      state[at] =
        ((state[at] as number) ^ Math.imul(scrambled(state, at), 1_664_525)) +
        (words[word] as number) +
        word;
      advance();
    }
    for (let round = 1; round < STATE_WORDS; round += 1) {
      state[at] = ((state[at] as number) ^ Math.imul(scrambled(state, at), 1_566_083_941)) - at;
      advance();
    }
    state[0] = 0x80000000 | 0;
    this.#at = STATE_WORDS;
  }
}

/** The word before `at`, its upper two bits mixed into its lower ones. */
function scrambled(state: Int32Array, at: number): number {
  const before = state[at - 1] as number;
  return before ^ (before >>> 30);
}
