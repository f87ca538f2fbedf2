/** Counts the tokens of a text that comes in pieces, in bounded memory and small steps. */
import type { Tokenizer } from './tokenizer.ts';

/** Adds up one text. */
export interface TextTally {
  add(text: string): void;
  /** Tokens of all that was added. */
  total(): number;
}

type Counts = Pick<Tokenizer, 'count'>;

/** Text is counted as soon as there is this much of it: 0.1 to 0.5 ms of work. */
const STEP_CHARACTERS = 512;
/**
 * A text without a place to cut is cut here all the same: merging is quadratic in the length of a
 * run, and a hostile server could send megabytes of one. Each such cut is a token or two off.
 */
const RUN_CHARACTERS = 1_024;
/** Where parts do not add up: all of an ordinary answer, and not all of a hostile one. */
const WHOLE_CHARACTERS = 65_536;

/**
 * Tallies of this tokenizer. Most count a text in parts as they count the whole, if it is cut at
 * the right places, so that their work is spread over the answer and little text is kept; whether
 * this one does is tried. One that does not (it puts a blank of its own before every text) counts
 * at the end.
 */
export function createTallies(tokenizer: Counts): () => TextTally {
  return addsUp(tokenizer)
    ? () => new PiecewiseTally(tokenizer, lastCut, RUN_CHARACTERS)
    : () => new PiecewiseTally(tokenizer, () => null, WHOLE_CHARACTERS);
}

/**
 * A letter before a blank or a mark that has a letter behind it. There every known vocabulary
 * begins a new piece: GPT's patterns, and Llama's and Qwen's after them, take the blank or mark
 * to the letters behind it or as a piece of its own, never to those before it.
 */
const CUT = /\p{L}(?=[ ,.;:!?，。、；：！？]\p{L})/gu;

/** A letter may be two code units, as may the one behind the mark. */
const PLACE_CHARACTERS = 5;

type CutsAt = (text: string, from: number) => number | null;

/** The last place to cut at or after `from`; `null` when there is none. */
function lastCut(text: string, from: number): number | null {
  let at: number | null = null;
  CUT.lastIndex = from;
  for (let found = CUT.exec(text); found !== null; found = CUT.exec(text)) at = CUT.lastIndex;
  return at;
}

const SAMPLE =
  'The first answer, she said:yes. Don’t they’re 3,000 words?No! ça va bien, où est-il;là. ' +
  'Это работает, да. 今天天气很好，我们去公园。好吗？ ありがとう、はい。 안녕하세요, 네. if (x) return y;\n\nnext line';

/** Whether counting the parts gives the count of the whole, at every place to cut. */
function addsUp(tokenizer: Counts): boolean {
  const whole = tokenizer.count(SAMPLE);
  for (const { index, 0: letter } of SAMPLE.matchAll(CUT)) {
    const at = index + letter.length;
    const parts = tokenizer.count(SAMPLE.slice(0, at)) + tokenizer.count(SAMPLE.slice(at));
    if (parts !== whole) return false;
  }
  return true;
}

class PiecewiseTally implements TextTally {
  readonly #tokenizer: Counts;
  readonly #cutsAt: CutsAt;
  readonly #runCharacters: number;
  #rest = '';
  /** Of the rest, what was searched for a place to cut. */
  #searched = 0;
  #tokens = 0;

  constructor(tokenizer: Counts, cutsAt: CutsAt, runCharacters: number) {
    this.#tokenizer = tokenizer;
    this.#cutsAt = cutsAt;
    this.#runCharacters = runCharacters;
  }

  add(text: string): void {
    this.#rest += text;
    while (this.#rest.length >= STEP_CHARACTERS && this.#step());
  }

  total(): number {
    return this.#tokens + (this.#rest === '' ? 0 : this.#tokenizer.count(this.#rest));
  }

  /** Counts the rest up to the last place to cut in its first run; false when there is none yet. */
  #step(): boolean {
    const run = this.#rest.slice(0, this.#runCharacters);
    const at = this.#cutsAt(run, this.#searched) ?? this.#forcedCut();
    if (at === null) {
      // A place at the end is seen only with the two characters behind it.
      this.#searched = Math.max(0, run.length - PLACE_CHARACTERS);
      return false;
    }
    this.#tokens += this.#tokenizer.count(run.slice(0, at));
    this.#rest = this.#rest.slice(at);
    this.#searched = 0;
    return true;
  }

  /** Never inside a character. */
  #forcedCut(): number | null {
    const at = this.#runCharacters;
    if (this.#rest.length < at) return null;
    const unit = this.#rest.charCodeAt(at - 1);
    return unit >= 0xd800 && unit <= 0xdbff ? at - 1 : at;
  }
}
