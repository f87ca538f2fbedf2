/** Reads a file line by line, holding one line at a time. */
import { createReadStream } from 'node:fs';
import { readFailure } from './file-errors.ts';

export interface Line {
  /** Without its line feed. Cut to the limit when longer. */
  readonly text: string;
  /** Counts from 1. */
  readonly number: number;
  /** False for the last line of a file that does not end in a line feed. */
  readonly ended: boolean;
  readonly overLimit: boolean;
}

const LINE_FEED = 0x0a;

/**
 * The lines of `path`. Only a line feed ends a line: JSON may hold other separators as they are.
 *
 * Errors: `EnvironmentError` when the file cannot be read.
 */
export async function* readLines(path: string, limitBytes: number): AsyncGenerator<Line> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let number = 1;
  const add = (piece: Buffer): void => {
    // What is over the limit is counted, not kept.
    if (bytes < limitBytes) pieces.push(piece.subarray(0, limitBytes - bytes));
    bytes += piece.length;
  };
  const take = (ended: boolean): Line => {
    const text = Buffer.concat(pieces).toString('utf8');
    const line = { text, number, ended, overLimit: bytes > limitBytes };
    pieces = [];
    bytes = 0;
    number += 1;
    return line;
  };
  for await (const chunk of chunksOf(path)) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      add(chunk.subarray(from, at));
      yield take(true);
      from = at + 1;
    }
    add(chunk.subarray(from));
  }
  if (bytes > 0) yield take(false);
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1_024 })) {
      yield chunk as Buffer;
    }
  } catch (error) {
    throw readFailure(path, error);
  }
}
