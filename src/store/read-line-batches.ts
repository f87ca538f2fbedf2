/** Reads a file in batches of lines: a log of a hundred million lines should not wait for each. */
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { readFailure } from './file-errors.ts';

export interface LineBatch {
  /** Without line ends. */
  readonly lines: readonly string[];
  /** Number of the first, from 1. */
  readonly first: number;
}

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 1_024 * 1_024;

/**
 * All lines of `path` (`.gz` is unpacked); the last needs no line end. Memory: one chunk and the
 * longest line, which may not exceed `limitBytes`.
 * Errors: `EnvironmentError` when the file cannot be read.
 */
export async function* readLineBatches(
  path: string,
  limitBytes: number,
): AsyncGenerator<LineBatch> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let first = 1;
  for await (const chunk of chunksOf(path)) {
    const end = chunk.lastIndexOf(LINE_FEED);
    if (end < 0) {
      if (restBytes < limitBytes) rest.push(chunk);
      restBytes += chunk.length;
      continue;
    }
    const text = Buffer.concat([...rest, chunk.subarray(0, end)]).toString('utf8');
    rest = [Buffer.from(chunk.subarray(end + 1))];
    restBytes = rest[0]?.length ?? 0;
    const lines = text.split('\n');
    yield { lines, first };
    first += lines.length;
  }
  if (restBytes > 0) yield { lines: [Buffer.concat(rest).toString('utf8')], first };
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
    const source = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
    // Without this a failing file would leave the unpacker waiting.
    if (source !== file) file.on('error', (error) => source.destroy(error));
    for await (const chunk of source) yield chunk as Buffer;
  } catch (error) {
    throw readFailure(path, error);
  }
}
