import type { ServerResponse } from 'node:http';
import type { Fault } from '../faults/index.ts';
import { PlainWriter, type AnswerWriter } from './answer-writer.ts';
import { BreakingWriter, type BreakingPlace } from './breaking-writer.ts';
import {
  BunchingWriter,
  LateUsageWriter,
  SplittingWriter,
  StallingWriter,
  TricklingWriter,
} from './delaying-writers.ts';
import { GzipWriter } from './gzip-writer.ts';

/**
 * The writer of an answer that meets a fault, null for none. Faults that are not of the writing are
 * carried out elsewhere.
 */
export function faultyWriter(
  fault: Fault | null,
  response: ServerResponse,
  place: BreakingPlace,
): AnswerWriter {
  switch (fault?.kind) {
    case 'splitReads':
      return new SplittingWriter(fault, response);
    case 'bunching':
      return new BunchingWriter(fault, response);
    case 'stall':
      return new StallingWriter(fault, response);
    case 'slowLoris':
      return new TricklingWriter(fault, response);
    case 'lateUsage':
      return new LateUsageWriter(fault, response);
    case 'gzip':
      return new GzipWriter(response);
    case 'reset':
    case 'missingTerminator':
    case 'errorEvent':
      return new BreakingWriter(fault, response, place);
    default:
      return new PlainWriter(response);
  }
}
