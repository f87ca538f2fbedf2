/** Reads the records of a load point as they are written, each once. */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecordProblem, parseRecordLine, type RequestRecord } from '../record/index.ts';
import { readFailure, systemCode } from './file-errors.ts';
import { recordsFile } from './run-files.ts';

const LINE_FEED = 0x0a;
/** Read at a time, so that catching up with a long run holds little of it. */
const CHUNK_BYTES = 1_024 * 1_024;
/** Of a line without an end: far longer than any sound record. */
const LINE_LIMIT_BYTES = 64 * 1_024 * 1_024;

export interface RecordFollower {
  /**
   * The records whole since the last call; a line still being written is left for the next one.
   * Lines that are no records are passed over: `goodput judge` reports them.
   *
   * Errors: `EnvironmentError` when the file cannot be read. A file that is not there yet is empty.
   */
  next(): AsyncGenerator<RequestRecord>;
}

/** Follows the records of one point of the run in `dir`, from the first on. */
export function followRecords(dir: string, pointIndex: number): RecordFollower {
  const path = join(dir, recordsFile(pointIndex));
  let offset = 0;
  let rest = Buffer.alloc(0);
  let line = 0;
  async function* linesOf(handle: FileHandle): AsyncGenerator<string> {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, offset);
      if (bytesRead === 0) return;
      offset += bytesRead;
      const text = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      let from = 0;
      for (let at = text.indexOf(LINE_FEED); at >= 0; at = text.indexOf(LINE_FEED, from)) {
        yield text.toString('utf8', from, at);
        from = at + 1;
      }
      rest = Buffer.from(text.subarray(from));
      if (rest.length > LINE_LIMIT_BYTES) rest = Buffer.alloc(0);
    }
  }
  return {
    async *next() {
      let handle: FileHandle;
      try {
        handle = await open(path, 'r');
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return;
        throw readFailure(path, error);
      }
      try {
        for await (const text of linesOf(handle)) {
          line += 1;
          const parsed = parseRecordLine(text, { file: path, line });
          if (!isRecordProblem(parsed) && parsed.pointIndex === pointIndex) yield parsed;
        }
      } finally {
        await handle.close();
      }
    },
  };
}
