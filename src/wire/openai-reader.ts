/** OpenAI-style answers: chat and completions, streamed and in one body. */
import { jsonMessages, type AnswerFormat, type ReadObject } from './answer-format.ts';
import { addContent, noContent } from './choice-content.ts';
import type { ReaderOptions } from './dialect.ts';
import { draftOfTimings, draftOfUsage } from './draft-tokens.ts';
import { finishReasonOf } from './finish-reason.ts';
import { asArray, asObject, type JsonObject } from './json-object.ts';
import type { ReadingState, ReadStamp } from './reading-state.ts';
import type { Usage } from '../record/index.ts';
import { SseDecoder } from './sse.ts';
import { queueSecondsOf, usageOf } from './usage-tally.ts';

/** Answers of `/chat/completions` and `/completions`. */
export const openAiFormat: AnswerFormat = {
  framing: (limits) => new SseDecoder(limits),
  ends: 'mark',
  message: (state, options) => jsonMessages(state, readChunks(state, options)),
  body: readChunks,
};

/** A chunk of a stream and a whole body differ only in `delta` and `message`. */
function readChunks(state: ReadingState, options: ReaderOptions): ReadObject {
  const reader = new ChunkReader(state, options.requestedChoices);
  return (chunk, stamp) => reader.chunk(chunk, stamp);
}

class ChunkReader {
  readonly #state: ReadingState;
  readonly #requestedChoices: number;
  #lastIndex = 0;
  #finishedChoice: number | null = null;

  constructor(state: ReadingState, requestedChoices: number) {
    this.#state = state;
    this.#requestedChoices = requestedChoices;
  }

  /** Usage is read before looking at choices: the event that carries it often has none. */
  chunk(chunk: JsonObject, stamp: ReadStamp): void {
    const choices = asArray(chunk['choices']) ?? [];
    const usage = usageOf(chunk['usage']) ?? usageOf(asObject(chunk['x_groq'])?.['usage']);
    if (usage !== null) {
      const closes = choices.length === 0 ? this.#finishedChoice : null;
      this.#state.sawUsage(usage, closes, stamp.atNs);
    }
    const draft = draftOfUsage(chunk['usage']) ?? draftOfTimings(chunk);
    if (draft !== null) this.#state.sawDraft(draft);
    const queueSeconds = queueSecondsOf(chunk);
    if (queueSeconds !== null) this.#state.sawQueueTime(queueSeconds);
    if (choices.length > 0) this.#choices(choices, usage, stamp);
  }

  #choices(choices: readonly unknown[], usage: Usage | null, stamp: ReadStamp): void {
    this.#state.sawChoices(stamp.atNs);
    if (choices.length > 1) this.#refuseChoices();
    const content = noContent();
    for (const item of choices) {
      const choice = asObject(item);
      if (choice === null) {
        this.#state.fail('json');
        continue;
      }
      const index = typeof choice['index'] === 'number' ? choice['index'] : 0;
      this.#checkIndex(index);
      addContent(content, choice);
      this.#finish(choice['finish_reason'], index, stamp);
    }
    this.#state.addOutput(content, usage, stamp);
  }

  #finish(value: unknown, index: number, stamp: ReadStamp): void {
    if (value === 'error') this.#state.failByServer({ code: 'finish_reason_error' });
    const reason = finishReasonOf(value);
    if (reason === null) return;
    this.#state.sawFinish(reason, stamp.atNs);
    this.#finishedChoice = index;
  }

  /**
   * Nobody asked for a second choice, yet some servers (older TGI) count tokens in `index`: an
   * index that only grows is that quirk, one that falls back is a second answer.
   */
  #checkIndex(index: number): void {
    if (index === this.#lastIndex) return;
    if (this.#requestedChoices > 1 || index < this.#lastIndex) this.#refuseChoices();
    else this.#state.note('choiceIndexCounts');
    this.#lastIndex = index;
  }

  /** Choices that were asked for are read to the end, each; others are nothing we can read. */
  #refuseChoices(): void {
    if (this.#requestedChoices > 1) this.#state.failAtEnd('multipleChoices');
    else this.#state.fail('multipleChoices');
  }
}
