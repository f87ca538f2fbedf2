/** Receives streams for a while and measures what that cost this process. */
import { setTimeout as sleepMs } from 'node:timers/promises';
import { monotonicNs } from '../../src/host/index.ts';
import {
  type ChunkTimes,
  type ReaderName,
  STREAM_READERS,
  type StreamSource,
} from './stream-readers.ts';
import { answerParent } from './worker-process.ts';

export interface ReadQuestion {
  readonly reader: ReaderName;
  readonly source: StreamSource;
  readonly requestIds: readonly string[];
  readonly warmupMs: number;
  readonly windowMs: number;
}

export interface ReadAnswer {
  readonly cpuUs: number;
  readonly fromNs: number;
  readonly toNs: number;
  readonly times: ChunkTimes;
}

answerParent(async (question: ReadQuestion): Promise<ReadAnswer> => {
  const streams = await STREAM_READERS[question.reader](question.source, question.requestIds);
  await sleepMs(question.warmupMs);
  const before = process.cpuUsage();
  const fromNs = monotonicNs();
  await sleepMs(question.windowMs);
  const spent = process.cpuUsage(before);
  const toNs = monotonicNs();
  const times = await streams.stop();
  return { cpuUs: spent.user + spent.system, fromNs, toNs, times };
});
