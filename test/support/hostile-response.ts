/** Responses as no server should send them, for fuzzing. */
import type { Socket } from 'node:net';
import * as fc from 'fast-check';
import { sse } from './wire-reading.ts';

export interface HostileResponse {
  /** Written one after the other. */
  readonly parts: readonly Buffer[];
  readonly end: 'end' | 'reset';
}

const events = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }).map((text) => sse.content(text)),
    fc.constantFrom(': ping\n\n', sse.role(), sse.usage(3), sse.finish(), sse.done()),
  ),
  { minLength: 1, maxLength: 8 },
);
const statusLine = fc.oneof(
  { weight: 8, arbitrary: fc.constant('HTTP/1.1 200 OK') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'HTTP/1.0 200 OK',
      'HTTP/1.1 200',
      'HTTP/1.1 429 Slow',
      'HTTP/1.1 204 No',
    ),
  },
);
const interim = fc.constantFrom('', '', '', 'HTTP/1.1 103 Early Hints\r\n\r\n', '\r\n');
const moreHeaders = fc.constantFrom(
  '',
  '',
  'x-empty:\r\n',
  'connection: close\r\n',
  'connection: keep-alive\r\nkeep-alive: timeout=5\r\n',
  'x-a: b\r\nx-a: c\r\n',
  `x-long: ${'a'.repeat(3_000)}\r\n`,
  'content-encoding: gzip\r\n',
);
const framing = fc.constantFrom('chunked', 'chunked', 'length', 'close', 'short', 'long');
const extension = fc.constantFrom('', '', '', ';a', ';a=b', ';a="b c"');
const trailer = fc.constantFrom('', '', 'x-sum: 1\r\n');
/** A byte replaced, in one response of two. */
const broken = fc.option(
  fc.record({ at: fc.double({ min: 0, max: 0.999, noNaN: true }), byte: fc.nat(255) }),
  { freq: 1 },
);

/** A response with odd framing, cut anywhere, broken now and then, that ends in time. */
export const hostileResponse: fc.Arbitrary<HostileResponse> = fc
  .record({
    events,
    statusLine,
    interim,
    moreHeaders,
    framing,
    extension,
    trailer,
    broken,
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
    // A reset may overtake what was sent, so its outcome is a race: only ends are compared.
    end: fc.constant('end' as const),
  })
  .map((made) => ({ parts: partsOf(made), end: made.end }));

interface Made {
  readonly events: readonly string[];
  readonly statusLine: string;
  readonly interim: string;
  readonly moreHeaders: string;
  readonly framing: string;
  readonly extension: string;
  readonly trailer: string;
  readonly broken: { readonly at: number; readonly byte: number } | null;
  readonly cuts: readonly number[];
}

function partsOf(made: Made): Buffer[] {
  const bytes = Buffer.from(textOf(made));
  if (made.broken !== null) bytes[Math.floor(made.broken.at * bytes.length)] = made.broken.byte;
  const cuts = made.cuts.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b);
  return [0, ...cuts]
    .map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length))
    .filter((part) => part.length > 0);
}

function textOf(made: Made): string {
  const head = `${made.interim}${made.statusLine}\r\ncontent-type: text/event-stream\r\n${made.moreHeaders}`;
  const body = made.events.join('');
  const length = Buffer.byteLength(body);
  switch (made.framing) {
    case 'chunked': {
      const chunks = made.events.map(
        (event) => `${Buffer.byteLength(event).toString(16)}${made.extension}\r\n${event}\r\n`,
      );
      return `${head}transfer-encoding: chunked\r\n\r\n${chunks.join('')}0\r\n${made.trailer}\r\n`;
    }
    case 'length':
      return `${head}content-length: ${length}\r\n\r\n${body}`;
    case 'short':
      return `${head}content-length: ${Math.max(1, length - 7)}\r\n\r\n${body}`;
    case 'long':
      return `${head}content-length: ${length + 7}\r\n\r\n${body}`;
    default:
      return `${head}\r\n${body}`;
  }
}

/** Writes the parts in turns of the loop, so that they mostly arrive apart. */
export function writeResponse(socket: Socket, { parts, end }: HostileResponse): void {
  const [part, ...rest] = parts;
  if (part === undefined) {
    if (end === 'end') socket.end();
    else socket.resetAndDestroy();
    return;
  }
  socket.setNoDelay(true);
  socket.write(part, () => setImmediate(() => writeResponse(socket, { parts: rest, end })));
}
