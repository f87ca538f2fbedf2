/** An answer read later, many pieces at a time, is what it is when each piece is read as it comes. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { VirtualClock } from '../base/index.ts';
import type { SendResult } from '../record/index.ts';
import { DIALECT_NAMES, DIALECTS, type DialectName } from '../wire/index.ts';
import { DIALECT_STREAMS } from '../../test/support/dialect-streams.ts';
import { cutAt } from '../../test/support/wire-reading.ts';
import { Exchange } from './exchange.ts';
import { ReadingQueue } from './reading-queue.ts';
import type { Connection } from './transport.ts';

type End = 'end' | 'cut' | 'cancel';

interface Delivery {
  readonly dialect: DialectName;
  readonly pieces: readonly Uint8Array[];
  readonly end: End;
  readonly limits: { readonly lineBytes: number; readonly responseBytes: number };
}

const CONNECTION: Connection = {
  opened: null,
  firstReadNs: null,
  usable: true,
  dispatch: () => {},
  destroy: () => {},
};

interface Begun {
  readonly exchange: Exchange;
  readonly clock: VirtualClock;
  settled(): { readonly result: SendResult; readonly reusable: boolean } | null;
}

/** An answer whose head has come. */
function begin(dialect: DialectName, limits: Delivery['limits']): Begun {
  const clock = new VirtualClock();
  const spoken = DIALECTS[dialect];
  let settled: ReturnType<Begun['settled']> = null;
  const options = {
    stream: true,
    requestedChoices: 1,
    keepText: true,
    lineBytes: limits.lineBytes,
  };
  const [mediaType] = spoken.mediaTypes.stream;
  const exchange = new Exchange(
    {
      clock,
      queue: new ReadingQueue(clock),
      wallNowMs: () => 0,
      responseBytes: limits.responseBytes,
      terminalGraceNs: 5,
      tests: [],
      mediaTypes: spoken.mediaTypes.stream,
    },
    { requestId: 'r', body: {}, headers: {}, streamed: true, deadlineNs: 1e9, traceId: null },
    CONNECTION,
    spoken.createReader(options),
    (result, reusable) => {
      settled = { result, reusable };
    },
  );
  exchange.onWritten(0);
  exchange.onHead(200, { 'content-type': mediaType });
  return { exchange, clock, settled: () => settled };
}

/** What comes of it when the answer is read after each piece for which `readsAfter` says so. */
function deliver(
  { dialect, pieces, end, limits }: Delivery,
  readsAfter: (piece: number) => boolean,
): { readonly result: SendResult | null; readonly reusable: boolean | null } {
  const { exchange, settled } = begin(dialect, limits);
  // Read into again, as a socket's memory is.
  const memory = Buffer.alloc(64_000);
  for (const [index, piece] of pieces.entries()) {
    memory.fill(0xff, 0, piece.length + 9);
    memory.set(piece, 3);
    exchange.onBody(memory, 3, 3 + piece.length, 10 * index, index);
    if (readsAfter(index)) exchange.readWaiting();
  }
  const atNs = 10 * pieces.length - 8;
  if (end === 'end') exchange.onEnd(atNs);
  else if (end === 'cut') exchange.onFault({ kind: 'cut' });
  else exchange.cancel();
  return settled() ?? { result: null, reusable: null };
}

const texts = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), {
  minLength: 1,
  maxLength: 60,
});
/** The first in three of four cases: what most answers came to would hide all their other ends. */
function mostly<T>(usual: T, rare: T): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constant(rare) },
  );
}

const delivery = fc
  .record({
    dialect: fc.constantFrom(...DIALECT_NAMES),
    texts,
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 120, size: 'large' }),
    broken: fc.option(fc.tuple(fc.nat(), fc.nat(255)), { freq: 2 }),
    big: mostly(false, true),
    /** What of the answer comes before its end: most are whole then, whatever ends them. */
    cameShare: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
    end: fc.constantFrom<End>('end', 'cut', 'cancel'),
    limits: fc.record({
      lineBytes: mostly(1_000_000, 60),
      responseBytes: mostly(1_000_000, 100),
    }),
  })
  .map(({ dialect, texts: all, cuts, broken, big, cameShare, end, limits }): Delivery => {
    const whole = DIALECT_STREAMS[dialect](big ? [...all, 'x'.repeat(9_000), 'y'] : all);
    const bytes = Uint8Array.from(whole.subarray(0, Math.ceil(cameShare * whole.length)));
    if (broken !== null && bytes.length > 0) bytes[broken[0] % bytes.length] = broken[1];
    return { dialect, pieces: cutAt(bytes, cuts), end, limits };
  });

test('law: whenever an answer is read, it is the same', () => {
  const ends = new Map<string, number>();
  fc.assert(
    fc.property(
      delivery,
      fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }),
      (made, moments) => {
        const atOnce = deliver(made, () => true);
        expect(deliver(made, () => false)).toEqual(atOnce);
        expect(deliver(made, (piece) => moments[piece % moments.length] === true)).toEqual(atOnce);
        const { end } = atOnce.result ?? { end: null };
        const word = end?.kind === 'failed' ? end.failure : (end?.kind ?? 'open');
        ends.set(word, (ends.get(word) ?? 0) + 1);
      },
    ),
    { numRuns: Number(process.env['GOODPUT_FUZZ_RUNS'] ?? 300) },
  );
  for (const each of ['completed', 'cancelled', 'truncated', 'lineLimit', 'bodyLimit', 'json']) {
    expect(ends.get(each), each).toBeGreaterThan(0);
  }
});

/** The events of a stream, each with its line ends or its frame. */
function eventsOf(dialect: DialectName, stream: Buffer): Buffer[] {
  const [mediaType] = DIALECTS[dialect].mediaTypes.stream;
  if (mediaType.includes('amazon')) {
    const to = stream.length === 0 ? 0 : stream.readUInt32BE(0);
    return to === 0 ? [] : [stream.subarray(0, to), ...eventsOf(dialect, stream.subarray(to))];
  }
  const ends = mediaType === 'text/event-stream' ? /(?<=\n\n)/ : /(?<=\n)/;
  return stream
    .toString('latin1')
    .split(ends)
    .map((event) => Buffer.from(event, 'latin1'));
}

/** Those whose streams have no end mark: they end with the body. */
const WITHOUT_MARK: readonly DialectName[] = ['gemini', 'tgi', 'triton', 'watsonx'];

test.each(DIALECT_NAMES.filter((name) => !WITHOUT_MARK.includes(name)))(
  '%s: the end mark is read in the turn after it came, though the body stays open',
  async (dialect) => {
    const stream = Buffer.from(DIALECT_STREAMS[dialect]([' one', ' two', ' six', ' ten']));
    const { exchange, clock, settled } = begin(dialect, {
      lineBytes: 1_000_000,
      responseBytes: 1_000_000,
    });
    for (const [index, event] of eventsOf(dialect, stream).entries()) {
      exchange.onBody(event, 0, event.length, index, index);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise((resolve) => setImmediate(resolve));
    await clock.runAll();
    expect(settled()).toMatchObject({
      result: { end: { kind: 'completed' }, timeline: { notes: ['openAfterTerminal'] } },
      reusable: false,
    });
  },
);
