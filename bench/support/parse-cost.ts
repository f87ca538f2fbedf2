/** What reading a chunk costs once the system has handed it over: no sockets, user time only. */
import { HttpResponseReader } from '../../src/client/http-response.ts';
import { createChatEncoder, DIALECTS } from '../../src/wire/index.ts';

const CHUNKS = 200_000;
const encoder = createChatEncoder({
  id: 'chatcmpl-0123456789abcdef',
  createdSeconds: 1,
  model: 'm',
});
/** Chunks as a server sends them, framing included. */
export const CHUNK_BYTES = Array.from({ length: 900 }, (_, index) => {
  const text = encoder.output('answer', [' word', ' text', ' more'][index % 3] as string, {
    promptTokens: 1_024,
    completionTokens: 100 + index,
    reasoningTokens: null,
    cachedPromptTokens: null,
  });
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
});
const HEAD = Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');

/**
 * Nanoseconds of CPU per chunk: `framing` is HTTP alone, `alike` the whole reading of events by their
 * likeness, `parsed` the same with every event parsed as JSON.
 */
export function parseCostsNs(): Readonly<Record<'framing' | 'alike' | 'parsed', number>> {
  for (const warm of ['framing', 'alike', 'parsed'] as const) costNs(warm);
  return { framing: costNs('framing'), alike: costNs('alike'), parsed: costNs('parsed') };
}

function costNs(how: 'framing' | 'alike' | 'parsed'): number {
  const reader = DIALECTS.chat.createReader({
    stream: true,
    requestedChoices: 1,
    lineBytes: 1_000_000,
    keepText: false,
  });
  const http = new HttpResponseReader({
    head: () => {},
    body: (memory, from, to) => {
      if (how === 'framing') return;
      if (how === 'alike') reader.push(memory, 1, 1, from, to);
      else {
        // Cut after its first byte, an event is the decoder's.
        reader.push(memory, 1, 1, from, from + 1);
        reader.push(memory, 1, 1, from + 1, to);
      }
    },
    complete: () => {},
    malformed: (reason) => {
      throw new Error(reason);
    },
  });
  http.begin();
  http.push(HEAD);
  const before = process.cpuUsage().user;
  for (let index = 0; index < CHUNKS; index += 1) {
    http.push(CHUNK_BYTES[index % CHUNK_BYTES.length] as Buffer);
  }
  return ((process.cpuUsage().user - before) * 1e3) / CHUNKS;
}
