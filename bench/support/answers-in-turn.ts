/** What our client adds to a read when many answers take turns, as they do on sockets: none is in the caches. */
import { createRealClock } from '../../src/base/index.ts';
import { Exchange } from '../../src/client/exchange.ts';
import { HttpResponseReader, type ResponseSink } from '../../src/client/http-response.ts';
import { ReadingQueue } from '../../src/client/reading-queue.ts';
import type { ResponseHeaders } from '../../src/client/response-head.ts';
import { DIALECTS } from '../../src/wire/index.ts';
import { CHUNK_BYTES } from './parse-cost.ts';

const HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
);
/** Reads of one turn of the event loop, as at 25 600 chunks/s. */
const READS_PER_TURN = 32;

const clock = createRealClock();
const memory = Buffer.allocUnsafeSlow(65_536);

/** One answer, read as the fast transport's connection does, from memory that all share. */
class Answer implements ResponseSink {
  readonly #reader = new HttpResponseReader(this);
  readonly #exchange: Exchange;
  #chunks = 0;
  #atNs = 0;

  constructor(queue: ReadingQueue) {
    const limits = { responseBytes: 1e12, terminalGraceNs: 1e8 };
    this.#exchange = new Exchange(
      { ...limits, clock, queue, wallNowMs: () => 0, tests: [], mediaTypes: ['text/event-stream'] },
      { requestId: '', body: {}, headers: {}, streamed: true, deadlineNs: 1e14, traceId: null },
      { opened: null, firstReadNs: null, usable: true, dispatch: () => {}, destroy: () => {} },
      DIALECTS.chat.createReader({
        stream: true,
        requestedChoices: 1,
        lineBytes: 1_000_000,
        keepText: false,
      }),
      () => {},
    );
    this.#reader.begin();
    this.#read(HEAD);
  }

  readNext(): void {
    this.#read(CHUNK_BYTES[this.#chunks % CHUNK_BYTES.length] as Buffer);
    this.#chunks += 1;
  }

  cancel(): void {
    this.#exchange.cancel();
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#exchange.onHead(status, headers);
  }

  body(bytes: Buffer, from: number, to: number): void {
    this.#exchange.onBody(bytes, from, to, this.#atNs, this.#chunks);
  }

  complete(): void {}

  malformed(reason: string): void {
    throw new Error(reason);
  }

  #read(bytes: Buffer): void {
    bytes.copy(memory);
    this.#atNs = clock.nowNs();
    this.#reader.push(memory, bytes.length);
  }
}

/** Nanoseconds of CPU per chunk, the copy that stands for the system's read included. */
export async function answersInTurnNs(answerCount: number, chunks: number): Promise<number> {
  const queue = new ReadingQueue(clock);
  const answers = Array.from({ length: answerCount }, () => new Answer(queue));
  const readAll = async (count: number): Promise<void> => {
    for (let read = 0; read < count; read += 1) {
      answers[read % answerCount]?.readNext();
      if (read % READS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await readAll(chunks / 2);
  const before = process.cpuUsage();
  await readAll(chunks);
  const { user, system } = process.cpuUsage(before);
  for (const answer of answers) answer.cancel();
  return ((user + system) * 1e3) / chunks;
}
