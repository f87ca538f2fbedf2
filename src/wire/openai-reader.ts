/** Readers of OpenAI-style answers: chat and completions, streamed and in one body. */
import type { AnswerReader, AnswerReading, ReaderOptions, ReaderState } from './dialect.ts';
import { addContent, type ContentByKind } from './choice-content.ts';
import { finishReasonOf } from './finish-reason.ts';
import { asArray, asObject, parseObject, type JsonObject } from './json-object.ts';
import { ReadingState, type ReadStamp } from './reading-state.ts';
import { announcedError } from './server-error.ts';
import { SseDecoder, type SseEvent } from './sse.ts';
import { queueSecondsOf, usageOf } from './usage-tally.ts';

const END_MARK = '[DONE]';

/** A reader for one answer of `/chat/completions` or `/completions`. */
export function createOpenAiReader(options: ReaderOptions): AnswerReader {
  return options.stream ? new StreamReader(options) : new BodyReader(options);
}

/** Reads the chunks of an answer into the state, whether they came as events or as one body. */
class ChunkReader {
  readonly state: ReadingState;
  readonly #requestedChoices: number;
  #lastIndex = 0;
  #finishedChoice: number | null = null;

  constructor(options: ReaderOptions) {
    this.state = new ReadingState(options);
    this.#requestedChoices = options.requestedChoices;
  }

  /** Usage is read before looking at choices: the event that carries it often has none. */
  chunk(chunk: JsonObject, stamp: ReadStamp): void {
    const error = announcedError(chunk);
    if (error !== null) this.state.failByServer(error);
    const choices = asArray(chunk['choices']) ?? [];
    const usage = usageOf(chunk['usage']) ?? usageOf(asObject(chunk['x_groq'])?.['usage']);
    if (usage !== null) {
      const closes = choices.length === 0 ? this.#finishedChoice : null;
      this.state.sawUsage(usage, closes, stamp.atNs);
    }
    const queueSeconds = queueSecondsOf(chunk);
    if (queueSeconds !== null) this.state.sawQueueTime(queueSeconds);
    if (choices.length > 0) this.#choices(choices, usage?.completionTokens ?? null, stamp);
  }

  #choices(choices: readonly unknown[], completionTokens: number | null, stamp: ReadStamp): void {
    this.state.sawChoices(stamp.atNs);
    if (choices.length > 1) this.state.fail('multipleChoices');
    const content: ContentByKind = { answer: '', reasoning: '', refusal: '', toolCall: '' };
    for (const item of choices) {
      const choice = asObject(item);
      if (choice === null) {
        this.state.fail('json');
        continue;
      }
      const index = typeof choice['index'] === 'number' ? choice['index'] : 0;
      this.#checkIndex(index);
      addContent(content, choice);
      this.#finish(choice['finish_reason'], index, stamp);
    }
    this.state.addOutput(content, completionTokens, stamp);
  }

  #finish(value: unknown, index: number, stamp: ReadStamp): void {
    if (value === 'error') this.state.failByServer({ code: 'finish_reason_error' });
    const reason = finishReasonOf(value);
    if (reason === null) return;
    this.state.sawFinish(reason, stamp.atNs);
    this.#finishedChoice = index;
  }

  /**
   * Nobody asked for a second choice, yet some servers (older TGI) count tokens in `index`: an
   * index that only grows is that quirk, one that falls back is a second answer.
   */
  #checkIndex(index: number): void {
    if (index === this.#lastIndex) return;
    if (this.#requestedChoices > 1 || index < this.#lastIndex) this.state.fail('multipleChoices');
    else this.state.note('choiceIndexCounts');
    this.#lastIndex = index;
  }
}

class StreamReader implements AnswerReader {
  readonly #decoder: SseDecoder;
  readonly #chunks: ChunkReader;

  constructor(options: ReaderOptions) {
    this.#decoder = new SseDecoder(options);
    this.#chunks = new ChunkReader(options);
  }

  get state(): ReaderState {
    const { state } = this.#chunks;
    return state.failed ? 'failed' : state.terminalSeen ? 'ended' : 'open';
  }

  get reading(): AnswerReading {
    return this.#chunks.state.reading(this.#decoder.commentCount);
  }

  push(bytes: Uint8Array, atNs: number, readId: number): ReaderState {
    const { state } = this.#chunks;
    if (state.terminalSeen) return 'ended';
    for (const event of this.#decoder.push(bytes)) this.#event(event, { atNs, readId });
    if (this.#decoder.failure !== null && !state.terminalSeen) state.fail(this.#decoder.failure);
    this.#readStrayError();
    return this.state;
  }

  end(how: 'complete' | 'cut'): void {
    const { state } = this.#chunks;
    if (how === 'complete' && !state.terminalSeen) {
      this.#decoder.end();
      if (this.#decoder.failure !== null) state.fail(this.#decoder.failure);
      this.#readStrayError();
    }
    if (this.#decoder.unknownFieldCount > 0) state.note('unknownFields');
    if (state.failed) return;
    if (!state.terminalSeen && this.#decoder.unterminated) state.note('unterminatedEvent');
    if (!state.terminalSeen && !state.finishSeen) {
      state.fail('truncated');
      return;
    }
    if (how === 'cut') state.note(state.terminalSeen ? 'resetAfterTerminal' : 'resetAfterFinish');
    else if (!state.terminalSeen) state.note('noTerminal');
    if (!state.finishSeen) state.note('noFinishReason');
    if (!state.hasOutput) state.fail('empty');
  }

  #event(event: SseEvent, stamp: ReadStamp): void {
    const { state } = this.#chunks;
    if (state.terminalSeen) return;
    if (event.event === 'error') {
      state.sawEvent(stamp.atNs);
      state.failByServer(event.data);
      return;
    }
    if (event.data === '') return;
    state.sawEvent(stamp.atNs);
    if (event.data.trim() === END_MARK) {
      state.sawTerminal(stamp.atNs);
      return;
    }
    const chunk = parseObject(event.data);
    if (chunk === null) state.fail('json');
    else this.#chunks.chunk(chunk, stamp);
  }

  /** An error body sent as it is, without any `data:`. */
  #readStrayError(): void {
    const { strayText } = this.#decoder;
    if (!strayText.endsWith('}\n')) return;
    const body = parseObject(strayText);
    const error = body === null ? null : announcedError(body);
    if (error !== null) this.#chunks.state.failByServer(error);
  }
}

/** One JSON body. Its content is one output event at the body's last read. */
class BodyReader implements AnswerReader {
  readonly #chunks: ChunkReader;
  readonly #pieces: Uint8Array[] = [];
  #lastRead: ReadStamp = { atNs: 0, readId: 0 };

  constructor(options: ReaderOptions) {
    this.#chunks = new ChunkReader(options);
  }

  get state(): ReaderState {
    return this.#chunks.state.failed ? 'failed' : 'open';
  }

  get reading(): AnswerReading {
    return this.#chunks.state.reading(0);
  }

  push(bytes: Uint8Array, atNs: number, readId: number): ReaderState {
    this.#pieces.push(bytes.slice());
    this.#lastRead = { atNs, readId };
    return this.state;
  }

  end(how: 'complete' | 'cut'): void {
    const { state } = this.#chunks;
    if (how === 'cut') {
      state.fail('truncated');
      return;
    }
    const text = this.#decoded();
    if (text === null) {
      state.fail('utf8');
      return;
    }
    const body = parseObject(text);
    if (body === null) {
      state.fail(text.trim() === '' ? 'empty' : 'json');
      return;
    }
    state.sawEvent(this.#lastRead.atNs);
    this.#chunks.chunk(body, this.#lastRead);
    if (!state.finishSeen) state.note('noFinishReason');
    if (!state.hasOutput) state.fail('empty');
  }

  #decoded(): string | null {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(this.#pieces));
    } catch {
      return null;
    }
  }
}
